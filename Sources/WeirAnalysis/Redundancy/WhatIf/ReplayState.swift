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

/// The values given to operators with a memory, in order.
struct Memories {
    private struct Step: Equatable {
        /// The index of a subscription; for a node that depends on more than single writes, -1 minus its index.
        let key: Int
        let value: RecordedValue
    }

    private var steps: [Step] = []

    mutating func append(_ value: RecordedValue, to key: Int) { steps.append(Step(key: key, value: value)) }

    mutating func removeAll() { if !steps.isEmpty { steps.removeAll(keepingCapacity: steps.count < 256) } }

    /// The least key whose values differ from the other's, or their order; nil if there is none.
    ///
    /// - Parameters:
    ///   - isIgnored: Whether a key does not matter.
    ///   - maySkip: Whether values of a key may be missing here.
    ///   - mayRepeat: Whether values of a key may be missing here that equal the one before, and its last value in earlier turns.
    func difference(
        from other: Memories, except isIgnored: (Int) -> Bool = { _ in false },
        maySkip: (Int) -> Bool = { _ in false },
        mayRepeat: (Int) -> (mayRepeat: Bool, former: RecordedValue?) = { _ in (false, nil) }
    ) -> Int? {
        // Nearly always even the order across keys is the same.
        if steps == other.steps { return nil }
        let (own, others) = (grouped, other.grouped)
        return Set(own.keys).union(others.keys).filter { key in
            if own[key] == others[key] || isIgnored(key) { return false }
            if maySkip(key), Self.isPart(own[key] ?? [], of: others[key] ?? []) { return false }
            let (mayRepeat, former) = mayRepeat(key)
            return !mayRepeat || !Self.isWithoutRepetitions(own[key] ?? [], of: others[key] ?? [], after: former)
        }.min()
    }

    /// Whether values are among others, in their order.
    private static func isPart(_ values: [RecordedValue], of others: [RecordedValue]) -> Bool {
        var rest = others[...]
        return values.allSatisfy { value in
            guard let place = rest.firstIndex(of: value) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }

    /// Whether only values are missing that equal the one before.
    private static func isWithoutRepetitions(
        _ values: [RecordedValue], of others: [RecordedValue], after former: RecordedValue?
    ) -> Bool {
        var rest = values[...]
        var last = former
        for value in others {
            if rest.first == value { rest = rest.dropFirst() } else if last?.isEqual(to: value) != true { return false }
            last = value
        }
        return rest.isEmpty
    }

    private var grouped: [Int: [RecordedValue]] { Dictionary(grouping: steps, by: \.key).mapValues { $0.map(\.value) } }
}
