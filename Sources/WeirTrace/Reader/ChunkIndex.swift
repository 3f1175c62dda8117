/// The contents of all chunks of a file, in 24 bytes per chunk of events.
///
/// Invariants (`checkInvariants`): event chunks are ordered by thread, then serial; definition chunks by serial.
struct ChunkIndex {
    struct Entry {
        var serial: UInt64
        var baseTicks: UInt64
        var thread: UInt32
        var index: UInt32
    }

    private(set) var events: [Entry] = []
    private(set) var definitions: [Entry] = []
    /// The first chunk that must be examined again, because it was unused or damaged before.
    private(set) var firstUnsettled = 0

    mutating func add(_ header: ChunkHeader) {
        let entry = Entry(
            serial: header.serial, baseTicks: header.baseTicks, thread: header.thread,
            index: UInt32(truncatingIfNeeded: header.index))
        switch header.content {
        case .events: events.append(entry)
        case .definitions: definitions.append(entry)
        }
    }

    /// Sorts the entries; removes and returns those whose thread and serial repeat those of another entry.
    mutating func sort() -> [Entry] {
        events.sort { ($0.thread, $0.serial, $0.index) < ($1.thread, $1.serial, $1.index) }
        definitions.sort { ($0.serial, $0.index) < ($1.serial, $1.index) }
        var repeated: [Entry] = []
        for place in events.indices.dropFirst().reversed()
        where events[place].thread == events[place - 1].thread
            && events[place].serial == events[place - 1].serial
        {
            repeated.append(events[place])
        }
        guard !repeated.isEmpty else { return [] }
        let superfluous = Set(repeated.map(\.index))
        events.removeAll { superfluous.contains($0.index) }
        return repeated
    }

    /// Forgets the chunks from `firstUnsettled` on, which are about to be examined again.
    mutating func forgetUnsettled() {
        let first = firstUnsettled
        events.removeAll { $0.index >= first }
        definitions.removeAll { $0.index >= first }
    }

    /// Sets where the next scan begins; a flight recorder needs 0, because it may overwrite any chunk.
    mutating func settle(upTo index: Int) { firstUnsettled = index }

    /// The number of different serials.
    var serialCount: Int {
        events.count + zip(definitions, definitions.dropFirst()).count { $0.serial != $1.serial }
            + min(definitions.count, 1)
    }

    /// The serial of the chunk taken into use last; 0: there is no chunk.
    var highestSerial: UInt64 { max(definitions.last?.serial ?? 0, events.lazy.map(\.serial).max() ?? 0) }

    /// The threads with events, in order.
    var threads: [UInt32] {
        var threads: [UInt32] = []
        var place = 0
        while place < events.count {
            threads.append(events[place].thread)
            place = firstPlace { $0.thread > events[place].thread }
        }
        return threads
    }

    /// The numbers of the event chunks, in file order.
    var eventPlaces: [Int] { events.map { Int($0.index) }.sorted() }

    /// The thread's chunk of events with the lowest serial that is at least `serial`.
    func chunk(of thread: UInt32, from serial: UInt64) -> Entry? {
        let place = firstPlace { ($0.thread, $0.serial) >= (thread, serial) }
        guard place < events.count, events[place].thread == thread else { return nil }
        return events[place]
    }

    private func firstPlace(where isBehind: (Entry) -> Bool) -> Int {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(events[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func checkInvariants() {
        for (left, right) in zip(events, events.dropFirst()) {
            precondition((left.thread, left.serial) < (right.thread, right.serial), "events are out of order")
        }
        for (left, right) in zip(definitions, definitions.dropFirst()) {
            precondition(left.serial <= right.serial, "definitions are out of order")
        }
    }
}
