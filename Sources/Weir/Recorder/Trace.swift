import CWeir
import WeirTrace

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Records what flows through the observables of this process into a trace file.
///
/// ```swift
/// try Trace.start(writingTo: "login.weir")
/// Trace.adopt(viewModel)
/// Trace.stimulus("tap Login") { view.loginTouched.emit() }
/// Trace.stop()
/// ```
/// Or with no code at all: `WEIR_TRACE=login-%p.weir` in the environment (%p: the process id) records from the first use of
/// anything of Weir to the exit of the process. All functions may be called from any thread. Where nothing is being recorded they
/// do nothing.
public enum Trace {
    /// Starts recording to a new file at `path`; an older trace there is replaced, any other file is refused.
    ///
    /// The file has mode 0600, symbolic links are not followed. What flows before this call is not in the trace, but
    /// nodes made before are named all the same.
    ///
    /// - Parameters:
    ///   - values: how much of each value is recorded.
    ///   - limit: most bytes of the file; when it is full, the oldest events are overwritten.
    ///   - clock: a virtual clock makes the trace of a single-threaded program the same bytes on every run.
    ///   - snapshots: whether the reference graph is recorded at checkpoints and at the end.
    /// - Throws: `TraceWriterError`, also when a recording is under way.
    public static func start(
        writingTo path: String, values: TraceValues = .scalars, limit: TraceLimit = .standard,
        clock: VirtualClock? = nil, snapshots: TraceSnapshots = .standard
    ) throws {
        Bootstrap.run()
        try begin(path: path, values: values, limit: limit, clock: clock, snapshots: snapshots)
    }

    static func begin(
        path: String, values: TraceValues, limit: TraceLimit, clock: VirtualClock?, snapshots: TraceSnapshots
    ) throws(TraceWriterError) {
        clock?.install()
        try TraceWriter.start(
            TraceWriter.Configuration(
                path: path, policy: values.policy, descriptionLimit: values.descriptionLimit, byteLimit: limit.bytes,
                isVirtualClock: clock != nil, takesSnapshots: snapshots != .none))
        _ = stopAtExit
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { DormantProperties.shared.wake() }
        LeftOutModels.shared.recordingBegins()
    }

    /// Stops recording and closes the file. Returns how many events were lost; nil: nothing was being recorded.
    ///
    /// Takes a snapshot first, if the recording takes any. Called at the exit of the process too. A killed process leaves a
    /// file that is just as readable; the last checkpoint's snapshot is its last one.
    @discardableResult
    public static func stop() -> UInt64? {
        if TraceWriter.active?.isIntact == true { settleObserved(depth: 0, isAllOver: true) }
        return end()
    }

    private static func end() -> UInt64? {
        if TraceWriter.active?.isIntact == true { endWithSnapshot() }
        return TraceWriter.stop()
    }

    /// Records writes to observed models that were made on this thread, at this depth of frames or deeper.
    private static func settleObserved(depth: UInt32, isAllOver: Bool = false) {
        guard weir_recording() != 0 else { return }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
            ObservedThread.current.settle(depth: depth, isAllOver: isAllOver)
        }
    }

    /// Whether a recording is under way.
    public static var isRecording: Bool {
        Bootstrap.run()
        return weir_recording() != 0
    }

    /// The file of the recording under way. It represents a byte of `WEIR_TRACE` that is not UTF-8 by a scalar from U+10FE80 on.
    public static var path: String? {
        Bootstrap.run()
        return TraceWriter.active?.configuration.path
    }

    /// Events of the recording under way that could be recorded nowhere, because the disk is full.
    public static var lostEvents: UInt64 { TraceWriter.active?.lostEvents ?? 0 }

    /// Names what `body` causes: a tap, a keystroke, a message from the server.
    @discardableResult
    public static func stimulus<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        guard let session = beginStimulus(name) else { return try body() }
        defer { endStimulus(session) }
        return try body()
    }

    private static func beginStimulus(_ name: String) -> UInt32? {
        Bootstrap.run()
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()), log.stimulusBegan(name) else { return nil }
        return log.session
    }

    private static func endStimulus(_ session: UInt32) {
        let log = ThreadLog()
        // Another recording may have begun in the meantime: its frames are not ours to close.
        let canEnd = log.isReady(weir_recording())
        guard log.session == session else { return }
        if canEnd {
            settleObserved(depth: log.depth)
            Registry.shared.sweep(log)
            AdoptedModels.shared.lookAgainIfDue()
        }
        log.stimulusEnded(session)
    }

    /// Says that what has been set so far is shown to the user now.
    public static func frame() {
        Bootstrap.run()
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        AdoptedModels.shared.lookAgainIfDue()
        Registry.shared.sweep(log)
        log.frame()
    }

    private static let stopAtExit: Void = { atexit { _ = Trace.end() } }()
}
