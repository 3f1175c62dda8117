import Dispatch
import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir facts`: many traces as tables for a query engine.
enum FactsCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "facts", summary: "Turn many traces into tables for DuckDB or Spark, without values.",
        arguments: ["TRACE"], takesSeveral: true,
        options: [
            .init(name: "output", short: "o", placeholder: "DIR", help: "The folder of the tables."),
            CommandGrammar.strict,
        ],
        details: """
            A TRACE is a file, or a folder with all files in it whose names end with '.weir'. Each trace becomes one file,
            DIR/run=ID.ndjson, with one JSON object on each line: its table, the id of its run (the recording), and the columns.
            The file appears when it is complete. A second call replaces it.

            Tables: \(FactTable.allCases.map(\.rawValue).joined(separator: ", ")).
            'From one trace to a fleet' in the documentation of WeirReport lists their columns. A trace that cannot be read, or
            is incomplete, has a row in 'losses'. Values are not written; names of nodes and stimuli are.

              weir facts traces -o facts
              duckdb -c "select name, sum(redundant) from 'facts/*.ndjson' where \\"table\\" = 'refreshes' group by 1"

            Exit codes: 0 when all traces were read, 3 when one cannot be read, 4 when one is incomplete under --strict, 5 when a
            file cannot be written.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        guard let folder = arguments.value("output"), !folder.isEmpty else {
            throw UsageError.missingArgument("-o DIR", command: "facts")
        }
        let paths = try TraceList(arguments.positional).paths
        do { try System.makeDirectory(folder) } catch {
            throw Failure(code: .outputFailed, sentence: Wording.cannotMakeDirectory(error.path, error.code))
        }
        let run = console.showingProgress(of: Figures.count(paths.count, "trace")) { report in
            let run = FactRun(paths, folder, report)
            run.writeAll()
            return run
        }
        for sentence in run.sentences { console.complain(sentence) }
        if run.hasFailed { return .outputFailed }
        if run.hasUnreadable { return .unreadable }
        return arguments.has("strict") && run.hasIncomplete ? .incomplete : .clean
    }
}

/// Writes the facts of many traces, on all cores.
///
/// The queue guards everything that changes. Memory grows with one trace for each core.
private final class FactRun: @unchecked Sendable {
    private enum Outcome {
        case complete, incomplete
        case unreadable(String)
        case failed(String)
    }

    private let paths: [String]
    private let folder: String
    private let report: PassProgress.Report?
    private let queue = DispatchQueue(label: "weir.facts")
    private let sizes: [UInt64]
    private var outcomes: [Int: Outcome] = [:]
    private var done: UInt64 = 0
    /// The trace of each run.
    private var runs: [String: Int] = [:]
    private var duplicates: [Int] = []

    init(_ paths: [String], _ folder: String, _ report: PassProgress.Report?) {
        self.paths = paths
        self.folder = folder
        self.report = report
        sizes = paths.map { System.size($0) ?? 0 }
    }

    func writeAll() {
        // The largest first: otherwise it would be the last one to end, on one core.
        let order = paths.indices.sorted { (sizes[$0], $1) > (sizes[$1], $0) }
        let all = sizes.reduce(0, &+)
        DispatchQueue.concurrentPerform(iterations: order.count) { place in
            let index = order[place]
            let outcome = write(index)
            queue.sync {
                outcomes[index] = outcome
                done &+= sizes[index]
                report?(PassProgress(events: done, expectedEvents: all))
            }
        }
    }

    private func write(_ index: Int) -> Outcome {
        let path = paths[index]
        let reader: TraceReader
        do { reader = try TraceReader(path: path) } catch { return unreadable(index, Wording.sentence(for: error)) }
        let run = FactExport.run(of: reader.header, path: path)
        queue.sync { if runs.updateValue(index, forKey: run) != nil { duplicates.append(index) } }
        do {
            try write(run, index) { try $0.add(reader) }
            return TraceLosses(reader).isEmpty ? .complete : .incomplete
        } catch let error as TraceError {
            return unreadable(index, Wording.sentence(for: error))
        } catch { return .failed(sentence(error)) }
    }

    private func unreadable(_ index: Int, _ sentence: String) -> Outcome {
        do {
            try write(FactExport.run(ofUnreadable: paths[index]), index) { try $0.addUnreadable(sentence) }
            return .unreadable(sentence)
        } catch { return .failed(self.sentence(error)) }
    }

    private func write(_ run: String, _ index: Int, _ body: (inout FactExport) throws -> Void) throws {
        try OutputFile("\(folder)/run=\(run).ndjson").replacingAtOnce.write { file in
            var export = FactExport(run: run, path: paths[index], bytes: sizes[index]) { try file.write($0) }
            try body(&export)
        }
    }

    private func sentence(_ error: any Error) -> String {
        switch error {
        case let error as UsageError: Wording.sentence(for: error)
        case let error as OutputError: Wording.sentence(for: error)
        default: Wording.unexpected(error)
        }
    }

    /// The errors, in the order of the traces.
    var sentences: [String] {
        outcomes.sorted { $0.key < $1.key }.compactMap {
            switch $0.value {
            case .complete, .incomplete: nil
            case .unreadable(let sentence), .failed(let sentence): sentence
            }
        }
            + (duplicates.isEmpty
                ? []
                : [
                    "\(Figures.count(duplicates.count, "trace has", "traces have")) the run id of another one, such as "
                        + "\(TerminalText.escaped(paths[duplicates.min() ?? 0])): only one of them is in the tables. "
                        + "The label 'run' tells recordings apart."
                ])
    }

    var hasFailed: Bool { outcomes.values.contains { if case .failed = $0 { true } else { false } } }
    var hasUnreadable: Bool { outcomes.values.contains { if case .unreadable = $0 { true } else { false } } }
    var hasIncomplete: Bool { outcomes.values.contains { if case .incomplete = $0 { true } else { false } } }
}
