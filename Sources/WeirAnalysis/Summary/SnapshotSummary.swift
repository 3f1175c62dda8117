/// The snapshots of a recording, and how long they paused the program.
package struct SnapshotSummary: Sendable, Equatable {
    /// Snapshots that were taken.
    package internal(set) var taken: UInt64 = 0
    /// Snapshots that are missing from the trace: the program ended before they were written, or they are damaged.
    package internal(set) var lost: UInt64 = 0
    /// Checkpoints with a known pause of their thread.
    package internal(set) var pauses: UInt64 = 0
    /// The total of these pauses in nanoseconds, and the longest.
    package internal(set) var pauseNanoseconds: UInt64 = 0, longestPauseNanoseconds: UInt64 = 0
    /// How long the end of the recording waited for its snapshot and all earlier ones, in nanoseconds; 0 if unknown.
    package internal(set) var endNanoseconds: UInt64 = 0

    mutating func count(pause: UInt64, isAtCheckpoint: Bool, isWhole: Bool) {
        taken &+= 1
        if !isWhole { lost &+= 1 }
        if pause == 0 { return }
        guard isAtCheckpoint else { return endNanoseconds = pause }
        pauses &+= 1
        let (total, overflow) = pauseNanoseconds.addingReportingOverflow(pause)
        pauseNanoseconds = overflow ? .max : total
        longestPauseNanoseconds = max(longestPauseNanoseconds, pause)
    }
}
