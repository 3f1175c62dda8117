/// Runs the sides of one workload in alternating batches.
struct Comparison {
    let workload: Workload
    let directory: TemporaryDirectory
    let rounds: Int

    private static let warmUpRounds = 3
    private var batches: Batches { Batches(directory: directory, size: workload.batch, untimed: 40) }

    /// Nanoseconds per operation, one measurement a round.
    func measure() throws -> [Side: Sample] {
        var samples: [Side: Sample] = [:]
        let sides = workload.sides.map { side in
            let tally = Tally()
            return (side, tally, workload.make(side, tally))
        }
        for round in 0..<Self.warmUpRounds + rounds {
            for (side, tally, run) in sides {
                let isTraced = side == .weirTraced
                let time = isTraced ? try batches.recordedNanoseconds(run) : batches.nanoseconds(run)
                guard tally.calls == workload.expected(workload.batch) * (isTraced ? batches.untimed + 1 : 1) else {
                    throw BenchmarkError(
                        "\(workload.name), \(side.rawValue): \(tally.calls) calls of the handlers")
                }
                tally.calls = 0
                if round >= Self.warmUpRounds {
                    samples[side, default: Sample()].add(time)
                }
            }
        }
        return samples
    }
}
