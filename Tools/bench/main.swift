import Foundation
import WeirCrafted
import WeirSoak

let usage = """
    Measures what Weir itself costs.

    weir-bench [record] [wrapping] [write] [crossings] [heap] [crafted] [read [FILE…]]
               [--json] [--check] [--quick] [--directory DIR]
      record         time, bytes and allocations of an emission, recording off and on
      wrapping       what a wrapper adds to the bare model, recording off and on
      write          how evenly a large trace is written; --bytes N (2 GiB)
      crossings      crossings of lines in pictures of graphs against Graphviz dot
      heap           walking the heap and proving what leaks; --objects N (1000000)
      crafted        what weir takes for hostile traces in three sizes; --records N of the smallest (50000)
      read           counting events per node, and what weir answers, against sha256sum, in the files or in three
                     that it makes, the last by four threads; --events N (50000000)
      --json         print JSON instead of tables
      --check        exit with status 1, naming each goal that is missed
      --quick        small and brief
      --directory    where traces are written, and removed again; it should be on a real disk
    weir-bench make-trace FILE [--events N] [--threads N]
                     makes a large trace with the real recorder
    weir-bench craft NAME FILE [--records N]
                     makes a hostile trace
    weir-bench fleet-sim DIR [--traces N] [--apps N] [--seed S]
                     makes small traces (2000) of several apps (4) with planted regressions and leaks, and truth.json
    weir-bench count FILE          counts once, and says how much memory that took
    weir-bench single NAME --operations N [--off | --write-sites]
                     records, or not, and does nothing else, for an instruction counter
    weir-bench soak [--free | --scheduled] [--seed S] [--schedules N] [--minutes N] [--all]
                     runs random programs of several threads and checks the delivery contract
      --free         threads run at the same time (the default); build it with --sanitize=thread
      --scheduled    threads run one at a time, as the seed says; build it with -Xcc -DWEIR_YIELD
      --coarse       the same, but threads change between actions only
      --seed         of the first program (1); each further one has the next
      --schedules    how many programs (without a limit: 1000)
      --minutes      for how long
      --traced       records everything meanwhile
      --all          goes on after a failure, and counts the rules that were broken
      --as-is        prints the first failure as it is; else it is shrunk for up to 30 s
    weir-bench soak --repeated [--seed S] [--schedules N] [--runs N]
                     records random programs under a virtual clock, each in several processes (30), and compares the files
    weir-bench soak --recorder [PART…] [--seed S] [--quick | --rounds N | --minutes N] [--all] [--directory DIR]
                     attacks the recorder with random cases, each in a process of its own; all parts, or some:
      kills          a recording program is killed: everything that it had acknowledged is in its trace, or counted
      mutations      weir reads damaged traces: no crash, at most 5 s of a processor and 500 MB
      limits         flight recorders of all sizes, up to 64 threads: nobody stalls, all losses are counted
      forks          a program forks while its threads use Weir: no child hangs, none writes to its parent's trace
      space          the size of files is limited: the program's output is whole, and losses are counted
      --seed         of the first round (1); each further one has the next
      --quick        a hundredth of a full run
      --rounds       how many rounds of each part
      --minutes      for how long in all
    """

func measure(_ words: [String], _ arguments: Arguments) throws -> Report {
    var names = words[...]
    var wanted: Set<String> = []
    let known = ["record", "wrapping", "write", "crossings", "heap", "crafted", "read"]
    while let name = names.first, known.contains(name), wanted.insert(name).inserted {
        names.removeFirst()
    }
    guard names.isEmpty || wanted.contains("read") else {
        throw BenchmarkError("unknown benchmark '\(names[names.startIndex])'; try --help", isUsage: true)
    }
    if wanted.isEmpty { wanted = ["record", "wrapping", "write", "read"] }
    let isQuick = arguments.has("quick")
    let bytes = try arguments.count("bytes") ?? (isQuick ? 64 << 20 : 2 << 30)
    let events = try arguments.count("events") ?? (isQuick ? 2_000_000 : 50_000_000)
    let objects = try arguments.count("objects") ?? (isQuick ? 100_000 : 1_000_000)
    return try inTemporaryDirectory(arguments) { directory in
        var report = Report()
        if wanted.contains("record") {
            report.sections.append(try Recording(directory: directory, isQuick: isQuick).measure())
        }
        if wanted.contains("wrapping") {
            report.sections.append(try Wrapping(directory: directory, isQuick: isQuick).measure())
        }
        if wanted.contains("wrapping"), #available(macOS 14, *) {
            report.sections.append(try WrappingObservable(directory: directory, isQuick: isQuick).measure())
        }
        if wanted.contains("write") {
            report.sections.append(try SustainedWriting(directory: directory, bytes: bytes).measure())
        }
        if wanted.contains("crossings") {
            report.sections.append(try Crossings(directory: directory, isQuick: isQuick).measure())
        }
        if wanted.contains("heap") {
            report.sections.append(try HeapWalking(objects: objects, isQuick: isQuick).measure())
        }
        if wanted.contains("crafted") {
            let records = try arguments.count("records") ?? (isQuick ? 5000 : 50_000)
            report.sections += try CraftedReading(directory: directory, records: records).measure()
        }
        if wanted.contains("read") {
            var paths = Array(names)
            if paths.isEmpty {
                paths = ["small.weir", "large.weir", "threads.weir"].map(directory.path)
                try TraceMaker.make(paths[0], events: events / 10, threads: 1)
                try TraceMaker.make(paths[1], events: events, threads: 1)
                try TraceMaker.make(paths[2], events: events, threads: 4)
            }
            report.sections.append(try Reading(isQuick: isQuick, paths: paths).measure())
            report.sections.append(try Answering(isQuick: isQuick, paths: paths).measure())
        }
        return report
    }
}

