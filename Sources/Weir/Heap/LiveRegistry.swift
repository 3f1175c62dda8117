import CWeir

/// Where the nodes and subscriptions are that a recording knows and that are alive; it holds none of them.
///
/// Each keeps the number of its entry, and is taken out by its own deinit: 16 bytes for each, one lock operation to enter it and
/// one to take it out. What is in here may be on the way out, its count of references at zero, but its memory is there.
///
/// Invariants (`checkInvariants`): entry 0 is used by nobody; every other one is in use or in the list of free ones, and
/// not in both; `count` is the number of those in use.
final class LiveRegistry: @unchecked Sendable {  // The gate guards what varies.
    static let shared = LiveRegistry()

    /// What an entry is of.
    enum Kind: UInt {
        case node = 0
        /// A subscription that feeds a node.
        case edge = 1
        /// A subscription with a handler.
        case handler = 2
    }

    /// Somebody who can be found.
    struct Entry {
        /// Objects lie at multiples of 16, so the low bits are free for the kind. Of a free entry: the next free one.
        fileprivate var bits: UInt
        /// What the recording calls it.
        var code: UInt32
        /// The recording; 0: the entry is free.
        var session: UInt32

        var address: UInt { bits & ~3 }
        var kind: Kind { Kind(rawValue: bits & 3) ?? .node }
    }

    private let gate = UnsafeMutablePointer<weir_gate>.allocate(capacity: 1)
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var capacity = 64
    /// Entries from here on were never used.
    @exclusivity(unchecked) private var end = 1
    /// The first free one; 0: none.
    @exclusivity(unchecked) private var free = 0
    @exclusivity(unchecked) private(set) var count = 0

    init() {
        gate.initialize(to: weir_gate())
        entries = .allocate(capacity: capacity)
        entries.initialize(to: Entry(bits: 0, code: 0, session: 0))
    }

    deinit {
        entries.deallocate()
        gate.deallocate()
    }

    /// Says that `object`, which is alive, is known as `code`; `place` is where it keeps the number of its entry.
    func enter(_ object: AnyObject, _ kind: Kind, place: UnsafeMutablePointer<UInt32>, code: UInt32, session: UInt32) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let biased = lock()
        defer { unlock(biased) }
        var number = Int(place.pointee)
        if number == 0 {
            guard let new = newEntry() else { return }
            number = new
            // Read by its deinit, after everything else.
            weir_store_u32(place, UInt32(truncatingIfNeeded: number))
            entries[number] = Entry(bits: address | kind.rawValue, code: code, session: session)
            return
        }
        // A later recording has another name for it.
        if entries[number].session <= session {
            entries[number].code = code
            entries[number].session = session
        }
    }

    @inline(__always)
    private func newEntry() -> Int? {
        guard _fastPath(free != 0) else { return neverUsedEntry() }
        let number = free
        free = Int(entries[number].bits)
        count += 1
        return number
    }

    @inline(never)
    private func neverUsedEntry() -> Int? {
        if end == capacity {
            guard end < Int(UInt32.max) / 2 else { return nil }
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: entries, count: end)
            entries.deallocate()
            entries = larger
            capacity *= 2
        }
        end += 1
        count += 1
        return end - 1
    }

    /// What had this entry is going.
    func leave(_ number: UInt32) {
        let biased = lock()
        entries[Int(number)] = Entry(bits: UInt(free), code: 0, session: 0)
        free = Int(number)
        count -= 1
        unlock(biased)
    }

    /// Whether anybody is in the registry whom the recording knows.
    func knowsAny(of session: UInt32) -> Bool {
        let biased = lock()
        defer { unlock(biased) }
        return (1..<max(1, end)).contains { entries[$0].session == session }
    }

    // MARK: All of them

    /// Hands `body` each entry of a recording; in the lock, or where no other thread is.
    func forEach(of session: UInt32, _ body: (Entry) -> Void) {
        for number in 1..<max(1, end) where entries[number].session == session { body(entries[number]) }
    }

    /// Locks out all others until the result is given to `unlock`.
    @inline(__always)
    func lock() -> Bool {
        weir_enter_inside()
        return weir_gate_enter(gate)
    }

    @inline(__always)
    func unlock(_ biased: Bool) {
        weir_gate_leave(gate, biased)
        weir_leave_inside()
    }

    /// Stops the program when an invariant does not hold; for tests.
    func checkInvariants() {
        let biased = lock()
        defer { unlock(biased) }
        var isFree: Set<Int> = []
        var next = free
        while next != 0 {
            precondition(next < end && isFree.insert(next).inserted, "the list of free entries is broken")
            next = Int(entries[next].bits)
        }
        for number in 1..<max(1, end) {
            precondition((entries[number].session == 0) == isFree.contains(number), "an entry is in use and free")
        }
        precondition(count == end - 1 - isFree.count, "entries are miscounted")
    }
}
