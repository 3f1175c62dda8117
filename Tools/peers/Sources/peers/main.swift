import Foundation

let usage = """
    Compares the cost of Weir with that of OpenCombine, which records nothing.

    peers [contended] [--json] [--check] [--quick] [--cross-module] [--only WORKLOAD] [--directory DIR]
      contended      several threads on one subject and on one diamond, and nothing else
      --json         print JSON instead of a table
      --check        exit with status 1, naming each goal that is missed
      --quick        few rounds, no instruction counts
      --cross-module also builds all sides with cross-module optimization, and measures that build
      --only         one workload: \(Workload.all.map(\.name).joined(separator: ", "))
      --directory    where traces are written, and removed again; it should be on a real disk
      --side SIDE --operations N
                     with --only: do nothing else, for an instruction counter;
                     sides: \(Side.allCases.map(\.rawValue).joined(separator: ", "))
    """

func compare(_ workloads: [Workload], _ arguments: Arguments) throws -> Report {
    let isQuick = arguments.has("quick")
    let parent = arguments.value("directory")
    var section = Report.Section(title: CrossModule.title)
    for workload in workloads {
        let directory = try TemporaryDirectory(in: parent)
        let comparison = Comparison(
            workload: workload, directory: directory, rounds: isQuick ? 5 : 201)
        let result = Result { try comparison.measure() }
        try directory.remove()
        let samples = try result.get()
        let instructions = isQuick ? [:] : try SingleRun.instructions(of: workload, in: parent)
        section.rows.append(row(workload, samples, instructions))
    }
    var report = Report(sections: [section])
    if arguments.has("cross-module") { report.sections += try CrossModule.measure(arguments) }
    return report
}

/// Several threads at once.
func contended(_ arguments: Arguments) throws -> Report.Section {
    let directory = try TemporaryDirectory(in: arguments.value("directory"))
    let result = Result { try Contention(directory: directory, isQuick: arguments.has("quick")).measure() }
    try directory.remove()
    return try result.get()
}

func row(_ workload: Workload, _ samples: [Side: Sample], _ instructions: [Side: Double]) -> Report.Row {
    let (peer, off, traced) = (
        samples[.openCombine]?.median, samples[.weirOff]?.median, samples[.weirTraced]?.median
    )
    func share(_ time: Double?) -> Double? {
        guard let time, let peer else { return nil }
        return time / peer
    }
    return Report.Row(
        name: workload.name,
        figures: [
            Figure("OpenCombine", peer, "ns"), Figure("off", off, "ns"),
            Figure("traced", traced, "ns", atMost: workload.tracedGoal),
            Figure("off/OC", share(off), "", atMost: workload.goals?.off),
            Figure("traced/OC", share(traced), "", atMost: workload.goals?.traced),
            Figure("OpenCombine instructions", instructions[.openCombine], ""),
            Figure("off instructions", instructions[.weirOff], ""),
            Figure("traced instructions", instructions[.weirTraced], ""),
        ])
}

func run() throws -> Int32 {
    let arguments = try Arguments(
        Array(CommandLine.arguments.dropFirst()), valued: ["only", "side", "operations", "directory"],
        flags: ["json", "check", "quick", "cross-module", "help"])
    guard !arguments.has("help") else {
        print(usage)
        return 0
    }
    if arguments.words == ["contended"] {
        return try Report(sections: [contended(arguments)]).finish(
            json: arguments.has("json"), check: arguments.has("check"))
    }
    let only = arguments.value("only")
    let workloads = Workload.all.filter { only == nil || $0.name == only }
    guard let first = workloads.first, arguments.words.isEmpty else {
        throw BenchmarkError(
            "no such workload: \(only ?? arguments.words.joined(separator: " "))", isUsage: true)
    }
    guard let name = arguments.value("side") else {
        var report = try compare(workloads, arguments)
        if only == nil { report.sections.append(try contended(arguments)) }
        return try report.finish(
            json: arguments.has("json"), check: arguments.has("check"))
    }
    guard let side = Side(rawValue: name), let operations = try arguments.count("operations"), only != nil
    else {
        throw BenchmarkError("--side takes a side, and goes with --only and --operations", isUsage: true)
    }
    let directory = try TemporaryDirectory(in: arguments.value("directory"))
    let result = Result {
        try SingleRun(workload: first, side: side, operations: operations, directory: directory).run()
    }
    try directory.remove()
    try result.get()
    return 0
}

do {
    exit(try run())
} catch {
    Console.error("peers: \(error)")
    exit((error as? BenchmarkError)?.isUsage == true ? 2 : 1)
}
