import WeirReport
import WeirTrace

/// A round: a damaged sample, and a question to `weir` about it.
struct MutatedTrace {
    let sample: SampleTrace
    let mutations: [Mutation]
    let bytes: [UInt8]
    /// The command's arguments; `TRACE` represents the path.
    let arguments: [String]

    init(seed: UInt64, of samples: [SampleTrace]) {
        var random = SeededRandom(seed: seed)
        sample = random.element(of: samples)
        let other = random.element(of: samples)
        let count = random.happens(60) ? 1 : 2 + random.below(3)
        var all = (0..<count).map { _ in random.element(of: Mutation.allCases) }
        // Without their checksum, changed records are read as valid.
        if random.happens(50), !all.contains(.unsealChunks) { all.insert(.unsealChunks, at: 0) }
        var bytes = sample.bytes
        for mutation in all { mutation.apply(to: &bytes, other: other.bytes, &random) }
        mutations = all
        self.bytes = bytes
        arguments = Self.question(of: sample, &random)
    }

    /// A random command of `weir`.
    private static func question(of sample: SampleTrace, _ random: inout SeededRandom) -> [String] {
        func moment() -> String {
            random.element(of: sample.stimuli + ["1ms", "0ns", "end", "1:\(1 + random.below(200))", "1", "3"])
        }
        let node = random.element(of: sample.nodes)
        var words: [String]
        switch random.below(18) {
        case 0: words = ["info", "TRACE"]
        case 1: words = ["events", "TRACE"]
        case 2: words = ["events", "TRACE", "--node", node]
        case 3: words = ["events", "TRACE", "--stimulus", random.element(of: sample.stimuli)]
        case 4: words = ["why", "TRACE", node]
        case 5: words = ["why", "TRACE", node, "--at", moment()]
        case 6: words = ["why-not", "TRACE", node]
        case 7: words = ["why-not", "TRACE", node, "--after", random.element(of: sample.stimuli)]
        case 8: words = ["replay", "TRACE"]
        case 9: words = ["replay", "TRACE", "--at", moment()] + (random.happens(50) ? ["--all"] : [])
        case 10: words = ["replay", "TRACE", "--break", "\(node) \(random.element(of: ["== 1", "> 3", "!= true"]))"]
        case 11: words = ["redundant", "TRACE"]
        case 12: words = ["redundant", "TRACE", "--what-if"]
        case 13: words = ["leaks", "TRACE"]
        case 14: words = ["graph", "TRACE"] + (random.happens(50) ? ["--all"] : [])
        case 15: words = ["graph", "TRACE", "--node", node, "--depth", "\(1 + random.below(4))"]
        case 16: words = ["graph", "TRACE", "--at", moment()]
        default: words = ["export", "TRACE"]
        }
        if words[0] == "graph" {
            words += ["--format", random.element(of: GraphFormat.allCases).rawValue]
        } else if words[0] == "export" {
            // Tables for spreadsheets need a folder.
            words += ["--format", random.element(of: TraceExport.Format.allCases.filter { $0 != .csv }).rawValue]
        } else if random.happens(35) {
            words += ["--format", "json"]
        }
        if random.happens(15), ["info", "redundant", "leaks", "graph", "export"].contains(words[0]) {
            words.append("--strict")
        }
        return words
    }
}
