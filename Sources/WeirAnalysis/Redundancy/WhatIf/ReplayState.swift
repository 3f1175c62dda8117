import WeirTrace

/// The state that replays of one remedy carry from turn to turn: how the changed program differs from the recorded one.
///
/// A replay that stops early undoes its changes.
final class ReplayState {
    /// A refresh that is held until the screen ends.
    struct Held {
        var began: UInt64
        var screen: UInt64
        var ticks: UInt64

        func lasting(_ ticks: UInt64) -> Held { Held(began: began, screen: screen, ticks: ticks) }
    }

    /// Values of nodes that differ from the recorded ones.
    @exclusivity(unchecked) var values: [Int: RecordedValue] = [:]
    /// The last values that passed through the subscriptions behind `removeDuplicates`.
    @exclusivity(unchecked) var passed: Ledger<RecordedValue>
    @exclusivity(unchecked) var hubs = SharedRuns()
    @exclusivity(unchecked) var held: Ledger<Held>
    /// How many screen frames were marked.
    @exclusivity(unchecked) var screen: UInt64 = 0
    let removed: RemovedCauses

    init(_ plan: RemedyPlan = .none, mostRemoved: Int = RemovedCauses.most) {
        passed = Ledger(plan.removeDuplicates)
        held = Ledger(plan.throttled)
        removed = RemovedCauses(most: mostRemoved)
    }

    /// Keeps the changes of a replay.
    func commit() {
        hubs.commit()
        passed.commit()
        held.commit()
    }

    /// Undoes the changes of a replay.
    func takeBack() {
        hubs.takeBack()
        passed.takeBack()
        held.takeBack()
    }
}
