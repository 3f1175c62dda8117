import WeirTrace

/// Counts the live objects of each line of the program, and finds counts that rise from checkpoint to checkpoint.
struct LineCounts {
    /// The most names of checkpoints to watch: a hostile trace may have any number.
    static let mostNames = 1000
    /// The most counts to keep for all names together.
    static let mostCounts = 4_000_000

    private struct Watch {
        var rounds = 0
        var first: [Int32] = []
        /// Lines whose count rose from each round to the next, with the last count; unused before the second round.
        var rising: [(line: Int32, count: Int32)] = []
    }

    private(set) var lines: [LineGrowth.Line] = []
    private var placeOfLine: [LineGrowth.Line: Int32] = [:]
    private var alive: [Int32] = []
    private var watches: [String: Watch] = [:]
    private(set) var unwatchedNames = 0
    private var watchedCounts = 0

    /// The index of a line, for `count`.
    mutating func place(of line: LineGrowth.Line) -> Int32 {
        if let place = placeOfLine[line] { return place }
        let place = Int32(lines.count)
        placeOfLine[line] = place
        lines.append(line)
        alive.append(0)
        return place
    }

    /// Adds to the number of live objects of a line; -1 represents no line.
    mutating func count(_ line: Int32, _ change: Int32) {
        if line >= 0 { alive[Int(line)] &+= change }
    }

    /// Takes the counts at a checkpoint.
    mutating func take(checkpoint name: String) {
        if watches[name] == nil {
            guard watches.count < Self.mostNames, watchedCounts + alive.count <= Self.mostCounts else {
                unwatchedNames += 1
                return
            }
            watchedCounts += alive.count
        }
        var watch = watches.removeValue(forKey: name) ?? Watch()
        watch.rounds += 1
        switch watch.rounds {
        case 1: watch.first = alive
        case 2:
            watch.rising = alive.indices.compactMap { line in
                // A line without count in the first round may be new.
                let first = line < watch.first.count ? watch.first[line] : 0
                return alive[line] > first ? (Int32(line), alive[line]) : nil
            }
        default:
            watch.rising = watch.rising.compactMap { line, count in
                alive[Int(line)] > count ? (line, alive[Int(line)]) : nil
            }
        }
        watches[name] = watch
    }

    /// The lines whose counts rose from each checkpoint of a name to the next, with at least three checkpoints.
    var growths: [LineGrowth] {
        watches.sorted { $0.key < $1.key }.filter { $0.value.rounds >= 3 }.flatMap { name, watch in
            watch.rising.map { line, count in
                let first = Int(line) < watch.first.count ? watch.first[Int(line)] : 0
                return LineGrowth(
                    checkpoint: name, rounds: watch.rounds, line: lines[Int(line)], first: Int(first), last: Int(count))
            }
        }
    }
}
