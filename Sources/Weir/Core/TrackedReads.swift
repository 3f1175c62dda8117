import CWeirCore
import Observation
import WeirRecording

/// Whether reads on this thread are tracked by `withObservationTracking`, as they are in the body of a SwiftUI view.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum TrackedReads {
    /// Cost: one call.
    static var areOn: Bool {
        #if Recording
        if let list { return list() != nil }
        #endif
        return areOnByProbe
    }

    #if Recording
    /// The Observation module's own list of reads on a thread. It is not public: nil if the symbols are missing.
    private static let list: AccessList.Getter? = AccessList.getter
    #endif

    // MARK: By public API

    /// A tracked read is added to a set of key paths, so it hashes the contents of the key path.
    static var areOnByProbe: Bool {
        weir_set_tracks_reads(false)
        probe.registrar.access(probe, keyPath: hashed)
        return weir_tracks_reads()
    }

    private static let probe = Probe()
    private static let hashed = \Probe[Mark()]

    private final class Probe: Observation.Observable, Sendable {
        let registrar = ObservationRegistrar()
        subscript(_: Mark) -> Void { () }
    }

    private struct Mark: Hashable, Sendable {
        func hash(into _: inout Hasher) { weir_set_tracks_reads(true) }
    }
}

/// The object that represents an observable's value in the Observation module.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class TrackedValue: Observation.Observable, @unchecked Sendable {  // `reads` is atomic.
    private let registrar = ObservationRegistrar()
    @exclusivity(unchecked) private var reads: UInt64 = 0

    private var value: Void { () }

    /// Called before the value is read: a change that this read misses is then announced to it.
    func noteRead() {
        registrar.access(self, keyPath: \.value)
        _ = weir_add_u64(&reads, 1)
    }

    #if Recording
    /// Whether the access is a read of an observable's value.
    static func isRead(by access: AccessList.Access) -> Bool { type(of: access.keyPath).rootType == TrackedValue.self }
    #endif

    /// Runs `change`, which stores another value, between the two announcements.
    func announce<Result>(_ change: () throws -> Result) rethrows -> Result {
        let before = weir_load_u64(&reads)
        registrar.willSet(self, keyPath: \.value)
        defer {
            registrar.didSet(self, keyPath: \.value)
            // A reader between the first announcement and the change would otherwise miss the change.
            if weir_load_u64(&reads) != before { registrar.willSet(self, keyPath: \.value) }
        }
        return try change()
    }
}

extension ReadOnlyObservable {
    /// Registers a read of the value with `withObservationTracking`, if tracking is active on this thread.
    @usableFromInline @inline(never)
    final func noteRead() {
        guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *), TrackedReads.areOn else { return }
        #if Recording
        ObservedThread.current.noteRead(of: self)
        #endif
        let new = weir_load_pointer(&tracked) == nil ? Unmanaged.passRetained(TrackedValue()).toOpaque() : nil
        let held = HeldGate(&gate)
        let isNew = tracked == nil
        if isNew { (tracked, isSpecial) = (new, true) }
        held.leave(&gate)
        if !isNew, let new { Unmanaged<TrackedValue>.fromOpaque(new).release() }
        trackedValue?.noteRead()
    }

    /// Runs `change`, which stores another value, and announces it to tracked readers of the value.
    @usableFromInline
    final func announce<Result>(_ change: () throws -> Result) rethrows -> Result {
        guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *), let trackedValue else { return try change() }
        #if Recording
        // The body shows the value from before the write, and nothing runs it again.
        let body = weir_recording() == 0 ? nil : ObservedThread.current.bodyThatHasRead(self)
        defer { body?.recordSuppressed(.unsettled) }
        #endif
        return try trackedValue.announce(change)
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    private final var trackedValue: TrackedValue? {
        weir_load_pointer(&tracked).map { Unmanaged<TrackedValue>.fromOpaque($0).takeUnretainedValue() }
    }
}
