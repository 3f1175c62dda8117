import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    @Test func `counting the chunks before a moment tells what playing every event does`() async throws {
        var (compared, behindCut) = (0, 0)
        for program in try await Self.programs() where !program.events.isEmpty {
            let topology = Topology(program.definitions)
            var random = SeededGenerator(seed: program.seed &* 71 &+ 5)
            for _ in 0..<12 {
                let index = Int.random(in: program.events.indices, using: &random)
                let event = program.events[index]
                let moment: Moment =
                    Bool.random(using: &random)
                    ? .event(event.id)
                    : .time(TimeScale(program.reader.header).nanosecondsSinceStart(event.ticks))
                // Any time up to the moment is valid, at any position within a chunk.
                let cut = program.events[Int.random(in: 0...index, using: &random)].ticks
                guard let counted = try MomentPass(counting: program.reader, topology, to: moment, before: cut)
                else { continue }
                var played = try MomentPass(program.reader, topology, to: moment)
                try played.run()
                compared += 1
                if program.events[0].ticks < cut { behindCut += 1 }
                let fault = Self.difference(counted, played)
                #expect(fault == nil, "seed \(program.seed), \(moment), cut \(cut): \(fault ?? "")")
                if fault != nil { return }
            }
        }
        #expect(
            compared > Repeats.count(90) && behindCut > Repeats.count(60),
            "\(compared) were compared, \(behindCut) of them with a count")
    }

    /// The first difference that a report would show.
    private static func difference(_ one: MomentPass, _ other: MomentPass) -> String? {
        if one.lastEvent != other.lastEvent { return "last events differ" }
        let (left, right) = (one.state, other.state)
        if left.order != right.order || left.ticks != right.ticks { return "positions differ" }
        if left.stimuli != right.stimuli { return "counts of stimuli differ" }
        if left.unattributedDeliveries != right.unattributedDeliveries { return "unattributed deliveries differ" }
        if left.lastStimulus.map({ [$0.id: $0.stimulusNumber] })
            != right.lastStimulus.map({ [$0.id: $0.stimulusNumber] })
        {
            return "last stimuli differ"
        }
        if left.subscriptions.map(\.life) != right.subscriptions.map(\.life) { return "lives of subscriptions differ" }
        let thread = other.lastEvent?.id.thread ?? 0
        let stimuli = [left, right].map { state in
            state.openFrames(ofThread: thread).last { $0.opener == .stimulusBegan }?.stimulusNumber
        }
        if stimuli[0] != stimuli[1] { return "open stimuli differ: \(stimuli)" }
        for (node, wanted) in zip(left.nodes, right.nodes) {
            let figures = [node, wanted].map {
                "\($0.life) \($0.value) \(String(describing: $0.lastChange)) \($0.changeTicks) \($0.emissions) "
                    + "\($0.refreshes) \($0.suppressions) \($0.liveHandlers) \($0.liveEdges) "
                    + "\(String(describing: $0.silentWrite)) \($0.silentTicks)"
            }
            if figures[0] != figures[1] { return "\(figures[0]), but \(figures[1])" }
        }
        return nil
    }
}
