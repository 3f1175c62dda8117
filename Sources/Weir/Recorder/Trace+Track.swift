import CWeirCore
import WeirRecording

extension Trace {
    /// Records the lifetime of `object`, which is not held; its first name stays.
    ///
    /// Snapshots show its holders. The object need not be a model of observables: track a view, a cache, a request. Any thread
    /// may track; objects tracked while nothing was recorded are known to later recordings. Its end is detected like that of an
    /// adopted object: at the latest at the next frame, checkpoint or end of a stimulus. Cost: one lock and, the first time, a
    /// weak reference.
    ///
    /// - Parameter name: the name in reports, instead of its type.
    public static func track(_ object: AnyObject, as name: String? = nil) {
        #if Recording
        Bootstrap.run()
        let (tracked, news) = Registry.shared.track(object, label: name)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        tracked.record(news, log)
        #endif
    }

    /// States that `object` should be released by the next checkpoint, or by the end of the recording if none follows.
    ///
    /// ```swift
    /// func close(_ screen: Screen) {
    ///     Trace.expectReleased(screen)
    ///     navigation.pop()
    ///     Trace.checkpoint("screen closed")
    /// }
    /// ```
    /// If it is not, `weir leaks` reports it, with the path that holds it. This also tracks the object; like `track`, it does not
    /// hold it. Any thread may call it. While nothing is recorded, only ``onLeak(after:_:)`` hears of it.
    public static func expectReleased(_ object: AnyObject) {
        #if Recording
        Bootstrap.run()
        let tracked = Registry.shared.tracked(object)
        if weir_recording() != 0 { tracked.recordExpected(ThreadLog()) }
        ReleaseWatch.shared.expect(tracked)
        #endif
    }
}
