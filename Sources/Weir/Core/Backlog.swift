/// What the thread that delivers for a subject has to deliver when its delivery is over; guarded by the subject's gate.
///
/// Made when a value, an end or a subscriber first finds a delivery in progress.
final class Backlog<Value> {
    enum Item {
        /// An event, which reaches everybody who had subscribed when it was emitted.
        case value(Value)
        /// An event that has reached the subscribers up to the one with that key, and now reaches the others.
        case rest(Value, after: UInt64)
        /// The end of the subject; `tag` as `Subject.end` takes it.
        case end(Ending, tag: UInt64)
        /// A new subscriber, which receives the current value first.
        case join(Sink<Value>, current: () -> Value)
    }

    struct Entry {
        let item: Item
        let hop: Hop
        /// The key of the youngest subscription when it came.
        let lastKey: UInt64
    }

    /// A value that waits in an observable's storage; a newer one replaces it.
    struct Write {
        let hop: Hop
        let version: UInt32
        var lastKey: UInt64
    }

    private var items = Queue<Entry>()
    /// Entries that are no `rest`: what is emitted after them must not overtake them.
    private var whole = 0
    var write: Write?

    var isEmpty: Bool { items.isEmpty && write == nil }
    /// Whether an event may be delivered at once to those who have heard what is being delivered.
    var canBeOvertaken: Bool { whole == 0 }

    /// No `rest` reaches a subscriber with this key or a lower one.
    private(set) var lowestRest = UInt64.max
    private var rests = 0

    func append(_ entry: Entry) {
        items.append(entry)
        if case .rest(_, let key) = entry.item {
            rests += 1
            lowestRest = min(lowestRest, key)
        } else {
            whole += 1
        }
    }

    func popFirst() -> Entry? {
        guard let first = items.popFirst() else { return nil }
        if case .rest = first.item {
            rests -= 1
            if rests == 0 { lowestRest = .max }
        } else {
            whole -= 1
        }
        return first
    }
}
