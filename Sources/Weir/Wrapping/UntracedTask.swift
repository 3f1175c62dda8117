#if Recording
import CWeirCore
import WeirRecording

/// A task without a cause in a recording whose stimuli await: a detached task, or one that began before the stimulus.
///
/// Its emissions begin turns of an unknown cause, and a trace names them so. In a recording without such stimuli, and for callbacks
/// that have names of their own, a task without a cause is nothing special.
enum UntracedTask {
    @exclusivity(unchecked) nonisolated(unsafe) private static var session: UInt64 = 0

    /// Notes that a stimulus of this recording carries its cause through tasks.
    static func stimulusAwaits(in session: UInt32) { weir_store_u64(&self.session, UInt64(session)) }

    /// Whether the code that runs here may be such a task: asked before the log of this thread is made ready, which counts a loss
    /// if there is no room.
    static var mayBeHere: Bool {
        weir_load_u64(&session) != 0 && TaskCause.current == nil && withUnsafeCurrentTask { $0 != nil }
    }

    /// Whether the code that runs here is such a task; `log`: of this thread, ready for the recording. Until then it has the
    /// session of an earlier recording.
    static func isHere(_ log: ThreadLog) -> Bool { weir_load_u64(&session) == UInt64(log.session) && mayBeHere }

    /// Begins the turn.
    static func begin(_ log: ThreadLog) -> RecordedFrame { log.stimulusBegan(TraceFormat.untracedTask) }
}
#endif
