import CWeirCore
import WeirRecording

/// How much of each value a recording holds.
public enum TraceValues: Sendable, Equatable {
    /// Only the fact that it was emitted.
    case none
    /// Numbers, Bool and strings in full; of a string of more than 64 bytes, the first 64. Enums, including errors, by the name of
    /// the case. Other values, and payloads of cases, by a fingerprint if they are `Hashable`; payloads of errors are not recorded.
    ///
    /// A structure is recorded by its fields: numbers, Bool and cases of enums in full, also those of structures of the same module
    /// inside it; strings, dates and UUIDs by a fingerprint, which shows that they changed (of a string of more than 256 bytes, it
    /// covers the length, the beginning and the end). At most six fields are recorded; a string, date or UUID counts as three, an
    /// optional structure as one more. Other fields, and structures of the system, are left out. The elements of a tuple are recorded
    /// like fields; a fingerprint covers the tuple if all elements are `Hashable`, no errors and not `TraceValueConvertible`.
    ///
    /// A fingerprint calls the value's own `hash(into:)`, so it costs a hash: much for a large collection. A program that is
    /// built without reflection metadata has no names of cases.
    case scalars
    /// As `scalars`, but other values by their description, of at most `limit` bytes (at most 4096).
    ///
    /// A value describes itself, as for `print`: its own code runs, and a structure whose `unowned` reference has outlived its object
    /// ends the program, as `print` would.
    case described(limit: Int = 200)

    #if Recording
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
    #endif
}

/// The maximum size of a trace file.
public enum TraceLimit: Sendable, Equatable {
    /// A flight recorder: when the file has this many bytes, the oldest events are overwritten.
    case bytes(Int)
    /// Limited only by the disk.
    case none

    /// A flight recorder of 256 MiB.
    public static let standard = TraceLimit.bytes(256 << 20)

    var bytes: Int? {
        if case .bytes(let count) = self { return count }
        return nil
    }
}

/// Whether a recording holds the reference graph around live objects, so that leaks can be found in it.
public enum TraceSnapshots: Sendable, Equatable {
    /// No snapshots; the lifetimes of tracked objects are still recorded.
    case none
    /// At every checkpoint and at the end of the recording.
    ///
    /// On Linux a forked child walks the heap: the thread that requests the snapshot waits, usually some milliseconds, and about
    /// a tenth of a microsecond for each object. A walk is aborted after ten seconds.
    case standard
}

/// A clock that only the program advances; it makes recordings reproducible.
///
/// Every reading advances it by `step`. A process has one virtual time: installing a clock resets it.
public struct VirtualClock: Sendable {
    private let start: UInt64
    private let step: UInt64

    /// A clock that first shows `start`; both in nanoseconds.
    public init(start: UInt64 = 0, step: UInt64 = 1000) {
        self.start = start
        self.step = step
    }

    /// Advances the clock.
    public func advance(nanoseconds: UInt64) {
        #if Recording
        weir_clock_virtual_advance(nanoseconds)
        #endif
    }

    /// Virtual time has passed for a scheduler: a recording with the system's clock shows it too.
    package static func hasPassed(nanoseconds: UInt64) {
        #if Recording
        if weir_recording() != 0 { weir_clock_pass(nanoseconds) }
        #endif
    }

    #if Recording
    func install() { weir_clock_virtual_set(start, step) }
    #endif
}
