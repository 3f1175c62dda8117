/// The values, ends and subscribers that a subject's delivering thread handles after its delivery; guarded by the subject's gate.
///
/// Made when a value, an end or a subscriber first arrives during a delivery. Only the values are of a generic type, in a ring of
/// their own: if several threads emit, an entry costs no lookup of generic metadata.
final class Backlog<Value> {
    private var entries = Queue<BacklogEntry>()
    /// The values of the entries that have one, in order: `count` values from `head`, wrapping around at the end.
    private var values: UnsafeMutablePointer<Value>?
    private var capacity = 0
    private var head = 0
    private var count = 0
    /// Entries other than `rest`: a later emission must not overtake them.
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
    /// Whether an event may be delivered at once to the subscribers that have received the value being delivered.
    var canBeOvertaken: Bool { whole == 0 }

    /// Appends an event that reaches every subscriber that had subscribed when it was emitted.
    func append(_ value: Value, lastKey: UInt64) {
        append(value)
        append(.value, lastKey)
    }

    /// Appends an event that has reached the subscribers up to `key`, and still has to reach the others.
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

    /// The next entry; take its value, if it has one, before the next call.
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

    /// The value of the last entry returned.
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

/// An entry of a backlog, without its value.
struct BacklogEntry {
    enum Item {
        case value
        case rest(after: UInt64)
        /// The end of the subject; `tag` has the same meaning as in `Subject.end`.
        case end(Ending, tag: UInt64)
        /// A new subscriber, which receives the current value first: a `Newcomer`.
        case join(AnyObject)
    }

    let item: Item
    let hop: Hop
    /// The key of the youngest subscription when the entry was added.
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
