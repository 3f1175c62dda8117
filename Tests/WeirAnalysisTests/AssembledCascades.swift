import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

/// Assembles these events into cascades, and checks every invariant.
func cascades(_ events: [TraceEvent], itemLimit: Int = 10_000) -> [Cascade] {
    var cascades: [Cascade] = []
    var assembler = CascadeAssembler(itemLimit: itemLimit) { cascades.append($0) }
    for event in events {
        assembler.take(event)
        assembler.checkInvariants()
    }
    assembler.finish()
    return cascades
}

/// A cascade as a report draws it.
func chain(_ cascade: Cascade, limit: Int = 100) -> [String] {
    let scale = TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0)
    return CascadeTree(EventScript.searchDefinitions, timeScale: scale).lines(cascade, limit: limit)
}
