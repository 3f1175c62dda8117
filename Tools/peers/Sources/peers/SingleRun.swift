import Weir

/// One side of one workload and nothing else, for a run under an instruction counter.
struct SingleRun {
    let workload: Workload
    let side: Side
    let operations: Int
    let directory: TemporaryDirectory

    func run() throws {
        let tally = Tally()
        let body = workload.make(side, tally)
        if side == .weirTraced {
            try Trace.start(writingTo: directory.path("single.weir"), limit: .none, snapshots: .none)
        }
        body(operations)
        Trace.stop()
        guard tally.calls == workload.expected(operations) else {
            throw BenchmarkError("\(workload.name), \(side.rawValue): \(tally.calls) calls of the handlers")
        }
    }

    /// Instructions per operation of each side; nil if they cannot be counted.
    static func instructions(of workload: Workload, in parent: String?) throws -> [Side: Double] {
        let directory = try TemporaryDirectory(in: parent, suffix: "valgrind")
        let result = Result { try instructions(of: workload, directory, parent) }
        try directory.remove()
        return try result.get()
    }

    private static func instructions(
        of workload: Workload, _ directory: TemporaryDirectory, _ parent: String?
    ) throws -> [Side: Double] {
        guard let valgrind = try Valgrind(in: directory) else { return [:] }
        let place = parent.map { ["--directory", $0] } ?? []
        var counts: [Side: Double] = [:]
        for side in workload.sides {
            counts[side] = try valgrind.perOperation(
                .instructions, (fewer: workload.batch, more: workload.batch * 5),
                ["--only", workload.name, "--side", side.rawValue] + place + ["--operations"])
        }
        return counts
    }
}