func inTemporaryDirectory<Value>(
    _ arguments: Arguments, _ body: (TemporaryDirectory) throws -> Value
) throws -> Value {
    let directory = try TemporaryDirectory(in: arguments.value("directory"))
    let result = Result { try body(directory) }
    try directory.remove()
    return try result.get()
}

func run() throws -> Int32 {
    let arguments = try Arguments(
        Array(CommandLine.arguments.dropFirst()),
        valued: [
            "bytes", "events", "objects", "threads", "operations", "directory", "seed", "schedules", "minutes", "runs",
            "record", "records", "rounds", "traces", "apps",
        ],
        flags: [
            "json", "check", "quick", "off", "help", "free", "scheduled", "coarse", "all", "as-is", "traced",
            "write-sites", "repeated", "recorder",
        ])
    let words = arguments.words
    if arguments.has("help") {
        print(usage)
    } else if words.count == 2, words[0] == "make-trace" {
        try TraceMaker.make(
            words[1], events: try arguments.count("events") ?? 50_000_000,
            threads: try arguments.count("threads") ?? 1)
    } else if words.count == 3, words[0] == "craft" {
        guard let trace = CraftedTrace.all.first(where: { $0.name == words[1] }) else {
            let names = CraftedTrace.all.map { "'\($0.name)'" }.joined(separator: ", ")
            throw BenchmarkError("unknown trace '\(words[1])'; there are \(names)", isUsage: true)
        }
        let bytes = trace.bytes(records: try arguments.count("records") ?? 50_000)
        try Data(bytes).write(to: URL(fileURLWithPath: words[2]))
    } else if words.count == 2, words[0] == "fleet-sim" {
        try FleetSimulation(
            folder: words[1], traces: try arguments.count("traces") ?? 2000, apps: try arguments.count("apps") ?? 4,
            seed: UInt64(try arguments.count("seed") ?? 1)
        ).make()
    } else if words.count == 2, words[0] == "count" {
        try Reading.single(words[1])
    } else if words.count == 2, words[0] == "single", let operations = try arguments.count("operations") {
        try inTemporaryDirectory(arguments) {
            try Recording.single(
                words[1], operations: operations, isOff: arguments.has("off"), writeSites: arguments.has("write-sites"),
                in: $0)
        }
    } else if words.first == "soak-child" {
        RecorderSoak.runChild(Array(words.dropFirst()))
    } else if words.first == "soak", arguments.has("recorder") {
        return try RecorderSoaking(arguments).run()
    } else if words == ["soak"] {
        let minutes = try arguments.number("minutes")
        let schedules = try arguments.count("schedules")
        let seed = UInt64(try arguments.count("seed") ?? 1)
        if let path = arguments.value("record") {
            try Repeating.record(seed: seed, to: path)
            return 0
        }
        if arguments.has("repeated") {
            return try inTemporaryDirectory(arguments) {
                try Repeating(
                    seed: seed, programs: schedules ?? 200, runs: try arguments.count("runs") ?? 30, directory: $0
                ).run()
            }
        }
        return try inTemporaryDirectory(arguments) { directory in
            try Soaking(
                seed: seed, isScheduled: arguments.has("scheduled") || arguments.has("coarse"),
                isCoarse: arguments.has("coarse"), schedules: minutes == nil ? schedules ?? 1000 : schedules,
                minutes: minutes, countsAll: arguments.has("all"), isShrinking: !arguments.has("as-is"),
                trace: arguments.has("traced") ? directory.path("soak.weir") : nil
            ).run()
        }
    } else {
        return try measure(words, arguments).finish(
            json: arguments.has("json"), check: arguments.has("check"))
    }
    return 0
}

do {
    exit(try run())
} catch {
    Console.error("weir-bench: \(error)")
    exit((error as? BenchmarkError)?.isUsage == true ? 2 : 1)
}
