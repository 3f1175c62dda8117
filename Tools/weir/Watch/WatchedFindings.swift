import Dispatch
import WeirReport
import WeirTrace

/// Judges a growing trace in the background, so rarely that it takes a fiftieth of a processor at most.
final class WatchedFindings: @unchecked Sendable {
    private static let share: UInt64 = 50
    private static let leastPause: UInt64 = 2_000_000_000

    private let path: String
    private let queue = DispatchQueue(label: "weir.watch.findings", qos: .utility)
    private let lock = DispatchSemaphore(value: 1)
    // Guarded by `lock`.
    private var sentences: [String] = []
    private var judgedAt: UInt64?
    private var judgedSize: UInt64?
    private var isJudging = false
    private var nextAt: UInt64 = 0
    private var isFinal = false

    init(_ path: String) { self.path = path }

    private func locked<Result>(_ body: () -> Result) -> Result {
        lock.wait()
        defer { lock.signal() }
        return body()
    }

    /// The findings, the worst first, and their age; an age of nil: there are none yet.
    func latest(_ now: UInt64) -> (sentences: [String], age: UInt64?) {
        locked { (sentences, judgedAt.map { now &- $0 }) }
    }

    /// Begins to judge if it is time; once the recording is over, a last time.
    func judge(_ now: UInt64, isOver: Bool) {
        let begins = locked {
            guard !isJudging, !isFinal, isOver || now >= nextAt else { return false }
            isJudging = true
            isFinal = isOver
            return true
        }
        if begins { queue.async { self.judgeNow() } }
    }

    func judgeNow() {
        let began = System.nanoseconds()
        var found: [String]?
        do {
            let check = try TraceCheck(TraceReader(path: path))
            let places = check.findings.found.indices.filter { check.findings.found[$0].intention == nil }
            let worst = places.sorted {
                check.findings.found[$0].severity == check.findings.found[$1].severity
                    ? $0 < $1 : check.findings.found[$0].severity > check.findings.found[$1].severity
            }
            let stories = check.stories(of: Array(worst.prefix(20)))
            found = worst.prefix(20).compactMap { place in
                stories[place].map { "\(check.findings.found[place].rule.name): \($0.sentence)" }
            }
        } catch {}
        let ended = System.nanoseconds()
        locked {
            if let found { (sentences, judgedAt) = (found, ended) }
            isJudging = false
            nextAt = ended &+ max(Self.leastPause, (ended &- began) &* Self.share)
        }
    }
}
