import Foundation
import Testing
import WeirReport
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

extension OracleTests {
    @Test func `reading backwards explains what reading all events does, in traces of many small chunks`() async throws
    {
        var (compared, inputs, unsure) = (0, 0, 0)
        for program in try await Self.programs() where !program.events.isEmpty {
            let reader = try program.inSmallChunks()
            let whole = try Timeline(reader)
            var random = SeededGenerator(seed: program.seed &* 41 &+ 3)
            for _ in 0..<8 {
                let past = try #require(TracePast(reader, whole.topology))
                let id = program.events.randomElement(using: &random)!.id
                guard let found = try past.why(.event(id), at: nil) else {
                    unsure += 1
                    continue
                }
                let expected = try whole.why(.event(id), at: nil)
                compared += 1
                inputs += found.explanation?.chains.flatMap(\.steps).flatMap(\.inputs).count ?? 0
                if found != expected {
                    // The threads interleave anew in each run.
                    let kept = NSTemporaryDirectory() + "weir-recent-\(program.seed).weir"
                    try program.writeInSmallChunks(to: kept)
                    #expect(found == expected, "seed \(program.seed), \(id); the trace is in \(kept)")
                    return
                }
            }
        }
        #expect(
            compared > Repeats.count(100) && inputs > Repeats.count(100) && unsure * 4 < compared,
            "\(compared) were compared, with \(inputs) inputs; \(unsure) were unsure")
    }

    /// A thread has begun to deliver when another one ends the subscription: the end comes before the delivery. If it has no
    /// time of its own, it even comes before the emission.
    @Test(arguments: [true, false])
    func `reading backwards knows no subscription by a delivery that its end overtook`(endIsStamped: Bool) throws {
        var file = CraftedFile()
        file.node(1)
        file.node(2, kind: 3)
        file.node(3)
        file.subscription(1, 1, 2)
        file.emitted(3, 1, delivers: true, on: 2)
        file.emitted(1, 1, delivers: true)
        file.ended(subscription: 1, on: 2, isStamped: endIsStamped)
        file.delivered(1)
        file.emitted(2, 5, on: 3)
        file.ended()
        file.emitted(1, 2)
        file.emitted(2, 6, on: 3)
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        let whole = try Timeline(reader)
        var events: [EventID] = []
        reader.forEachEvent {
            events.append($0.id)
            return true
        }
        var compared = 0
        for id in events {
            let past = try #require(TracePast(reader, whole.topology))
            guard let found = try past.why(.event(id), at: nil) else { continue }
            compared += 1
            #expect(found == (try whole.why(.event(id), at: nil)), "\(id)")
        }
        #expect(compared > 4)
    }

    /// Thread 3 records little: the chunk that holds the start of a subscription is read, because it goes on into the last part. An
    /// earlier chunk of thread 2 holds its end.
    @Test func `the last chunks know no subscription whose end they do not hold`() throws {
        var file = CraftedFile()
        file.node(1, "source")
        file.node(2, kind: 3, "target")
        file.node(3, "filler")
        file.subscription(1, 1, 2)
        file.emitted(3, 0, on: 1)
        file.started(1, on: 3)
        func fill(_ thread: UInt32) {
            for number in 0..<40_000 { file.emitted(3, number, on: thread) }
        }
        file.emitted(1, 5, to: [1], on: 2)
        file.emitted(2, 5, on: 1)
        file.ended(subscription: 1, on: 2)
        fill(2)
        fill(1)
        file.emitted(3, 1, on: 3)
        file.stimulus("tap")
        file.emitted(1, 6)
        file.stimulusEnded()
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        let whole = try Timeline(reader)
        let answer = try whole.whyNot([2], after: .last)
        guard case .stopped(let stops) = answer.outcome, case .subscriptionEnded = stops.first?.reason else {
            Issue.record("\(answer.outcome)")
            return
        }
        #expect(reader.eventChunkCount > 8)
        for chunks in 1..<reader.eventChunkCount {
            guard let recent = try reader.recentWhyNot(whole.topology, [2], after: .last, chunks: chunks) else {
                continue
            }
            #expect(recent.outcome == answer.outcome, "\(chunks) chunks")
        }
    }

    @Test func `reading backwards finds the last and the next change of nodes at any moment`() async throws {
        var (compared, changed, unsure) = (0, 0, 0)
        for program in try await Self.programs() where !program.events.isEmpty {
            let reader = try program.inSmallChunks()
            let whole = try Timeline(reader)
            let scale = TimeScale(reader.header)
            var random = SeededGenerator(seed: program.seed &* 43 &+ 11)
            for node in whole.topology.nodeIDs.shuffled(using: &random).prefix(8) {
                let event = program.events.randomElement(using: &random)!
                let moments: [Moment?] = [
                    nil, .end, .event(event.id), .time(scale.nanosecondsSinceStart(event.ticks)), .time(.max / 2),
                ]
                let moment = moments.randomElement(using: &random)!
                var ids = [node, whole.topology.nodeIDs.randomElement(using: &random)!]
                if .random(using: &random) { ids.removeLast() }
                let past = try #require(TracePast(reader, whole.topology))
                let found = Result { try past.why(.nodes(ids), at: moment) }
                if case .success(nil) = found {
                    unsure += 1
                    continue
                }
                let expected = Result { try whole.why(.nodes(ids), at: moment) }
                compared += 1
                let isSame =
                    switch (found, expected) {
                    case (.success(let found), .success(let expected)): found == expected
                    case (.failure(let found as MomentError), .failure(let expected as MomentError)): found == expected
                    default: false
                    }
                if case .success(let why?) = found, why.event != nil, why.next != nil { changed += 1 }
                let place = "seed \(program.seed), nodes \(ids), \(String(describing: moment))"
                #expect(isSame, "\(place): \(found), not \(expected)")
                if !isSame { return }
            }
        }
        #expect(
            compared > Repeats.count(150) && changed > Repeats.count(20) && unsure * 4 < compared,
            "\(compared) were compared, \(changed) of them changed again; \(unsure) were unsure")
    }

    @Test func `counting chunks in any order draws the graph that every event gives`() async throws {
        var (compared, edges) = (0, 0)
        for program in try await Self.programs() {
            let topology = Topology(program.definitions)
            guard let counted = GraphBuilder.counting(program.reader, topology) else { continue }
            var builder = GraphBuilder(topology)
            var state = TraceState(topology, startTicks: program.reader.header.startTicks)
            for event in program.events {
                builder.take(event)
                state.take(event)
            }
            let options = GraphOptions()
            let graph = builder.graph(of: state, .wholeRecording, options)
            compared += 1
            edges += graph.edges.count { $0.kind == .handler }
            #expect(counted.builder.graph(of: counted.state, .wholeRecording, options) == graph, "seed \(program.seed)")
            #expect(counted.state.order == state.order)
        }
        #expect(
            compared > Repeats.count(16) && edges > Repeats.count(16),
            "\(compared) graphs with \(edges) writes of handlers")
    }

    @Test func `counting most events says why a node did not change as every event does`() async throws {
        var (compared, stopped) = (0, 0)
        for program in try await Self.programs() where !program.events.isEmpty {
            let whole = try Timeline(program.reader)
            let stimuli = program.events.filter { $0.kind == .stimulusBegan }
            var random = SeededGenerator(seed: program.seed &* 53 &+ 1)
            for node in whole.topology.nodeIDs.prefix(6) {
                let occasion: Timeline.Occasion =
                    stimuli.randomElement(using: &random).map {
                        .after(TimeScale(program.reader.header).nanosecondsSinceStart($0.ticks))
                    } ?? .last
                guard let counted = try? program.reader.countedWhyNot(whole.topology, [node], after: occasion),
                    let expected = try? whole.whyNot([node], after: occasion)
                else { continue }
                compared += 1
                if case .stopped = expected.outcome { stopped += 1 }
                #expect(counted == expected, "seed \(program.seed), node \(node), \(occasion)")
                if counted != expected { return }
            }
        }
        #expect(
            compared > Repeats.count(60) && stopped > Repeats.count(6),
            "\(compared) were compared, \(stopped) of them with stops")
    }

    @Test func `the last chunks say why a node did not change as every event does`() async throws {
        var (compared, stopped, unconnected) = (0, 0, 0)
        for program in try await Self.programs() where !program.events.isEmpty {
            let reader = try program.inSmallChunks()
            let whole = try Timeline(reader)
            let stimuli = program.events.filter { $0.kind == .stimulusBegan }
            var random = SeededGenerator(seed: program.seed &* 59 &+ 5)
            for node in whole.topology.nodeIDs.shuffled(using: &random).prefix(12) {
                let occasion: Timeline.Occasion =
                    stimuli.randomElement(using: &random).map {
                        .after(TimeScale(reader.header).nanosecondsSinceStart($0.ticks))
                    } ?? .last
                let chunks = Int.random(in: 1..<max(2, reader.eventChunkCount / 2), using: &random)
                guard
                    let recent = try? reader.recentWhyNot(whole.topology, [node], after: occasion, chunks: chunks)
                else { continue }
                let expected = try whole.whyNot([node], after: occasion, writersSince: recent.writersSince)
                compared += 1
                if case .stopped = expected.outcome { stopped += 1 }
                #expect(recent.stimulus == expected.stimulus && recent.stimulusNumber == nil)
                if case .unconnected = expected.outcome { unconnected += 1 }
                let isSame =
                    recent.outcome == expected.outcome && recent.omittedStops == expected.omittedStops
                    && recent.reached == expected.reached && recent.value == expected.value
                    && recent.lastChange == expected.lastChange
                if !isSame {
                    // The threads interleave anew in each run.
                    let kept = NSTemporaryDirectory() + "weir-recent-\(program.seed).weir"
                    try program.writeInSmallChunks(to: kept)
                    let place = "seed \(program.seed), node \(node), \(occasion)"
                    #expect(recent == expected, "\(place); the trace is in \(kept)")
                    return
                }
            }
        }
        #expect(
            compared > Repeats.count(60) && stopped > Repeats.count(6),
            "\(compared) were compared, \(stopped) of them with stops")
        #expect(unconnected > Repeats.count(3))
    }

    @Test func `counting chunks in any order sums up what every event does`() async throws {
        var compared = 0
        for program in try await Self.programs() where !program.events.isEmpty {
            let header = program.reader.header
            var counted = SummaryCounter(header: header, definitions: program.definitions)
            guard counted.takeCount(of: program.reader) else { continue }
            var taken = SummaryCounter(header: header, definitions: program.definitions)
            for event in program.events { taken.count(event) }
            let reports = [counted, taken].map {
                InfoReport($0.finish(), path: "random.weir", fileSize: 0, top: 100).json.indentedText
            }
            compared += 1
            #expect(reports[0] == reports[1], "seed \(program.seed)")
            if reports[0] != reports[1] { return }
        }
        #expect(compared > Repeats.count(16), "\(compared) were compared")
    }

    @Test func `damage makes a question read every event, and is noted in the order of that`() async throws {
        var compared = 0
        for program in try await Self.programs() where !program.events.isEmpty {
            let file = try TemporaryTrace(isQuick: true)
            try program.writeInSmallChunks(to: file.path)
            guard try damageFirstAndLastChunkOfEvents(file.path) else { continue }
            let (asked, read) = (try TraceReader(path: file.path), try TraceReader(path: file.path))
            let topology = Topology(try asked.definitions())
            guard asked.eventChunkCount >= Timeline.fewestChunks, let node = topology.nodeIDs.first else { continue }
            compared += 1
            let why = try Timeline.why(asked, topology, .nodes([node]), at: nil)
            #expect(try why == Timeline(read).why(.nodes([node]), at: nil), "seed \(program.seed)")
            #expect(asked.damage == read.damage && read.damage.count >= 2, "seed \(program.seed)")
        }
        #expect(compared > 1, "\(compared) were compared")
    }

    /// Changes a bit of the last record in both; false: there are fewer than two.
    private func damageFirstAndLastChunkOfEvents(_ path: String) throws -> Bool {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let starts = stride(from: TraceFormat.headerLength, to: bytes.count, by: TraceFormat.chunkSize).filter {
            bytes[$0 + TraceFormat.ChunkField.content] == TraceFormat.Content.events.rawValue
        }
        guard let first = starts.first, let last = starts.last, first < last else { return false }
        for start in [first, last] {
            let committed = start + TraceFormat.ChunkField.committed
            let count = bytes[committed..<committed + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes[start + TraceFormat.chunkHeaderLength + count - 1] ^= 1
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return true
    }
}

extension RandomProgram {
    /// The same trace, in chunks of about a hundred bytes; each begins at an event with a time of its own.
    func inSmallChunks() throws -> TraceReader {
        let file = try TemporaryTrace(isQuick: true)
        try writeInSmallChunks(to: file.path)
        return try TraceReader(path: file.path)
    }

    fileprivate func writeInSmallChunks(to path: String) throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        var assembler = TraceAssembler(descriptor: handle.fileDescriptor)
        assembler.chunkFill = 100
        for node in definitions.nodes.values.sorted(by: { $0.id < $1.id }) { try assembler.add(node) }
        for subscription in definitions.subscriptions.values.sorted(by: { $0.id < $1.id }) {
            try assembler.add(subscription)
        }
        for site in definitions.writeSites.values { try assembler.add(site) }
        for event in events { try assembler.add(event) }
        try assembler.finish(.init())
    }
}
