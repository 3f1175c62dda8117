import Weir

/// Runs the sides of one workload in alternating batches.
struct Comparison {
    let workload: Workload
    let directory: TemporaryDirectory
    let rounds: Int

    private static let warmUpRounds = 3
    /// Batches at the start of a trace in which names are defined and the file grows to its pace; not timed.
    private static let untimedBatches = 40

    /// Nanoseconds per operation, one measurement a round.
    func measure() throws -> [Side: Sample] {
        var samples: [Side: Sample] = [:]
        let sides = workload.sides.map { side in
            let tally = Tally()
            return (side, tally, workload.make(side, tally))
        }
        for round in 0..<Self.warmUpRounds + rounds {
            for (side, tally, run) in sides {
                let time =
                    try side == .weirTraced ? traced(run) : Stopwatch.nanoseconds { run(workload.batch) }
                let batches = side == .weirTraced ? Self.untimedBatches + 1 : 1
                guard tally.calls == workload.expected(workload.batch) * batches else {
                    throw BenchmarkError(
                        "\(workload.name), \(side.rawValue): \(tally.calls) calls of the handlers")
                }
                tally.calls = 0
                if round >= Self.warmUpRounds {
                    samples[side, default: Sample()].add(time / Double(workload.batch))
                }
            }
        }
        return samples
    }

    private func traced(_ run: (Int) -> Void) throws -> Double {
        try Trace.start(writingTo: directory.path("peers.weir"), values: .scalars, limit: .none, snapshots: .none)
        for _ in 0..<Self.untimedBatches { run(workload.batch) }
        let time = Stopwatch.nanoseconds { run(workload.batch) }
        guard Trace.stop() == 0 else {
            throw BenchmarkError("\(workload.name): events were lost; is the disk full?")
        }
        return time
    }
}
