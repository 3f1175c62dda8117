import Weir
import WeirTrace

/// The cost of an emission: time with recording off and on, bytes in the file, calls of the allocator.
struct Recording {
    let directory: TemporaryDirectory
    let isQuick: Bool

    private var batches: Batches { Batches(directory: directory, size: 20_000, untimed: 20) }
    private var rounds: Int { isQuick ? 5 : 101 }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Recording an emission, medians")
        let valgrind = isQuick ? nil : try Valgrind(in: directory)
        for emission in Emission.all { section.rows.append(try row(emission, valgrind)) }
        return section
    }

    private func row(_ emission: Emission, _ valgrind: Valgrind?) throws -> Report.Row {
        let run = emission.make()
        var (off, on) = (Sample(), Sample())
        for round in 0..<rounds + 2 {
            let (timeOff, timeOn) = (batches.nanoseconds(run), try batches.recordedNanoseconds(run))
            // The first rounds warm up.
            if round >= 2 {
                off.add(timeOff)
                on.add(timeOn)
            }
        }
        let size = try TraceSize(of: batches.trace)
        let operations = (fewer: 50_000, more: 250_000)
        let arguments = ["single", emission.name, "--operations"]
        let allocations = try valgrind?.perOperation(.allocations, operations, arguments)
        return Report.Row(
            name: emission.name,
            figures: [
                Figure("off", off.median, "ns"), Figure("traced", on.median, "ns", atMost: emission.atMost),
                Figure("events", Double(size.events) / Double(batches.recordedCount), "per emission"),
                Figure("size", size.bytesPerEvent, "bytes/event", atMost: emission.mostBytes),
                // An event may not allocate; a new chunk, after some thousands of events, may do so a dozen times.
                Figure("allocations", allocations.map { $0 * 1000 }, "per 1000", atMost: 10),
                Figure(
                    "instructions", try valgrind?.perOperation(.instructions, operations, arguments), "traced"
                ),
            ])
    }

    /// Records the given number of emissions and nothing else, for a run under an instruction counter.
    static func single(
        _ name: String, operations: Int, isOff: Bool, writeSites: Bool, in directory: TemporaryDirectory
    ) throws {
        var makes = Emission.all.map { ($0.name, $0.make) } + WrappedModel.all.map { ($0.name, $0.wrapped) }
        if #available(macOS 14, *) {
            makes += WrappingObservable.uses.map { use in (use.name, { @Sendable in use.ofNewModel() }) }
        }
        guard let make = makes.first(where: { $0.0 == name })?.1 else {
            throw BenchmarkError("no such emission: \(name)", isUsage: true)
        }
        let run = make()
        if isOff { return run(operations) }
        try Trace.start(
            writingTo: directory.path("single.weir"), limit: .none, snapshots: .none, writeSites: writeSites)
        run(operations)
        Trace.stop()
    }
}
