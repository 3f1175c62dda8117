import Weir
import WeirAnalysis
import WeirTrace

/// A small program for recording, with the exact findings that the rules must report.
struct Program {
    /// A finding that was planted in the program.
    struct Planted: Hashable, CustomStringConvertible {
        let rule: RedundancyRule
        let node: String
        let count: UInt64
        /// The declared reason if it is intended; nil if it is not.
        let intention: String?

        init(_ rule: RedundancyRule, _ node: String, count: UInt64, meantSo intention: String? = nil) {
            self.rule = rule
            self.node = node
            self.count = count
            self.intention = intention
        }

        var description: String {
            "\(rule.rawValue) \(node) \(count)×" + (intention.map { ", meant so: \($0)" } ?? "")
        }
    }

    /// Facts that a rule needs but the trace lacks, because of how the program was recorded.
    struct Unjudged: Hashable, CustomStringConvertible {
        let rule: RedundancyRule
        let node: String
        let reason: UnjudgedTally.Reason
        let count: UInt64

        init(_ rule: RedundancyRule, _ node: String, _ reason: UnjudgedTally.Reason, count: UInt64) {
            self.rule = rule
            self.node = node
            self.reason = reason
            self.count = count
        }

        var description: String { "\(rule.rawValue) \(node) not judged (\(reason.rawValue)) \(count)×" }
    }

    let name: String
    let values: TraceValues
    /// Whether the recording begins where the program says so, rather than before it.
    let isRecordedLate: Bool
    let finds: [Planted]
    let unjudged: [Unjudged]
    /// The numbers of redundant refreshes and of all refreshes.
    let refreshes: (redundant: UInt64, all: UInt64)
    let body: (Scene) throws -> Void

    init(
        _ name: String, values: TraceValues = .scalars, recordedLate: Bool = false, finds: [Planted],
        unjudged: [Unjudged] = [], redundant: UInt64, of refreshes: UInt64, _ body: @escaping (Scene) throws -> Void
    ) {
        self.name = name
        self.values = values
        isRecordedLate = recordedLate
        self.finds = finds
        self.unjudged = unjudged
        self.refreshes = (redundant, refreshes)
        self.body = body
    }
}
