import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

/// The chains read from single chunks, compared with those from the whole trace.
@Suite struct EvidenceTests {
    @Test func `the evidence of every event is the chain of its direct causes`() async throws {
        var (steps, hops, settlings) = (0, 0, 0)
        for program in try await OracleTests.programs().prefix(Repeats.count(6)) {
            let ways = ways(of: program)
            for event in program.events {
                let evidence = Evidence(of: event.id, in: program.reader)
                if let fault = fault(of: evidence, of: event, ways) {
                    Issue.record("seed \(program.seed), \(event.id): \(fault)")
                    return
                }
                for step in evidence?.steps ?? [] {
                    steps += 1
                    if case .scheduled = step.way { hops += 1 }
                    if case .settling = step.way { settlings += 1 }
                }
            }
        }
        #expect(steps > 500 && hops > 10 && settlings > 1, "\(steps) steps, \(hops) hops, \(settlings)")
    }

    @Test func `frames that were opened in earlier chunks are found there`() async throws {
        let program = try await RecorderTurn.take { try RandomProgram(longSeed: 3) }
        let ways = ways(of: program)
        var chunks = 0
        program.reader.forEachEventChunk { _, _ in
            chunks += 1
            return true
        }
        #expect(chunks > 2)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<Repeats.count(15) {
            let event = try #require(program.events.randomElement(using: &random))
            let evidence = Evidence(of: event.id, in: program.reader)
            let fault = fault(of: evidence, of: event, ways)
            #expect(fault == nil, "\(event.id)")
        }
        let last = try #require(program.events.last { $0.depth > 2 })
        let evidence = try #require(Evidence(of: last.id, in: program.reader))
        #expect(evidence.steps.first?.event.id.sequence ?? .max < 100)
    }

    @Test func `where all direct causes are the main ones, the evidence is the explanation's first chain`() async throws
    {
        var compared = 0
        for program in try await OracleTests.programs().prefix(60) {
            let timeline = try Timeline(program.reader)
            for event in program.events.filter({ $0.kind == .emitted }).suffix(3) {
                let chain = try #require(timeline.explanation(of: event.id)?.chains.first)
                guard chain.steps.allSatisfy({ $0.mainCause == $0.way.cause }) else { continue }
                let evidence = Evidence(of: event.id, in: program.reader)
                #expect(evidence?.steps.map(\.event) == chain.steps.map(\.event))
                #expect(evidence?.steps.map(\.way) == chain.steps.map(\.way))
                #expect(evidence?.missingCause == chain.missingCause)
                compared += 1
            }
        }
        #expect(compared > 60)
    }

    @Test func `of a chain without end sixty-four steps are reported, and that it goes on`() async throws {
        let file = try TemporaryTrace()
        try await RecorderTurn.take {
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let nodes = (0...100).map { _ in Observable(0) }
            let bindings = zip(nodes, nodes.dropFirst()).map { one, next in one.subscribe { next.value = $0 } }
            nodes[0].value = 1
            for binding in bindings { binding.dispose() }
            Trace.stop()
        }
        let recording = try Recording(reading: file.path)
        let last = try #require(recording.events.last { $0.kind == .emitted })
        let evidence = try #require(Evidence(of: last.id, in: try TraceReader(path: file.path)))
        #expect(evidence.steps.count == Evidence.limit && evidence.goesOn && evidence.missingCause == nil)
        #expect(evidence.steps.last?.event == last)
        let first = try #require(recording.events.first { $0.kind == .emitted })
        #expect(Evidence(of: first.id, in: try TraceReader(path: file.path))?.goesOn == false)
    }

    @Test func `an event that the trace does not have has no evidence`() async throws {
        let program = try #require(try await OracleTests.programs().first)
        #expect(Evidence(of: EventID(thread: 99, sequence: 1), in: program.reader) == nil)
        #expect(Evidence(of: EventID(thread: 1, sequence: .max), in: program.reader) == nil)
        #expect(Evidence(of: EventID(thread: 1, sequence: 0), in: program.reader) == nil)
    }

    /// The direct cause of each event, by the state before it.
    private func ways(of program: RandomProgram) -> [EventID: CauseStep.Way] {
        var state = TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)
        var ways: [EventID: CauseStep.Way] = [:]
        for event in program.events {
            ways[event.id] = CauseStep(event, before: state).way
            state.take(event)
        }
        return ways
    }

    private func fault(
        of evidence: Evidence?, of event: TraceEvent, _ ways: [EventID: CauseStep.Way]
    ) -> String? {
        guard let evidence else { return "there is none" }
        guard evidence.steps.last?.event == event else { return "it is of \(evidence.steps)" }
        for (cause, step) in zip([nil] + evidence.steps.map(Optional.some), evidence.steps) {
            guard step.event.cause == step.way.cause else { return "\(step) has two causes" }
            if let cause, step.way.cause != cause.event.id { return "\(step) does not follow \(cause)" }
            if cause != nil || step.way == .root, step.way != ways[step.event.id] {
                return "\(step) came about by \(String(describing: ways[step.event.id]))"
            }
        }
        let root = evidence.steps[0]
        let isOpen = evidence.goesOn || evidence.missingCause != nil
        if isOpen == (root.way == .root) { return "its beginning is \(root)" }
        if let missing = evidence.missingCause, ways[missing] != nil { return "\(missing) is not missing" }
        if evidence.goesOn, evidence.steps.count < Evidence.limit { return "it ends early" }
        return nil
    }
}
