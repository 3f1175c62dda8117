#if Recording
import CWeirCore
import WeirRecording

/// An object whose lifetime is recorded: an adopted model, or the owner of a subscription. Not held.
final class TrackedObject: @unchecked Sendable {  // Words are atomic, `label` is guarded by the registry.
    let reference: WeakReference
    private let type: Any.Type
    /// The order in which objects were first tracked: records of several objects follow it.
    let number: UInt64
    /// Guarded by the registry's lock.
    var label: String?
    @exclusivity(unchecked) private var word: UInt64 = 0
    /// The generation in which its release was last recorded; 0: none.
    @exclusivity(unchecked) private var release: UInt64 = 0
    /// The recording that expects its release; 0: none.
    @exclusivity(unchecked) private var expectation: UInt64 = 0

    init(_ object: AnyObject, label: String?, number: UInt64) {
        reference = WeakReference(object)
        self.number = number
        type = Swift.type(of: object)
        self.label = label
    }

    deinit { reference.end() }

    /// Whether its class is `wanted` or a subclass.
    func isOf(_ wanted: AnyClass) -> Bool {
        var current: AnyClass? = type as? AnyClass
        while let known = current {
            if known == wanted { return true }
            current = _getSuperclass(known)
        }
        return false
    }

    var typeID: ObjectIdentifier { ObjectIdentifier(type) }
    var object: AnyObject? { reference.object }
    var isGone: Bool { reference.isGone }

    /// Its code. Reading it may run foreign code and record its release, so `log` may not be ready any more.
    func code(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if UInt32(truncatingIfNeeded: known >> 32) == log.generation { return UInt32(truncatingIfNeeded: known) }
        let code = define(log, again: false)
        // Released before the recording began, or its record may have been overwritten since.
        if code != 0 { recordRelease(log, again: true) }
        return code
    }

    private func define(_ log: ThreadLog, again: Bool) -> UInt32 {
        weir_enter_inside()
        defer { weir_leave_inside() }
        return log.define(objectOfType: type, label: Registry.shared.label(of: self), word: &word, again: again)
    }

    func isKnown(in generation: UInt32) -> Bool {
        UInt32(truncatingIfNeeded: weir_load_acquire_u64(&word) >> 32) == generation
    }

    /// Whether the last recording that knew it ended before the recording `session` began.
    func isOfRecording(before session: UInt32) -> Bool {
        let generation = UInt32(truncatingIfNeeded: weir_load_acquire_u64(&word) >> 32)
        return generation != 0 && generation < session
    }

    /// Its code in the recording; nil: the recording does not know it.
    func code(in session: UInt32) -> UInt32? {
        let known = weir_load_acquire_u64(&word)
        return UInt32(truncatingIfNeeded: known >> 32) >= session ? UInt32(truncatingIfNeeded: known) : nil
    }

    /// Records its name, which it did not have when it was defined.
    private func redefine(_ log: ThreadLog) { _ = define(log, again: true) }

    func recordTracked(_ log: ThreadLog) {
        guard log.isReady(weir_recording()) else { return }
        log.object(.objectTracked, code(log))
    }

    func record(_ news: Registry.News?, _ log: ThreadLog) {
        switch news {
        case .isTracked: recordTracked(log)
        case .hasName: redefine(log)
        case nil: break
        }
    }

    /// Records that it should be released by the next checkpoint.
    func recordExpected(_ log: ThreadLog) {
        guard log.isReady(weir_recording()) else { return }
        log.object(.objectExpected, code(log))
        if isExpected(in: log.session) { return }
        weir_store_u64(&expectation, UInt64(log.session))
        Registry.shared.expectRelease(of: self)
    }

    func isExpected(in session: UInt32) -> Bool { weir_load_u64(&expectation) == UInt64(session) }

    func recordIfReleased(_ log: ThreadLog) { recordRelease(log, again: false) }

    /// Records its release: once in a recording, or with `again` once in a generation.
    private func recordRelease(_ log: ThreadLog, again: Bool) {
        guard isGone, log.isReady(weir_recording()), log.knows(weir_load_u64(&word)) else { return }
        let last = weir_load_u64(&release)
        guard last < UInt64(again ? log.generation : log.session),
            weir_compare_exchange_u64(&release, last, UInt64(log.generation))
        else { return }
        log.object(.objectReleased, code(log))
    }
}
#endif
