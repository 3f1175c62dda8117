import Weir

/// Writes until the file is large, and measures how even the speed is.
struct SustainedWriting {
    let directory: TemporaryDirectory
    let bytes: Int

    private static let batch = 10_000
    private static let batchesBetweenLooks = 64

    func measure() throws -> Report.Section {
        let emitter = Emitter<Int>()
        let tally = Tally()
        emitter.subscribe { tally.add($0) }
        var sample = Sample()
        // A plain loop, timed in turn with the batches, shows how much of the spread comes from the machine.
        let yardstick = Yardstick()
        var plain = Sample()
        var paired = Sample()
        let name = "writing.weir"
        try Trace.start(writingTo: directory.path(name), limit: .none, snapshots: .none)
        let start = Stopwatch.now
        while try directory.size(name) < bytes {
            for _ in 0..<Self.batchesBetweenLooks {
                let time = Stopwatch.nanoseconds {
                    for value in 0..<Self.batch { emitter.emit(value) }
                }
                let beside = yardstick.nanoseconds()
                sample.add(time / Double(Self.batch))
                plain.add(beside)
                paired.add(time / beside)
            }
        }
        let seconds = Double(Stopwatch.now - start) / 1e9
        let lost = Trace.stop() ?? 0
        let written = Double(try directory.size(name)) / 1_048_576
        try directory.removeFile(name)
        var section = Report.Section(title: "Writing without a stop, batches of \(Self.batch)")
        section.rows = [
            Report.Row(
                name: "\(Figure.number(written.rounded())) MiB",
                figures: [
                    Figure("median", sample.median, "ns"), Figure("p90", sample.quantile(0.9), "ns"),
                    Figure("p99", sample.quantile(0.99), "ns"), Figure("longest", sample.maximum, "ns"),
                    Figure("p90/median", sample.quantile(0.9) / sample.median, ""),
                    Figure("a plain loop's", plain.quantile(0.9) / plain.median, ""),
                    // The goal is for us, not for the machine: it applies to the ratio to the loop's time.
                    Figure("of the ratio", paired.quantile(0.9) / paired.median, "", atMost: 1.5),
                    Figure("lost", Double(lost), "events", atMost: 0),
                    Figure("pace", written / seconds, "MiB/s"),
                ])
        ]
        return section
    }
}
