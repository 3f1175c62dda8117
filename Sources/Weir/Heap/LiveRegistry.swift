#if Recording
import CWeirCore
import WeirRecording

/// The registry of live nodes and subscriptions that a recording knows; it holds none of them.
///
/// Each object keeps the number of its entry, and its own deinit removes the entry. This costs 16 bytes per object, and one lock
/// operation each to enter and to remove it. An object in the registry may be in deinitialization, with a reference count of
/// zero, but its memory still exists.
///
/// Invariants (`checkInvariants`): entry 0 is unused; every other entry is either in use or in the list of free entries; `count`
/// is the number of entries in use.
final class LiveRegistry: @unchecked Sendable {  // The gate guards the mutable state.
    static var shared: LiveRegistry { known.takeUnretainedValue() }

    /// The shared registry; not a lazy constant, because each use of one calls the runtime.
    @inline(__always)
    private static var known: Unmanaged<LiveRegistry> {
        if let made = weir_load_acquire_pointer(&made) { return .fromOpaque(made) }
        return make()
    }

    @exclusivity(unchecked) nonisolated(unsafe) private static var made: UnsafeMutableRawPointer?

    @inline(never)
    private static func make() -> Unmanaged<LiveRegistry> {
        let new = Unmanaged.passRetained(LiveRegistry())
        if weir_compare_exchange_pointer(&made, nil, new.toOpaque()) { return new }
        new.release()
        return known
    }

    /// The kind of object that an entry represents.
    enum Kind: UInt {
        case node = 0
        /// A subscription that feeds a node.
        case edge = 1
        /// A subscription with a handler.
        case handler = 2
    }

    /// The entry of one live object.
    struct Entry {
        /// Objects lie at multiples of 16, so the low bits are free for the kind. In a free entry: the next free entry.
        fileprivate var bits: UInt
        /// The code of the object in the recording.
        var code: UInt32
        /// The recording; 0: the entry is free.
        var session: UInt32

        var address: UInt { bits & ~3 }
        var kind: Kind { Kind(rawValue: bits & 3) ?? .node }

        /// Removes the entry of an object that is being released from the shared registry.
        @inline(never)
        static func remove(_ number: UInt32) { known._withUnsafeGuaranteedRef { $0.leave(number) } }
    }

    private let gate = UnsafeMutablePointer<weir_gate>.allocate(capacity: 1)
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var capacity = 64
    /// Entries from this index on were never used.
    @exclusivity(unchecked) private var end = 1
    /// The first free entry; 0: none.
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

    /// Registers a live object in the shared registry.
    @inline(__always)
    static func enter(
        _ object: AnyObject, _ kind: Kind, place: UnsafeMutablePointer<UInt32>, code: UInt32, session: UInt32
    ) {
        known._withUnsafeGuaranteedRef { $0.enter(object, kind, place: place, code: code, session: session) }
    }

    /// Registers the live `object` under `code`; `place` is the location in which the object keeps the number of its entry.
    @inline(never)
    func enter(_ object: AnyObject, _ kind: Kind, place: UnsafeMutablePointer<UInt32>, code: UInt32, session: UInt32) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let held = lock()
        var number = Int(place.pointee)
        if number != 0 {
            // A later recording has a different code for it.
            if entries[number].session <= session {
                entries[number].code = code
                entries[number].session = session
            }
        } else if let new = newEntry() {
            number = new
            // Its deinit reads this after everything else.
            weir_store_u32(place, UInt32(truncatingIfNeeded: number))
            entries[number] = Entry(bits: address | kind.rawValue, code: code, session: session)
        }
        unlock(held)
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

    /// Removes the entry of an object that is being released.
    func leave(_ number: UInt32) {
        let held = lock()
        entries[Int(number)] = Entry(bits: UInt(free), code: 0, session: 0)
        free = Int(number)
        count -= 1
        unlock(held)
    }

    /// Whether the registry contains an object of the recording.
    func knowsAny(of session: UInt32) -> Bool {
        let held = lock()
        let isKnown = (1..<max(1, end)).contains { entries[$0].session == session }
        unlock(held)
        return isKnown
    }

    // MARK: All of them

    /// Passes each entry of a recording to `body`; called inside the lock, or if no other thread is running.
    func forEach(of session: UInt32, _ body: (Entry) -> Void) {
        for number in 1..<max(1, end) where entries[number].session == session { body(entries[number]) }
    }

    /// Excludes all other threads until the result is passed to `unlock`.
    @inline(__always)
    func lock() -> HeldGate {
        weir_enter_inside()
        return HeldGate(gate)
    }

    @inline(__always)
    func unlock(_ held: consuming HeldGate) {
        held.leave(gate)
        weir_leave_inside()
    }

    /// Stops the program if an invariant does not hold; for tests.
    func checkInvariants() {
        let held = lock()
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
        unlock(held)
    }
}
#endif
