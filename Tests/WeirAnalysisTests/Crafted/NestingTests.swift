import Foundation
import Testing
import WeirReport
import WeirTestSupport
@_spi(Records) import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

/// Each analysis and each export reads nesting by the rules of `FrameStack` and `FrameWalk`. Break one of these rules, that missing ends
/// are made up for or that a chunk's frames are restored, and each test here fails.
@Suite struct NestingTests {
    static let rounds = 4

    enum Form: CaseIterable {
        /// Nothing is missing.
        case whole
        /// The inner stimulus and hop have no end.
        case endsAreMissing
        /// A chunk begins while frames are open.
        case chunked
        /// As `chunked`, and the first chunk is lost.
        case lost
    }

    /// A tap writes node 1. In its first handler runs a hop of another cause, in which a stimulus writes node 2. A map follows, node 3,
    /// and a second handler that writes node 4.
    private func trace(_ form: Form) throws -> (TraceReader, Topology) {
        var file = CraftedFile()
        for node in [1, 2, 4, 5] as [UInt32] { file.node(node, "node \(node)", line: Int(node)) }
        file.node(3, kind: 16, "node 3", line: 3)
        file.subscription(1, 1, line: 11)
        file.subscription(2, 1, 3, line: 12)
        for (subscription, node) in [(3, 2), (4, 3), (6, 1)] as [(UInt32, UInt32)] {
            file.subscription(subscription, node, line: 10 + Int(subscription))
        }
        for round in 0..<Self.rounds {
            file.stimulus("tap")
            file.emitted(1, round, delivers: true)
            file.delivered(1)
            file.hop(5, cause: (9, 1))
            file.stimulus("inner")
            if form == .lost, round == 0 { file.loseChunk() }
            if form == .lost || form == .chunked { file.endChunk() }
            file.emitted(2, round, to: [3])
            if form != .endsAreMissing {
                file.stimulusEnded()
                file.hopEnded()
            }
            file.delivered(2, isFirst: false)
            file.emitted(3, round, to: [4])
            file.delivered(6, isFirst: false)
            file.emitted(4, round)
            file.ended()
            file.stimulusEnded()
        }
        let written = try TemporaryTrace(isQuick: true)
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        return (reader, Topology(try reader.definitions()))
    }

    /// The rounds whose beginnings are in the trace.
    private func begun(_ form: Form) -> Int { form == .lost ? Self.rounds - 1 : Self.rounds }

    // MARK: Reading

    @Test(arguments: Form.allCases)
    func `the reader`(_ form: Form) throws {
        let (reader, _) = try trace(form)
        var depths: [Int] = []
        reader.forEachEvent { event in
            depths.append(event.depth)
            return true
        }
        let beginning = [0, 1, 2, 2, 3]
        let rest = [4, 5, 5] + (form == .endsAreMissing ? [] : [3, 2]) + [2, 2, 3, 3, 2, 2, 2, 0]
        let rounds = (0..<Self.rounds).flatMap { (form == .lost && $0 == 0 ? [] : beginning) + rest }
        #expect(depths == rounds)
    }

    // MARK: Answers

