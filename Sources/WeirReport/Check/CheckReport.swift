import WeirAnalysis
import WeirTrace

/// The result of `weir check`: what many traces have, judged by a policy and a baseline.
public struct CheckReport {
    /// How a check ends.
    public enum Outcome: String, Sendable {
        /// Nothing fails it.
        case passed
        /// There are new findings of a failing level.
        case failed
        /// A trace could not be read, and there is no such finding.
        case unreadable
        /// A trace is incomplete, or a heap walk was aborted, and there is neither of both.
        case incomplete
    }

    /// A fault of a trace.
    struct Fault {
        let trace: Int
        let fault: TraceFault
        let level: Policy.Level
        let sentences: [String]
    }

    let verdict: CheckVerdict<FindingStory>
    /// The paths of the traces, as they were given or found.
    let traces: [String]
    let bytes: UInt64
    let judged: Int
    let omitted: UInt64
    let faults: [Fault]
    let hasBaseline: Bool
    let sources: SourceTree

    /// A report on a verdict about the findings of `table`.
    public init(
        _ verdict: CheckVerdict<FindingStory>, _ table: CheckTable<FindingStory>, traces: [String], bytes: UInt64,
        hasBaseline: Bool, sources: SourceTree
    ) {
        self.verdict = verdict
        self.traces = traces
        self.bytes = bytes
        self.hasBaseline = hasBaseline
        self.sources = sources
        judged = table.judged
        omitted = table.omitted
        faults = table.faults.sorted { $0.key < $1.key }.flatMap { trace, faults in
            TraceFault.allCases.compactMap { fault in
                let level = verdict.policy.level(of: fault)
                guard let sentences = faults[fault], level != .off else { return nil }
                return Fault(trace: trace, fault: fault, level: level, sentences: sentences)
            }
        }
    }

    /// How the check ends.
    public var outcome: Outcome {
        if !verdict.failures.isEmpty || omitted > 0 { return .failed }
        let failing = faults.filter { $0.level >= verdict.policy.failOn }
        if failing.contains(where: { $0.fault == .unreadable }) { return .unreadable }
        return failing.isEmpty ? .passed : .incomplete
    }

    /// The place at which a finding is shown; nil: no line of it is known.
    func place(of item: CheckVerdict<FindingStory>.Item) -> SitePlace? { sources.place(of: item.entry) }

    /// The findings with a status.
    func items(_ isWanted: (CheckVerdict<FindingStory>.Status) -> Bool) -> [CheckVerdict<FindingStory>.Item] {
        verdict.items.filter { isWanted($0.status) }
    }

    /// The traces that have a finding: "login.weir", "login.weir and 2 more traces".
    func traces(of item: CheckVerdict<FindingStory>.Item) -> String {
        guard item.entry.finding.rule != CheckRule(.budget(.redundantPercent)),
            traces.indices.contains(item.entry.trace)
        else { return "all traces" }
        let others = item.entry.traces - 1
        let first = TerminalText.escaped(traces[item.entry.trace])
        return others > 0 ? "\(first) and \(Figures.count(others, "more trace"))" : first
    }

    /// Text of a story, with paths in the repository instead of `#fileID`s.
    func located(_ text: String, of item: CheckVerdict<FindingStory>.Item) -> String {
        sources.located(text, of: item.entry)
    }
}

extension Policy {
    /// The level of a fault of a trace.
    fileprivate func level(of fault: TraceFault) -> Level {
        rules[fault.rawValue] ?? (fault == .unreadable ? .error : .warning)
    }
}
