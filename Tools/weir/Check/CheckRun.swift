import Dispatch
import WeirAnalysis
import WeirReport
import WeirTrace

/// Judges many traces, on all cores.
///
/// The queue guards everything that changes. Memory grows with the different findings and with one trace for each core.
final class CheckRun: @unchecked Sendable {
    let paths: [String]
    /// The sizes of the files in bytes; 0 for those that cannot be read.
    private let sizes: [UInt64]
    private let bytes: UInt64
    private let isMeasured: Bool
    private let isCompared: Bool
    private let queue = DispatchQueue(label: "weir.check")
    private var table = CheckTable<FindingStory>()
    private var figures: RunFigures
    private var done: UInt64 = 0
    private let report: PassProgress.Report?

    private init(_ paths: [String], isMeasured: Bool, figures: RunFigures?, _ report: PassProgress.Report?) {
        self.paths = paths
        self.isMeasured = isMeasured
        isCompared = figures != nil
        self.figures = figures ?? RunFigures(areRepeated: false)
        self.report = report
        sizes = paths.map { System.size($0) ?? 0 }
        bytes = sizes.reduce(0, &+)
    }

    /// The findings of the traces at these paths; with `isMeasured`, also what budgets need.
    static func table(
        of paths: [String], isMeasured: Bool, _ console: Console
    ) -> (table: CheckTable<FindingStory>, bytes: UInt64) {
        let run = judged(paths, isMeasured: isMeasured, figures: nil, console)
        return (run.queue.sync { run.table }, run.bytes)
    }

    /// The findings of the traces at these paths, and their figures.
    static func comparison(
        of paths: [String], areRepeated: Bool, _ console: Console
    ) -> (table: CheckTable<FindingStory>, figures: RunFigures) {
        let run = judged(paths, isMeasured: false, figures: RunFigures(areRepeated: areRepeated), console)
        return run.queue.sync { (run.table, run.figures) }
    }

    private static func judged(
        _ paths: [String], isMeasured: Bool, figures: RunFigures?, _ console: Console
    ) -> CheckRun {
        console.showingProgress(of: Figures.count(paths.count, "trace")) { report in
            let run = CheckRun(paths, isMeasured: isMeasured, figures: figures, report)
            DispatchQueue.concurrentPerform(iterations: paths.count) { run.judge($0) }
            return run
        }
    }

    private func judge(_ index: Int) {
        do {
            let check = try TraceCheck(
                TraceReader(path: paths[index]), isMeasured: isMeasured, isCompared: isCompared)
            let found = check.findings.found
            let reported = queue.sync { found.indices.filter { table.needsStory(of: found[$0], trace: index) } }
            let stories = check.stories(of: reported)
            queue.sync {
                table.take(check.findings, stories: found.indices.map { stories[$0] }, at: index)
                if let taken = check.figures { figures.take(taken) }
                advance(index)
            }
        } catch {
            queue.sync {
                table.add(.unreadable, [Wording.sentence(for: error)], trace: index)
                advance(index)
            }
        }
    }

    private func advance(_ index: Int) {
        done &+= sizes[index]
        report?(PassProgress(events: done, expectedEvents: bytes))
    }
}
