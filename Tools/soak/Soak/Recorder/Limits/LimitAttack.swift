import Foundation

/// Flight recorders of every size with many threads: no thread stalls, and every event is kept or counted.
final class LimitAttack: RecorderAttack {
    private let place: SoakPlace
    private var emissions = 0
    private var lost = 0
    private var overwritten = 0
    private var longest = Longest()
    /// The longest emissions of rounds with more threads than processors.
    private var longestCrowded = Longest()

    private struct Longest {
        var nanoseconds: UInt64 = 0
        var ofItsOwn: UInt64 = 0
        var slow: UInt64 = 0
        var emissions = 0

        mutating func take(_ notice: Notice) {
            switch notice.kind {
            case .longest: nanoseconds = max(nanoseconds, notice.number)
            case .longestOfItsOwn: ofItsOwn = max(ofItsOwn, notice.number)
            case .slow: slow += notice.number
            default: break
            }
        }

        var words: String {
            "longest emission \(nanoseconds / 1000) µs, \(slow) of \(emissions) took over 100 ms"
        }
    }

    init(_ place: SoakPlace) { self.place = place }

    var figures: String {
        "\(emissions) emissions, \(lost) events lost, \(overwritten) overwritten, all counted; with a processor for each thread: "
            + "\(longest.words); with more threads: \(longestCrowded.words)"
    }

    func problems(seed: UInt64) throws -> [String] {
        let test = LimitCase(seed: seed)
        let path = place.path("limited.weir")
        let child = try place.child(.limits, seed: seed, path: path)
        var parser = Notice.Parser()
        var heard = Longest()
        var kinds: Set<Notice.Kind> = []
        let ending = child.end(by: SoakClock.now + 120) { bytes in
            parser.take(bytes) {
                heard.take($0)
                kinds.insert($0.kind)
            }
        }
        defer { unlink(path) }
        guard ending.way == .exit(0), kinds.contains(.stopped) else {
            return ["the program \(ending.words) within 120 s: \(child.errors)"]
        }
        heard.emissions = test.threads * test.emissions
        emissions += heard.emissions
        add(heard, test.isCrowded)
        var problems = try judge(test, path)
        if !test.isCrowded, heard.ofItsOwn > 100_000_000 {
            problems.append(
                "an emission took \(heard.nanoseconds / 1_000_000) ms, \(heard.ofItsOwn / 1_000_000) ms without what its threads waited for a processor"
            )
        }
        if !problems.isEmpty { _ = try? FileManager.default.copyItem(atPath: path, toPath: path + ".\(seed)") }
        return problems
    }

    private func add(_ heard: Longest, _ isCrowded: Bool) {
        func add(_ sum: inout Longest) {
            sum.nanoseconds = max(sum.nanoseconds, heard.nanoseconds)
            sum.slow += heard.slow
            sum.emissions += heard.emissions
        }
        if isCrowded { add(&longestCrowded) } else { add(&longest) }
    }

    private func judge(_ test: LimitCase, _ path: String) throws -> [String] {
        let trace = try KeptNumbers(path)
        var emitted = Dictionary(uniqueKeysWithValues: (0..<test.threads).map { ($0, test.emissions) })
        emitted[test.threads] = 10
        var problems = trace.problems(emitted: emitted)
        guard trace.header.isClosed, let counted = trace.counted else {
            return problems + ["the trace is not closed, or its counts are unknown"]
        }
        lost += counted.lost
        overwritten += counted.overwritten
        let texts = test.hasTexts ? test.threads * (test.emissions / 16) : 0
        let made = emitted.values.reduce(0, +) * (test.isHeard ? 3 : 1) + texts
        let all = trace.events + counted.lost + counted.overwritten
        // Threads also record the beginning and end of their nodes and subscriptions, and where they have lost events.
        let most = made + emitted.count * 16 + Int(trace.lossRecords)
        if all < made || all > most {
            problems.append(
                "\(made) events were made, but \(trace.events) kept, \(counted.lost) lost and \(counted.overwritten) overwritten are \(all)"
            )
        }
        let size = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        if size > test.bytes { problems.append("the file takes \(size) bytes, \(test.bytes) are allowed") }
        return problems
    }
}
