import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    @Test func `the causes of every event are what looking back over all events gives`() async throws {
        var mains = 0
        for program in try await Self.programs() {
            guard isExplained(program, { if $0.mainCause != $0.way.cause { mains += 1 } }) else { return }
        }
        #expect(mains > Repeats.count(60), "hardly anything has a main cause other than the direct one")
    }

    @Test func `no older and no newer value of an input is a cause of a write or a hop`() async throws {
        let programs = try await RecorderTurn.take { try Repeats.seeds(16).map { try RandomProgram(writesSeed: $0) } }
        var (overtaken, unfed, held, compared) = (0, 0, 0, 0)
        for program in programs {
            let isRight = isExplained(program) { step in
                guard step.event.kind == .emitted, !step.event.isReplayed, !step.inputs.isEmpty else { return }
                switch program.definitions.nodes[step.event.subject]?.kind {
                case .deliver, .delay: if !step.unread.isEmpty { overtaken += 1 }
                case .observable where step.changedInputs.isEmpty: unfed += 1
                case .observable: if step.inputs.contains(where: { $0.role == .changed }) { held += 1 }
                default: break
                }
            }
            guard isRight else { return }
            let reader = try program.inSmallChunks()
            let whole = try Timeline(reader)
            for event in program.events where event.kind == .emitted || event.kind == .suppressed {
                let past = try #require(TracePast(reader, whole.topology))
                guard let found = past.step(of: event.id), !past.isUnsure else { continue }
                compared += 1
                guard found == whole.causeStep(of: event.id) else {
                    Issue.record("seed \(program.seed): \(found) is not what reading all events gives")
                    return
                }
            }
        }
        let counts = [overtaken, unfed, held, compared]
        #expect(zip(counts, [30, 100, 30, 1000]).allSatisfy { $0 > Repeats.count($1) }, "\(counts)")
    }

    /// Whether the causes of every event are what looking back gives; `count` gets each of them, with values yet to be looked up.
    private func isExplained(_ program: RandomProgram, _ count: (CauseStep) -> Void) -> Bool {
        let naive = NaiveInterpreter(program.events, program.definitions)
        var state = TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)
        for (position, event) in program.events.enumerated() {
            var step = CauseStep(event, before: state)
            count(step)
            state.take(event)
            for (input, unread) in step.unread {
                guard case .delivery(let later) = unread else {
                    if case .emission(let id) = unread { step.resolve(input, id, naive.event(id).value) }
                    continue
                }
                let edge = step.inputs[input].subscription
                let deliveries = program.events[..<position].indices.filter {
                    program.events[$0].subject == edge && naive.deliversValue($0)
                }
                let emission = naive.places[deliveries[deliveries.count - 1 - later]].cause
                step.resolve(input, emission, emission.map { naive.event($0).value } ?? .notRecorded)
            }
            let expected = naive.causeStep(at: position)
            guard step.way == expected.way, step.inputs == expected.inputs, step.mainCause == expected.mainCause,
                step.heldValue == naive.heldValue(at: position)
            else {
                Issue.record("seed \(program.seed): \(step) is not \(expected)")
                return false
            }
        }
        return true
    }

    @Test func `an explanation tells all causes of an event, each once and behind its own`() async throws {
        var chains = 0
        for program in try await Self.programs() where !program.events.isEmpty {
            let naive = NaiveInterpreter(program.events, program.definitions)
            let timeline = try Timeline(program.reader, checkpointByteLimit: 1 << 20, checkpointSpacing: 64)
            var random = SeededGenerator(seed: program.seed &* 97 &+ 5)
            let interesting = program.events.indices.filter {
                program.events[$0].kind == .emitted || program.events[$0].kind == .suppressed
            }
            let chosen = (0..<3).compactMap { _ in interesting.randomElement(using: &random) }
            for position in chosen + program.events.indices.suffix(1) {
                let limit = Bool.random(using: &random) ? Int.random(in: 1...12, using: &random) : 300
                let explanation = timeline.explanation(of: program.events[position].id, limit: limit)
                chains += explanation?.chains.count ?? 0
                if let fault = fault(of: explanation, at: position, limit, naive) {
                    Issue.record("seed \(program.seed), \(program.events[position].id), limit \(limit): \(fault)")
                    return
                }
            }
            let missing = timeline.explanation(of: EventID(thread: 99, sequence: 1))
            #expect(missing == nil)
        }
        #expect(chains > Repeats.count(240), "hardly any explanation has several chains")
    }

    private func fault(
        of explanation: Explanation?, at position: Int, _ limit: Int, _ naive: NaiveInterpreter
    ) -> String? {
        guard let explanation else { return "there is none" }
        guard explanation.target?.event == naive.events[position] else { return "it explains something else" }
        let expected = naive.allCauses(of: position)
        var reported: Set<Int> = []
        // The other causes of the steps so far, besides the main ones: only these may head a chain.
        var heads: Set<EventID> = [naive.events[position].id]
        for chain in explanation.chains {
            guard let first = chain.steps.first, let head = chain.steps.last else { return "a chain is empty" }
            guard heads.contains(head.event.id) else { return "\(head.event.id) heads a chain without reason" }
            let isCut = chain.joins == nil && chain.missingCause == nil && first.mainCause != nil
            if isCut, reported.count + chain.steps.count < limit { return "a chain begins in the middle" }
            if let joins = chain.joins {
                guard first.mainCause == joins, naive.position(of: joins).map(reported.contains) == true else {
                    return "a chain joins \(joins), which was not reported"
                }
            }
            if let missing = chain.missingCause, first.mainCause != missing || naive.position(of: missing) != nil {
                return "\(missing) is not missing"
            }
            for (cause, effect) in zip(chain.steps, chain.steps.dropFirst()) where effect.mainCause != cause.event.id {
                return "\(effect.event.id) was not caused by \(cause.event.id)"
            }
            for step in chain.steps {
                guard let place = naive.position(of: step.event.id), reported.insert(place).inserted else {
                    return "\(step.event.id) is reported twice"
                }
                let naively = naive.causeStep(at: place)
                if step.inputs != naively.inputs || step.way != naively.way { return "\(step) is not \(naively)" }
                heads.formUnion(step.changedInputs)
            }
        }
        if reported.count > limit { return "\(reported.count) steps are reported" }
        if !reported.isSubset(of: expected) { return "reported beyond the causes: \(reported.subtracting(expected))" }
        if expected.count <= limit, reported != expected { return "not reported: \(expected.subtracting(reported))" }
        if reported.count == expected.count, explanation.omitted > 0 { return "nothing is omitted" }
        if reported.count < expected.count, explanation.omitted == 0 { return "it is silent about what it omits" }
        return nil
    }
}
