import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir export`: traces for other programs.
enum ExportCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "export", summary: "Write traces for other programs: Perfetto, DuckDB, a spreadsheet, OpenTelemetry.",
        arguments: ["TRACE"], takesSeveral: true,
        options: [
            .init(
                name: "format", placeholder: "FORMAT",
                help: Wording.list(
                    TraceExport.Format.allCases.map { $0 == .ndjson ? "ndjson (the default)" : $0.rawValue }, "or")
                    + "."),
            .init(
                name: "output", short: "o", placeholder: "PATH",
                help: "Write to this file, or to this folder with csv (default: standard output)."),
            .init(
                name: "table", placeholder: "TABLE", isRepeatable: true,
                help: "Only this table, with ndjson and csv; repeatable."),
            CommandGrammar.strict,
        ],
        details: """
            ndjson    one JSON object a line, with the name of its table; `weir import` reads it back
            csv       one file for each table; texts that a spreadsheet would run as formulas begin with '
            perfetto  for ui.perfetto.dev: a track for each thread and node, arrows for causes, rates
            chrome    the same as JSON, for chrome://tracing, Perfetto and Speedscope
            otlp      OTLP/JSON for OpenTelemetry: a cascade is a trace, a delivery is a span

            Tables: \(ExportTable.allCases.map(\.rawValue).joined(separator: ", ")).
            'Tables for other programs' in the documentation of WeirReport lists their columns.

              weir export TRACE -o trace.ndjson
              duckdb -c "select name, count(*) from 'trace.ndjson' where refresh group by 1 order by 2 desc"
              weir export TRACE --format perfetto -o trace.perfetto-trace
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", TraceExport.Format.self) ?? .ndjson
        let tables = try tables(arguments, format)
        let traces = try TraceList(arguments.positional)
        let output = arguments.value("output")
        var code = ExitCode.clean
        if format == .csv {
            guard let folder = output, !folder.isEmpty else {
                throw UsageError.missingArgument("-o FOLDER", command: "export --format csv")
            }
            code = try writeFolder(folder, tables, traces.paths, arguments, console)
        } else if let output {
            try OutputFile(output).write { file in
                code = try write(format, tables, traces.paths, arguments, console) { try file.write($0) }
            }
        } else {
            code = try write(format, tables, traces.paths, arguments, console) { try console.output.write($0) }
        }
        return code
    }

    private static func tables(
        _ arguments: ParsedArguments, _ format: TraceExport.Format
    ) throws(UsageError) -> Set<ExportTable> {
        let all = Set(ExportTable.allCases.filter { format != .csv || $0.isForSpreadsheets })
        guard let names = arguments.values["table"] else { return all }
        guard format == .ndjson || format == .csv else {
            throw .notForFormat(option: "table", format: format.rawValue)
        }
        var tables: Set<ExportTable> = []
        for name in names {
            guard let table = ExportTable(rawValue: name), all.contains(table) else {
                let known = ExportTable.allCases.filter(all.contains).map(\.rawValue)
                throw .badValue(
                    option: "table", value: name, expected: Wording.list(known, "or"),
                    nearest: UsageError.nearest(name, known))
            }
            tables.insert(table)
        }
        return tables
    }

    private static func write(
        _ format: TraceExport.Format, _ tables: Set<ExportTable>, _ paths: [String], _ arguments: ParsedArguments,
        _ console: Console, to write: @escaping TraceExport.Write
    ) throws -> ExitCode {
        // Opened before anything is written: a mistyped path leaves no half of a file.
        let readers = try paths.map { ($0, try TraceReader(path: $0)) }
        var export = TraceExport(format, tables: tables, to: write)
        return try add(readers, to: &export, arguments, console)
    }

    private static func writeFolder(
        _ folder: String, _ tables: Set<ExportTable>, _ paths: [String], _ arguments: ParsedArguments,
        _ console: Console
    ) throws -> ExitCode {
        let readers = try paths.map { ($0, try TraceReader(path: $0)) }
        do { try System.makeDirectory(folder) } catch {
            throw Failure(code: .outputFailed, sentence: Wording.cannotMakeDirectory(error.path, error.code))
        }
        return try open(tables.sorted { $0.rawValue < $1.rawValue }[...], in: folder, [:]) { writers in
            var export = TraceExport(csv: writers)
            return try add(readers, to: &export, arguments, console)
        }
    }

    /// Opens the file of each table, one inside the other, so that each is closed whatever happens.
    private static func open(
        _ tables: ArraySlice<ExportTable>, in folder: String, _ opened: [ExportTable: TraceExport.Write],
        _ body: ([ExportTable: TraceExport.Write]) throws -> ExitCode
    ) throws -> ExitCode {
        guard let table = tables.first else { return try body(opened) }
        var code = ExitCode.clean
        try OutputFile("\(folder)/\(table.rawValue).csv").write { file in
            let writers = opened.merging([table: { try file.write($0) }]) { $1 }
            code = try open(tables.dropFirst(), in: folder, writers, body)
        }
        return code
    }

    private static func add(
        _ readers: [(String, TraceReader)], to export: inout TraceExport, _ arguments: ParsedArguments,
        _ console: Console
    ) throws -> ExitCode {
        var code = ExitCode.clean
        for (path, reader) in readers {
            try console.showingProgress(of: path) { report in
                try export.add(reader, path: path, reporting: report)
            }
        }
        try export.finish()
        for (path, reader) in readers {
            let own = try console.conclude(reader, path, arguments)
            if own != .clean { code = own }
        }
        return code
    }
}
