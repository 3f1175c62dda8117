/// Shared sources, and the subscriptions that share the one remaining run of each.
///
/// Each change can be undone, because a turn that cannot be replayed must leave everything as it was.
struct SharedRuns {
    private struct Hub {
        /// The subscription whose recorded run continues for all; nil: the run that answers first will.
        var run: Int?
        /// The members, each with its number in the order of joining.
        var members: [Int: UInt64]
        /// Whether the run would continue after the recorded one ended, or end while a recorded one continued.
        var isBeyondRecord = false
        /// The last value that the run has given.
        var last: RecordedValue?
        /// Whether the run has completed, and its last value is kept; nobody is a member any more.
        var isComplete = false
    }

    private enum Change {
        case made(source: Int)
        case answered(source: Int)
        case removed(source: Int, Hub)
        case joined(source: Int, Int)
        case left(source: Int, Int, number: UInt64)
        case wentBeyond(source: Int)
        case gave(source: Int, former: RecordedValue?)
        case completed(source: Int, Hub)
        case balanced(Int, former: Int?)
    }

    private var hubs: [Int: Hub] = [:]
    private var changes: [Change] = []
    private var joins: UInt64 = 0
    /// For each subscription that joined after the run had given a value, the values that it received from the run, less those
    /// that its own recorded run gave.
    private var balances: [Int: Int] = [:]
    /// The subscriptions with a balance that have ended.
    private var ended: [Int] = []

    /// The subscription whose run of a source continues for all; nil if there is none, or if none has answered.
    func run(of source: Int) -> Int? { hubs[source]?.run }

    /// Notes that the run behind the subscription gives a value; false if that run is not needed.
    mutating func answer(_ subscription: Int, _ source: Int) -> Bool {
        guard let hub = hubs[source] else { return false }
        if hub.run == nil, hub.members[subscription] != nil { choose(subscription, source) }
        return hubs[source]?.run == subscription
    }

    /// Chooses the run that began first, if none has answered.
    private mutating func chooseFirst(_ source: Int) {
        if hubs[source]?.run == nil, let first = members(of: source).first { choose(first, source) }
    }

    private mutating func choose(_ run: Int, _ source: Int) {
        hubs[source]?.run = run
        changes.append(.answered(source: source))
    }

    func isBeyondRecord(_ source: Int) -> Bool { hubs[source]?.isBeyondRecord ?? false }
    func memberCount(of source: Int) -> Int { hubs[source]?.members.count ?? 0 }

    /// The last value that the run of a source has given.
    func lastValue(of source: Int) -> RecordedValue? { hubs[source]?.last }

    /// The subscriptions that share the run of a source, in the order in which they began.
    func members(of source: Int) -> [Int] {
        (hubs[source]?.members ?? [:]).sorted { $0.value < $1.value }.map(\.key)
    }

    /// Adds a subscription; returns false if it starts the run.
    ///
    /// - Parameter continues: Whether the recorded run behind it continues for all. Otherwise the one that answers first does: of two
    ///   requests for the same, either may.
    mutating func join(_ subscription: Int, _ source: Int, continues: Bool) -> Bool {
        joins += 1
        if hubs[source] == nil {
            hubs[source] = Hub(run: continues ? subscription : nil, members: [subscription: joins])
            changes.append(.made(source: source))
            return false
        }
        if hubs[source]?.members[subscription] == nil {
            if hubs[source]?.isComplete == false {
                hubs[source]?.members[subscription] = joins
                changes.append(.joined(source: source, subscription))
            }
            if hubs[source]?.last != nil { setBalance(0, of: subscription) }
        }
        return true
    }

    mutating func leave(_ subscription: Int, _ source: Int) {
        if balances[subscription] != nil { ended.append(subscription) }
        guard let number = hubs[source]?.members[subscription] else { return }
        if memberCount(of: source) == 1 { return remove(source) }
        chooseFirst(source)
        hubs[source]?.members[subscription] = nil
        changes.append(.left(source: source, subscription, number: number))
        if run(of: source) == subscription { goBeyond(source) }
    }

    /// Notes that the run behind the subscription ended by itself; false if that run was not needed.
    ///
    /// - Parameter keeps: Whether later subscribers receive the last value and the completion.
    mutating func finish(_ subscription: Int, _ source: Int, keeps: Bool) -> Bool {
        guard let hub = hubs[source], hub.members[subscription] != nil else { return false }
        chooseFirst(source)
        if run(of: source) == subscription {
            // Its end is the end for all members.
            guard keeps else {
                remove(source)
                return true
            }
            changes.append(.completed(source: source, hub))
            hubs[source]?.members = [:]
            hubs[source]?.isComplete = true
            return true
        }
        goBeyond(source)
        return false
    }

    /// Notes that the run of a source gives a value to all members.
    ///
    /// - Parameter keeps: Whether a later subscriber receives it.
    mutating func give(_ value: RecordedValue, _ source: Int, keeps: Bool) {
        guard let hub = hubs[source], hub.last == nil || keeps else { return }
        changes.append(.gave(source: source, former: hub.last))
        hubs[source]?.last = value
    }

    /// Notes a value that a member receives from the run.
    mutating func receive(_ subscription: Int) {
        if let balance = balances[subscription] { setBalance(balance + 1, of: subscription) }
    }

    /// Whether some member joined after its run had given a value.
    var hasLateMembers: Bool { !balances.isEmpty }

    /// Subtracts the values that a late member's own run gave in the recording; false if it has received fewer from the shared run.
    mutating func settle(_ subscription: Int, recorded: Int) -> Bool {
        guard let balance = balances[subscription] else { return true }
        setBalance(balance - recorded, of: subscription)
        return balance >= recorded
    }

    private mutating func setBalance(_ balance: Int, of subscription: Int) {
        changes.append(.balanced(subscription, former: balances.updateValue(balance, forKey: subscription)))
    }

    /// Keeps the changes made so far.
    mutating func commit() {
        changes.removeAll()
        for subscription in ended { balances[subscription] = nil }
        ended.removeAll()
    }

    /// Undoes the changes since the last commit.
    mutating func takeBack() {
        ended.removeAll()
        while let change = changes.popLast() {
            switch change {
            case .made(let source): hubs[source] = nil
            case .answered(let source): hubs[source]?.run = nil
            case .removed(let source, let hub): hubs[source] = hub
            case .joined(let source, let subscription): hubs[source]?.members[subscription] = nil
            case .left(let source, let subscription, let number): hubs[source]?.members[subscription] = number
            case .wentBeyond(let source): hubs[source]?.isBeyondRecord = false
            case .gave(let source, let former): hubs[source]?.last = former
            case .completed(let source, let hub): hubs[source] = hub
            case .balanced(let subscription, let former): balances[subscription] = former
            }
        }
    }

    private mutating func remove(_ source: Int) {
        if let hub = hubs.removeValue(forKey: source) { changes.append(.removed(source: source, hub)) }
    }

    private mutating func goBeyond(_ source: Int) {
        guard hubs[source]?.isBeyondRecord == false else { return }
        hubs[source]?.isBeyondRecord = true
        changes.append(.wentBeyond(source: source))
    }
}
