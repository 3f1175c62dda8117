/// What the thread that delivers for a subject has to deliver when its delivery is over; guarded by the subject's gate.
///
/// Made when a value, an end or a subscriber first finds a delivery in progress. Only the values are of a generic type, in a
/// ring of their own: where several threads emit, an entry costs no lookup of generic metadata.
final class Backlog<Value> {
    private var entries = Queue<BacklogEntry>()
    /// The values of the entries that have one, in their order: `count` of them, from `head` on, around the end.
    private var values: UnsafeMutablePointer<Value>?
    private var capacity = 0
    private var head = 0
    private var count = 0
    /// Entries that are no `rest`: what is emitted after them must not overtake them.
    private var whole = 0
    private var rests = 0
    /// A value that waits in an observable's storage.
    var write: BacklogWrite?
    /// No `rest` reaches a subscriber with this key or a lower one.
    private(set) var lowestRest = UInt64.max

    deinit {
        for index in 0..<count { (values.unsafelyUnwrapped + place(index)).deinitialize(count: 1) }
        values?.deallocate()
    }

    var isEmpty: Bool { entries.isEmpty && write == nil }
    /// Whether an event may be delivered at once to those who have heard what is being delivered.
    var canBeOvertaken: Bool { whole == 0 }

    /// An event, which reaches everybody who had subscribed when it was emitted.
    func append(_ value: Value, lastKey: UInt64) {
        append(value)
        append(.value, lastKey)
    }

    /// An event that has reached the subscribers up to the one with `key`, and now reaches the others.
    func append(_ value: Value, after key: UInt64, lastKey: UInt64) {
        append(value)
        append(.rest(after: key), lastKey)
    }

    func append(_ item: BacklogEntry.Item, _ lastKey: UInt64) {
        entries.append(BacklogEntry(item: item, hop: .queued, lastKey: lastKey))
        if case .rest(let key) = item {
            rests += 1
            lowestRest = min(lowestRest, key)
        } else {
            whole += 1
        }
    }

    /// The next entry; the value of one that has a value must be taken before the next.
    func popFirst() -> BacklogEntry? {
        guard let first = entries.popFirst() else { return nil }
        if case .rest = first.item {
            rests -= 1
            if rests == 0 { lowestRest = .max }
        } else {
            whole -= 1
        }
        return first
    }

    /// The value of the entry that was taken last.
    func takeValue() -> Value {
        let place = values.unsafelyUnwrapped + head
        head = head + 1 == capacity ? 0 : head + 1
        count -= 1
        return place.move()
    }

    private func append(_ value: Value) {
        if count == capacity { grow() }
        (values.unsafelyUnwrapped + place(count)).initialize(to: value)
        count += 1
    }

    private func place(_ index: Int) -> Int { head + index < capacity ? head + index : head + index - capacity }

    private func grow() {
        let larger = UnsafeMutablePointer<Value>.allocate(capacity: max(4, capacity * 2))
        if let values {
            let first = min(count, capacity - head)
            larger.moveInitialize(from: values + head, count: first)
            (larger + first).moveInitialize(from: values, count: count - first)
            values.deallocate()
        }
        (values, capacity, head) = (larger, max(4, capacity * 2), 0)
    }
}

/// What has to be delivered, but for a value.
struct BacklogEntry {
    enum Item {
        case value
        case rest(after: UInt64)
        /// The end of the subject; `tag` as `Subject.end` takes it.
        case end(Ending, tag: UInt64)
        /// A new subscriber, which receives the current value first: a `Newcomer`.
        case join(AnyObject)
    }

    let item: Item
    let hop: Hop
    /// The key of the youngest subscription when it came.
    let lastKey: UInt64
}

/// A value that waits in an observable's storage; a newer one replaces it.
struct BacklogWrite {
    let hop: Hop
    let version: UInt32
    var lastKey: UInt64
}

/// A subscriber that waits for the current value.
final class Newcomer<Value> {
    let sink: Sink<Value>
    let current: () -> Value

    init(_ sink: Sink<Value>, current: @escaping () -> Value) {
        self.sink = sink
        self.current = current
    }
}