    @Test(arguments: Form.allCases)
    func `rules`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        let pass = RedundancyPass(reader, topology)
        let whole = UInt64(Self.rounds) * (form == .endsAreMissing ? 9 : 11) * 1000
        #expect(pass.handlerTicks == whole - (form == .lost ? 7000 : 0))
        #expect(pass.evaluations == UInt64(Self.rounds))
        #expect(pass.refreshes == 4 * UInt64(Self.rounds) - (form == .lost ? 1 : 0))
    }

    @Test(arguments: Form.allCases)
    func `replays of remedies`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        let recorded = WhatIf(reader, topology, remedies: []).recorded
        let whole = Int64(Self.rounds) * (form == .endsAreMissing ? 9 : 11) * 1000
        // Replays do not know the emission whose beginning is lost, nor its deliveries.
        #expect(recorded.handlerTicks == whole - (form == .lost ? 9000 : 0))
        #expect(recorded.evaluations == UInt64(begun(form)))
    }

    @Test(arguments: Form.allCases)
    func `the summary`(_ form: Form) throws {
        let (reader, _) = try trace(form)
        let summary = try TraceSummary(of: reader)
        // The map's value follows from the tap's, and not from the hop in another delivery.
        #expect(summary.longestChains.map(\.beginning) == [[1, 3]])
        let ofTap: UInt64 = (form == .endsAreMissing ? 8000 : 10_000) * UInt64(Self.rounds)
        #expect(
            summary.nodes.map(\.handlerNanoseconds) == [ofTap - (form == .lost ? 8000 : 0), 4000, 4000, 0, 0])
    }

    @Test(arguments: Form.allCases)
    func `the graph`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        var (builder, state) = (GraphBuilder(topology), TraceState(topology, startTicks: reader.header.startTicks))
        reader.forEachEvent { event in
            builder.take(event)
            state.take(event)
            return true
        }
        let counted = GraphBuilder.counting(reader, topology)
        #expect((counted == nil) == (form == .lost))
        for graph in [builder.graph(of: state), counted?.builder.graph(of: counted?.state ?? state)].compactMap(\.self)
        {
            let edges = graph.edges.map {
                "\(graph.nodes[$0.source].name) \($0.kind) \(graph.nodes[$0.target].name) \($0.deliveries)"
            }
            #expect(edges == ["node 1 data node 3 4", "node 1 handler node 4 4"])
        }
    }

    @Test(arguments: Form.allCases)
    func `the state at each moment`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        var state = TraceState(topology, startTicks: reader.header.startTicks)
        var frames: [String] = []
        reader.forEachEvent { event in
            state.take(event)
            if event.kind == .emitted, event.subject == 3 {
                frames.append(
                    state.openFrames(ofThread: 1).map { "\($0.node):\($0.subscription)" }.joined(separator: " "))
            }
            return true
        }
        let round = "0:0 1:2 3:0"
        #expect(frames == (form == .lost ? ["3:0"] : []) + [String](repeating: round, count: begun(form)))
    }

    @Test(arguments: Form.allCases)
    func `the state, counted`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        // The last moment of the second handler's delivery, when the stimulus inside the first one is over.
        let last = try #require(lastSequence(reader, of: .deliveryEnded))
        let moment = Moment.event(EventID(thread: 1, sequence: last))
        let time = try #require(reader.ticks(of: EventID(thread: 1, sequence: last)))
        let counted = try MomentPass(counting: reader, topology, to: moment, before: time)
        #expect((counted == nil) == (form == .lost))
        if let counted { #expect(counted.state.openFrames(ofThread: 1).map(\.text) == ["tap"]) }
    }

    private func lastSequence(_ reader: TraceReader, of kind: EventKind) -> UInt64? {
        var last: UInt64?
        reader.forEachEvent { event in
            if event.kind == kind { last = event.id.sequence }
            return true
        }
        return last
    }

    @Test(arguments: Form.allCases)
    func `cascades`(_ form: Form) throws {
        let (reader, _) = try trace(form)
        var levels: [[Int]] = []
        var assembler = CascadeAssembler { levels.append($0.items.map(\.level)) }
        reader.forEachEvent { event in
            assembler.take(event)
            return true
        }
        assembler.finish()
        let ofRound = [[0, 1, 2, 3], [0, 1, 2, 2, 3, 4, 2, 3]]
        let expected = (form == .lost ? [[0, 1, 0, 0, 1, 0, 0]] : []) + (0..<begun(form)).flatMap { _ in ofRound }
        #expect(levels == expected)
    }

    @Test(arguments: Form.allCases)
    func `a filter by stimulus`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        var filter = EventFilter(topology.definitions, timeScale: TimeScale(reader.header))
        filter.stimulus = .text("inner")
        var passed = 0
        reader.forEachEvent { event in
            if filter.passes(event) { passed += 1 }
            return true
        }
        // The stimulus, and in it the value with its delivery.
        #expect(passed == begun(form) * (form == .endsAreMissing ? 4 : 5))
    }

    @Test(arguments: Form.allCases)
    func `why`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        func chain(_ id: EventID) throws -> [String] {
            let found = try Timeline.why(reader, topology, .event(id), at: nil).explanation?.chains.first
            return try #require(found).steps.map { "\($0.event.kind) \($0.event.subject)" }
        }
        var ids: [EventID] = []
        reader.forEachEvent { event in
            if event.kind == .emitted, event.subject == 3 { ids.append(event.id) }
            return true
        }
        for (round, id) in ids.enumerated() {
            let isLost = form == .lost && round == 0
            #expect(try chain(id) == (isLost ? [] : ["stimulusBegan 0", "emitted 1"]) + ["emitted 3"])
        }
    }

    @Test(arguments: Form.allCases)
    func `why not`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        let found = try Timeline.whyNot(reader, [3], after: .stimulus(.text("inner")))
        #expect(found.reached.map(\.node) == [2])
        let last = EventFilter.Stimulus.number(form == .lost ? 6 : 8)
        let counted = try reader.countedWhyNot(topology, [3], after: .stimulus(last))
        if form != .lost { #expect(counted?.reached.map(\.node) == [2]) }
    }

    @Test(arguments: Form.allCases)
    func `the values that a copy omits`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        var flow = RedactionFlow(topology.definitions)
        reader.forEachEvent { event in
            flow.take(event)
            return true
        }
        #expect(flow.reached(from: [1], without: []) == [1, 3, 4])
        #expect(flow.reached(from: [5], without: []) == [5, 2])
    }

    @Test(arguments: Form.allCases)
    func `the figures of a diff`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        let figures = TraceFigures(reader, topology, RedundancyPass(reader, topology))
        let effects = figures.effects.map { "\($0.key.stimulus) \($0.key.node) \($0.value)" }.sorted()
        let rounds = begun(form)
        #expect(effects == ["tap node 1 \(2 * rounds)", "tap node 3 \(rounds)"])
    }

    @Test(arguments: Form.allCases)
    func `budgets`(_ form: Form) throws {
        let (reader, topology) = try trace(form)
        let measures = Measures(of: reader, topology).all.map {
            "\($0.metric) \($0.subject.site?.line ?? 0) \($0.value)"
        }
        let refreshes = [11, 16, 13, 14].map { "refreshesPerStimulus \($0) 1.0" }
        #expect(Array(measures.prefix(4)) == refreshes)
        let ofFirst = form == .endsAreMissing ? "0.005" : "0.007"
        #expect(
            Array(measures.dropFirst(4).prefix(4))
                == ["11 \(ofFirst)", "16 0.002", "13 0.001", "14 0.001"].map { "handlerMilliseconds \($0)" })
        #expect(measures.last == "emissionsPerTurn 4 1.0")
        #expect(measures.contains("emissionsPerTurn 0 4.0"))
    }

    // MARK: Exports

    private func export(_ format: TraceExport.Format, _ form: Form, tables: Set<ExportTable> = []) throws -> [Substring]
    {
        let (reader, _) = try trace(form)
        var bytes: [UInt8] = []
        var export = TraceExport(format, tables: tables) { bytes.append(contentsOf: $0) }
        try export.add(reader, path: "x.weir")
        try export.finish()
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    }

    @Test(arguments: Form.allCases)
    func `exported spans`(_ form: Form) throws {
        struct Span: Decodable {
            let spanId: String
            let parentSpanId: String?
            let name: String
        }
        struct Line: Decodable {
            struct Resource: Decodable { let scopeSpans: [Scope] }
            struct Scope: Decodable { let spans: [Span] }
            let resourceSpans: [Resource]
        }
        let spans = try export(.otlp, form).flatMap {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).resourceSpans[0].scopeSpans[0].spans
        }
        let names = Dictionary(spans.map { ($0.spanId, $0.name) }) { first, _ in first }
        let nested = spans.map { "\($0.name) in \($0.parentSpanId.map { names[$0] ?? "?" } ?? "none")" }
        let round = [
            "handler A.swift:13 in node 2", "node 2 in inner", "inner in hop", "hop in ?",
            "handler A.swift:11 in node 1", "handler A.swift:14 in node 3", "node 3 in to node 3",
            "to node 3 in node 1", "node 4 in handler A.swift:16", "handler A.swift:16 in node 1", "node 1 in tap",
            "tap in none",
        ]
        // The spans around the loss are unknown.
        let first = [
            "handler A.swift:13 in node 2", "node 2 in none", "handler A.swift:14 in node 3", "node 3 in none",
            "node 4 in none",
        ]
        let expected = (form == .lost ? first : []) + (0..<begun(form)).flatMap { _ in round }
        #expect(nested == expected)
    }

    @Test(arguments: Form.allCases)
    func `exported tracks`(_ form: Form) throws {
        struct File: Decodable {
            struct Slice: Decodable {
                let name: String
                let dur: Double?
            }
            let traceEvents: [Slice]
        }
        let text = try export(.chrome, form).joined()
        let slices = try JSONDecoder().decode(File.self, from: Data(text.utf8)).traceEvents.compactMap { slice in
            slice.dur.map { "\(slice.name) \(Int($0))" }
        }
        let isWhole = form != .endsAreMissing
        let inner = ["handler A.swift:13 1", "node 2 2"]
        let outer = ["handler A.swift:14 1", "node 3 2"]
        let round =
            inner + ["inner 4", "hop of node 5 \(isWhole ? 6 : 5)", "handler A.swift:11 \(isWhole ? 8 : 6)"] + outer + [
                "handler A.swift:16 2", "node 1 \(isWhole ? 15 : 13)", "tap \(isWhole ? 17 : 15)",
            ]
        // The slices around the loss are unknown.
        let expected = (form == .lost ? inner + outer : []) + (0..<begun(form)).flatMap { _ in round }
        #expect(slices == expected)
    }

    @Test(arguments: Form.allCases)
    func `exported tables`(_ form: Form) throws {
        struct Turn: Decodable {
            let events: Int, emissions: Int, refreshes: Int
        }
        let turns = try export(.ndjson, form, tables: [.turns]).map {
            try JSONDecoder().decode(Turn.self, from: Data($0.utf8))
        }
        let ofRound = [form == .endsAreMissing ? "5 1 1" : "7 1 1", "11 3 3"]
        let expected = (form == .lost ? ["13 3 3"] : []) + (0..<begun(form)).flatMap { _ in ofRound }
        #expect(turns.map { "\($0.events) \($0.emissions) \($0.refreshes)" } == expected)
    }
}
