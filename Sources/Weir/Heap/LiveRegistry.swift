#if Recording
import CWeirCore
import WeirRecording

/// The registry of live nodes and subscriptions that a recording knows; it holds none of them.
///
/// Each object keeps the number of its entry, and its own deinit removes the entry. This costs 16 bytes per object, and one lock
/// operation each to enter and to remove it. An object in the registry may be in deinitialization, with a reference count of
/// zero, but its memory still exists.
///
/// Invariants (`checkInvariants`): entry 0 is unused; every other entry is either in use or in the list of free entries.
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

        /// Registers the live `object` under `code`; `place` is the location in which the object keeps the number of its entry.
        @inline(never)
        static func add(
            _ object: AnyObject, _ kind: Kind, place: UnsafeMutablePointer<UInt32>, code: UInt32, session: UInt32
        ) {
            known._withUnsafeGuaranteedRef { $0.enter(object, kind, place: place, code: code, session: session) }
        }

        /// Removes the entry of an object that is being released.
        @inline(never)
        static func remove(_ number: UInt32) { known._withUnsafeGuaranteedRef { $0.leave(number) } }
    }

    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var capacity: UInt32 = 64
    /// Entries from this index on were never used.
    @exclusivity(unchecked) private var end: UInt32 = 1
    /// The first free entry; 0: none.
    @exclusivity(unchecked) private var free: UInt32 = 0

    init() {
        entries = .allocate(capacity: Int(capacity))
        entries.initialize(to: Entry(bits: 0, code: 0, session: 0))
    }

    deinit { entries.deallocate() }

    @inline(__always)
    func enter(_ object: AnyObject, _ kind: Kind, place: UnsafeMutablePointer<UInt32>, code: UInt32, session: UInt32) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let held = lock()
        let known = place.pointee
        let number = known != 0 ? known : newEntry()
        let entry = entries + Int(number)
        if known == 0, number != 0 {
            // Its deinit reads this after everything else.
            weir_store_u32(place, number)
            entry.pointee = Entry(bits: address | kind.rawValue, code: code, session: session)
        } else if number != 0, entry.pointee.session <= session {
            // A later recording has a different code for it.
            entry.pointee.code = code
            entry.pointee.session = session
        }
        unlock(held)
    }

    /// A free entry; 0: there is none.
    @inline(__always)
    private func newEntry() -> UInt32 {
        guard _fastPath(free != 0) else { return neverUsedEntry() }
        let number = free
        free = UInt32(truncatingIfNeeded: entries[Int(number)].bits)
        return number
    }

    @inline(never)
    private func neverUsedEntry() -> UInt32 {
        if end == capacity {
            guard end < UInt32.max / 2 else { return 0 }
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: Int(capacity) * 2)
            larger.moveInitialize(from: entries, count: Int(end))
            entries.deallocate()
            entries = larger
            capacity *= 2
        }
        end += 1
        return end - 1
    }

    @inline(__always)
    func leave(_ number: UInt32) {
        let held = lock()
        entries[Int(number)] = Entry(bits: UInt(free), code: 0, session: 0)
        free = number
        unlock(held)
    }

    /// The number of entries in use; for tests.
    var count: Int {
        let held = lock()
        let count = used.count { entries[$0].session != 0 }
        unlock(held)
        return count
    }

    /// The entries that were ever used.
    private var used: Range<Int> { 1..<Int(end) }

    /// Whether the registry contains an object of the recording.
    func knowsAny(of session: UInt32) -> Bool {
        let held = lock()
        let isKnown = used.contains { entries[$0].session == session }
        unlock(held)
        return isKnown
    }

    // MARK: All of them

    /// Passes each entry of a recording to `body`; called inside the lock, or if no other thread is running.
    func forEach(of session: UInt32, _ body: (Entry) -> Void) {
        for number in used where entries[number].session == session { body(entries[number]) }
    }

    /// Excludes all other threads until the result is passed to `unlock`.
    @inline(__always)
    func lock() -> HeldGate {
        weir_enter_inside()
        return HeldGate(&gate)
    }

    @inline(__always)
    func unlock(_ held: consuming HeldGate) {
        held.leave(&gate)
        weir_leave_inside()
    }

    /// Stops the program if an invariant does not hold; for tests.
    func checkInvariants() {
        let held = lock()
        var isFree: Set<Int> = []
        var next = Int(free)
        while next != 0 {
            precondition(next < end && isFree.insert(next).inserted, "the list of free entries is broken")
            next = Int(entries[next].bits)
        }
        for number in used {
            precondition((entries[number].session == 0) == isFree.contains(number), "an entry is in use and free")
        }
        unlock(held)
    }
}
#endif
