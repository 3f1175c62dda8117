import WeirTrace

/// What replays of one remedy carry from turn to turn: how the changed program differs from the recorded one.
///
/// What a replay changes, it takes back where it does not come to its end.
final class ReplayState {
    /// A refresh that is held until the screen is over.
    struct Held {
        var began: UInt64
        var screen: UInt64
        var ticks: UInt64

        func lasting(_ ticks: UInt64) -> Held { Held(began: began, screen: screen, ticks: ticks) }
    }

    /// Values of nodes that differ from the recorded ones.
    @exclusivity(unchecked) var values: [Int: RecordedValue] = [:]
    /// What passed last through the subscriptions behind `removeDuplicates`.
    @exclusivity(unchecked) var passed: Ledger<RecordedValue>
    @exclusivity(unchecked) var hubs = SharedRuns()
    @exclusivity(unchecked) var held: Ledger<Held>
    /// How many frames were marked.
    @exclusivity(unchecked) var screen: UInt64 = 0
    let removed: RemovedCauses

    init(_ plan: RemedyPlan = .none, mostRemoved: Int = RemovedCauses.most) {
        passed = Ledger(plan.removeDuplicates)
        held = Ledger(plan.throttled)
        removed = RemovedCauses(most: mostRemoved)
    }

    /// What a replay changed stays.
    func commit() {
        hubs.commit()
        passed.commit()
        held.commit()
    }

    /// All is as it was before the replay.
    func takeBack() {
        hubs.takeBack()
        passed.takeBack()
        held.takeBack()
    }
}
