import CWeir
import WeirTrace

/// How much of each value a recording holds.
public enum TraceValues: Sendable, Equatable {
    /// Nothing but that it was emitted.
    case none
    /// Numbers, Bool and strings of up to 64 bytes as they are; of an enum, errors too, the name of the case; others, and
    /// what a case holds, by a fingerprint where they are `Hashable`; what errors hold is not recorded.
    ///
    /// A fingerprint calls the value's own `hash(into:)`, so it costs what hashing costs: for a large collection, much. A program
    /// that is built without reflection metadata has no names of cases.
    case scalars
    /// As `scalars`; other values by their description, of at most `limit` bytes (at most 4096).
    case described(limit: Int = 200)

    var policy: ValuePolicy {
        switch self {
        case .none: .none
        case .scalars: .scalars
        case .described: .described
        }
    }

    var descriptionLimit: Int {
        if case .described(let limit) = self { return min(max(limit, 0), 4096) }
        return 200
    }
}

/// Most bytes that a trace file may take.
public enum TraceLimit: Sendable, Equatable {
    /// A flight recorder: when the file has this many bytes, the oldest events are overwritten.
    case bytes(Int)
    /// No bound but the disk's.
    case none

    /// A flight recorder of 256 MiB.
    public static let standard = TraceLimit.bytes(256 << 20)

    var bytes: Int? {
        if case .bytes(let count) = self { return count }
        return nil
    }
}

/// Whether a recording holds the reference graph around what is alive, so that leaks can be found in it.
public enum TraceSnapshots: Sendable, Equatable {
    /// No snapshots: who was tracked and released is recorded all the same.
    case none
    /// At every checkpoint and at the end of the recording.
    ///
    /// On Linux a forked child walks the heap: the thread that asks for it waits, mostly some milliseconds, and about a
    /// tenth of a microsecond for each object; at most ten seconds, when the walk is given up.
    case standard
}

/// A clock that stands still but for what the program does to it; it makes recordings reproducible.
///
/// Every reading moves it on by `step`. There is one virtual time in a process: installing a clock resets it.
public struct VirtualClock: Sendable {
    private let start: UInt64
    private let step: UInt64

    /// A clock that shows `start` first; both in nanoseconds.
    public init(start: UInt64 = 0, step: UInt64 = 1000) {
        self.start = start
        self.step = step
    }

    /// Moves the clock on.
    public func advance(nanoseconds: UInt64) { weir_clock_virtual_advance(nanoseconds) }

    func install() { weir_clock_virtual_set(start, step) }
}
