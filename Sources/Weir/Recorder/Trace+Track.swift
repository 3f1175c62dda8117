import CWeir
import WeirTrace

extension Trace {
    /// Records the lifetime of `object`, which is not held; the first name that it is given stays.
    ///
    /// Snapshots tell what holds it. Also of what is not a model of observables: a view, a cache, a request. Any thread may
    /// track; what was tracked while nothing was recorded is known to later recordings. Its end is noticed as that of an
    /// adopted object: at the latest at the next frame, checkpoint or end of a stimulus. Cost: one lock and, the first
    /// time, a weak reference.
    ///
    /// - Parameter name: what reports call it, instead of its type.
    public static func track(_ object: AnyObject, as name: String? = nil) {
        Bootstrap.run()
        let (tracked, news) = Registry.shared.track(object, label: name)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        tracked.record(news, log)
    }

    /// Says that `object` should be gone by the next checkpoint, or by the end of the recording if none follows.
    ///
    /// ```swift
    /// func close(_ screen: Screen) {
    ///     Trace.expectReleased(screen)
    ///     navigation.pop()
    ///     Trace.checkpoint("screen closed")
    /// }
    /// ```
    /// `weir leaks` tells it if it is not, with the way that holds it. Tracks the object too, and holds it no more than
    /// `track` does. Any thread may call it; while nothing is recorded, nothing is expected.
    public static func expectReleased(_ object: AnyObject) {
        Bootstrap.run()
        let tracked = Registry.shared.tracked(object)
        if weir_recording() != 0 { tracked.recordExpected(ThreadLog()) }
    }
}
