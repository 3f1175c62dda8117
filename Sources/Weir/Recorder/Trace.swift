import CWeirCore
import WeirRecording

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
/// Or without any code: `WEIR_TRACE=login-%p.weir` in the environment (%p: the process id) records from the first use of Weir to
/// the exit of the process. All functions may be called from any thread. They do nothing while nothing is recorded.
public enum Trace {
    /// Starts recording to a new file at `path`; replaces an older trace there, and refuses any other file.
    ///
    /// The file has mode 0600; symbolic links are not followed. Values emitted before this call are not in the trace, but nodes
    /// made before are still named.
    ///
    /// - Parameters:
    ///   - values: how much of each value is recorded.
    ///   - limit: the maximum size of the file in bytes; when it is full, the oldest events are overwritten.
    ///   - clock: with a virtual clock, a single-threaded program writes the same bytes on every run.
    ///   - snapshots: whether the reference graph is recorded at checkpoints and at the end.
    ///   - modules: the modules whose nodes are recorded; empty: all. See <doc:Recording#Chosen-modules>.
    ///   - labels: what tells this recording from others, such as `["build": "412", "device": "iPhone15,2"]`. They have room for
    ///     800 bytes, and `weir info` and `weir facts` show them.
    ///   - signposts: whether Instruments shows turns and refreshes, with names and without values. On Apple platforms only. See
    ///     <doc:Recording#Instruments>.
    ///   - writeSites: whether each write is recorded with the line and function that made it, so that `weir why` names them. A
    ///     write then costs about a microsecond more. See <doc:Recording#Lines-that-write>.
    /// - Throws: `TraceWriterError`, also if a recording is already running.
    public static func start(
        writingTo path: String, values: TraceValues = .scalars, limit: TraceLimit = .standard,
        clock: VirtualClock? = nil, snapshots: TraceSnapshots = .standard, modules: [String] = [],
        labels: [String: String] = [:], signposts: Bool = false, writeSites: Bool = false
    ) throws {
        #if Recording
        Bootstrap.run()
        let choice = ModuleChoice(modules)
        if choice == nil, !modules.isEmpty { throw TraceWriterError.invalidModules(modules) }
        if let fault = TraceLabels.fault(of: labels) { throw TraceWriterError.invalidLabels(fault) }
        try begin(
            path: path, values: values, limit: limit, clock: clock, snapshots: snapshots, modules: choice,
            labels: labels, signposts: signposts ? SystemSignposts.sink() : nil, writeSites: writeSites)
        #endif
    }

    /// Stops recording and closes the file. Returns the number of lost events; nil: nothing was being recorded.
    ///
    /// Takes a snapshot, if snapshots are on; while it waits for that, other threads record nothing more. If another thread is
    /// stopping the recording, waits for it. Also called at the exit of the process. The file of a killed process is also
    /// readable; its last snapshot is that of the last checkpoint.
    @discardableResult
    public static func stop() -> UInt64? {
        #if Recording
        if TraceWriter.active?.isIntact == true { settleObserved(depth: 0, isAllOver: true) }
        return end()
        #else
        return nil
        #endif
    }

    /// Whether a recording is running.
    public static var isRecording: Bool {
        #if Recording
        Bootstrap.run()
        return weir_recording() != 0
        #else
        return false
        #endif
    }

    /// The file of the current recording. It represents a byte of `WEIR_TRACE` that is not UTF-8 by a scalar from U+10FE80 on.
    public static var path: String? {
        #if Recording
        Bootstrap.run()
        return TraceWriter.active?.configuration.path
        #else
        return nil
        #endif
    }

    /// The number of events of the current recording that were not recorded because the disk is full.
    public static var lostEvents: UInt64 {
        #if Recording
        return TraceWriter.active?.lostEvents ?? 0
        #else
        return 0
        #endif
    }

    /// Names the cause of the effects of `body`: a tap, a keystroke, a message from the server.
    @discardableResult
    public static func stimulus<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        #if Recording
        let stimulus = beginStimulus(name)
        do {
            let result = try body()
            endStimulus(stimulus)
            return result
        } catch {
            endStimulus(stimulus)
            throw error
        }
        #else
        return try body()
        #endif
    }

    /// Records that the user now sees the values set so far.
    public static func frame() {
        #if Recording
        Bootstrap.run()
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        AdoptedModels.shared.lookAgainIfDue()
        Registry.shared.sweep(log)
        log.frame()
        #endif
    }
}

#if Recording
extension Trace {
    static func begin(
        path: String, values: TraceValues = .scalars, limit: TraceLimit = .standard, clock: VirtualClock? = nil,
        snapshots: TraceSnapshots = .standard, modules: ModuleChoice? = nil, labels: [String: String] = [:],
        signposts: (any SignpostSink)? = nil, writeSites: Bool = false
    ) throws(TraceWriterError) {
        clock?.install()
        if writeSites { WriteSites.prepare() }
        try TraceWriter.start(
            TraceWriter.Configuration(
                path: path, policy: values.policy, descriptionLimit: values.descriptionLimit, byteLimit: limit.bytes,
                isVirtualClock: clock != nil, takesSnapshots: snapshots != .none,
                modules: modules, labels: labels, signposts: signposts, hasWriteSites: writeSites))
        _ = stopAtExit
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
            ModelRecords.shared.wake()
            DormantProperties.shared.wake()
        }
        LeftOutModels.shared.recordingBegins()
    }

    private static func end() -> UInt64? {
        TraceWriter.active?.isIntact == true ? endWithSnapshot() : TraceWriter.stop()
    }

    /// Records writes to observed models on this thread, at this depth of frames or deeper.
    private static func settleObserved(depth: UInt32, isAllOver: Bool = false) {
        guard weir_recording() != 0 else { return }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
            ObservedThread.current.settle(depth: depth, isAllOver: isAllOver)
        }
    }

    private static func beginStimulus(_ name: String) -> RecordedFrame {
        Bootstrap.run()
        let log = ThreadLog()
        return weir_recording() != 0 && log.isReady(weir_recording()) ? log.stimulusBegan(name) : .none
    }

    private static func endStimulus(_ stimulus: consuming RecordedFrame) {
        let log = ThreadLog()
        if stimulus.accepts(log) {
            settleObserved(depth: log.depth)
            Registry.shared.sweep(log)
            AdoptedModels.shared.lookAgainIfDue()
        }
        stimulus.close()
    }

    /// Records a stimulus whose effects come later, in tasks; nil: nothing is being recorded. The interval lasts until its body ends.
    static func openStimulus(_ name: String) -> (place: ThreadLog.Place, turn: SignpostInterval?)? {
        let stimulus = beginStimulus(name)
        guard stimulus.isOpen else { return nil }
        let log = ThreadLog()
        let place = log.openPlace
        let turn = log.depth == 1 ? log.takeTurn() : nil
        UntracedTask.stimulusAwaits(in: stimulus.session)
        stimulus.close()
        guard let place else {
            turn?.end()
            return nil
        }
        return (place, turn)
    }

    /// Records the writes to observed models on this thread, and what else is due after a stimulus.
    static func stimulusIsOver() {
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        settleObserved(depth: log.depth)
        Registry.shared.sweep(log)
        AdoptedModels.shared.lookAgainIfDue()
    }

    private static let stopAtExit: Void = { atexit { _ = Trace.end() } }()
}
#endif
