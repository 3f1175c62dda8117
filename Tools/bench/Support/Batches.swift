import Weir

/// Times events in batches, recorded and not.
struct Batches {
    let directory: TemporaryDirectory
    let size: Int
    /// Batches at the start of a trace that are not timed: names are defined in them, and the file grows to its pace.
    let untimed: Int

    /// The path of the trace.
    var trace: String { directory.path("batches.weir") }
    /// How many events a recording holds.
    var recordedCount: Int { size * (untimed + 1) }

    /// Nanoseconds per event.
    func nanoseconds(_ run: (Int) -> Void) -> Double { Stopwatch.nanoseconds { run(size) } / Double(size) }

    /// Nanoseconds per event while it is recorded.
    func recordedNanoseconds(_ run: (Int) -> Void) throws -> Double {
        try Trace.start(writingTo: trace, limit: .none, snapshots: .none)
        for _ in 0..<untimed { run(size) }
        let time = nanoseconds(run)
        guard Trace.stop() == 0 else { throw BenchmarkError("events were lost; is the disk full?") }
        return time
    }
}
