import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

/// Assembles these events into turns, and checks every invariant.
func turns(_ events: [TraceEvent], itemLimit: Int = 10_000) -> [Turn] {
    var turns: [Turn] = []
    var assembler = TurnAssembler(itemLimit: itemLimit) { turns.append($0) }
    for event in events {
        assembler.take(event)
        assembler.checkInvariants()
    }
    assembler.finish()
    return turns
}

/// A turn as a report draws it.
func chain(_ turn: Turn, limit: Int = 100) -> [String] {
    let scale = TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0)
    return TurnChain(EventScript.searchDefinitions, timeScale: scale).lines(turn, limit: limit)
}
