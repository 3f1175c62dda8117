import WeirTrace

/// The state that replays of one remedy carry from turn to turn: how the changed program differs from the recorded one.
///
/// A replay that stops early undoes its changes.
final class ReplayState {
    /// The pause of a throttle after a refresh.
    struct Pause {
        /// The time at which it ends.
        var end: UInt64
        /// The handler time of the refresh that waits for its end; nil: none waits.
        var held: UInt64?
    }

    /// Values of nodes that differ from the recorded ones.
    @exclusivity(unchecked) var values: [Int: RecordedValue] = [:]
    /// Subscriptions that began in the recording only, and have not ended there.
    @exclusivity(unchecked) var absent: Set<Int> = []
    /// The last values that passed through the subscriptions behind `removeDuplicates`.
    @exclusivity(unchecked) var passed: Ledger<RecordedValue>
    @exclusivity(unchecked) var hubs = SharedRuns()
    /// Values of shared sources that wait for an actor since another turn than in the recording.
    @exclusivity(unchecked) var moved: Set<Handover> = []
    @exclusivity(unchecked) var pauses: Ledger<Pause>
    let removed: RemovedCauses

    init(_ plan: RemedyPlan = .none, mostRemoved: Int = RemovedCauses.most) {
        passed = Ledger(plan.removeDuplicates)
        pauses = Ledger(plan.throttled)
        removed = RemovedCauses(most: mostRemoved)
    }

    /// Keeps the changes of a replay.
    func commit() {
        hubs.commit()
        passed.commit()
        pauses.commit()
    }

    /// Undoes the changes of a replay.
    func takeBack() {
        hubs.takeBack()
        passed.takeBack()
        pauses.takeBack()
    }
}
