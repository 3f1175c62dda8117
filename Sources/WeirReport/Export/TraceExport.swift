import WeirAnalysis
import WeirTrace

/// Writes traces for other programs; each format streams.
package struct TraceExport {
    /// The formats.
    package enum Format: String, CaseIterable, Sendable {
        /// Tables as JSON objects, one a line.
        case ndjson
        /// Tables as files in a folder.
        case csv
        /// Perfetto's own format.
        case perfetto
        /// Chrome's JSON.
        case chrome
        /// Spans for OpenTelemetry, as JSON lines.
        case otlp
    }

    /// Receives the bytes of a file.
    package typealias Write = (UnsafeRawBufferPointer) throws -> Void

    private let tables: Set<ExportTable>
    private let format: Format
    private let sink: ByteSink
    private let files: [ExportTable: ByteSink]
    private var number = 0
    private var csv: CSVRows?

    /// An export into one file; the format is not CSV.
    package init(_ format: Format, tables: Set<ExportTable> = Set(ExportTable.allCases), to write: @escaping Write) {
        precondition(format != .csv, "CSV needs a file for each table")
        self.format = format
        self.tables = tables
        sink = ByteSink(write)
        files = [:]
        if format == .chrome { ChromeTracks.begin(sink) }
    }

    /// An export into CSV files, one for each of these tables.
    package init(csv writers: [ExportTable: Write]) {
        format = .csv
        tables = Set(writers.keys)
        sink = ByteSink { _ in }
        files = writers.mapValues { ByteSink($0) }
        csv = CSVRows(files)
    }

    /// Adds a trace; `path` is the name that readers see.
    package mutating func add(
        _ reader: TraceReader, path: String, reporting report: PassProgress.Report? = nil
    ) throws {
        number += 1
        switch format {
        case .ndjson:
            var export = try TableExport(reader, number: number, path: path, tables: tables, NDJSONRows(sink: sink))
            try export.write(reporting: report)
        case .csv:
            guard let csv else { return }
            var export = try TableExport(reader, number: number, path: path, tables: tables, csv)
            try export.write(reporting: report)
        case .perfetto: try draw(reader, PerfettoTracks(sink, number: number), report)
        case .chrome: try draw(reader, ChromeTracks(sink, number: number), report)
        case .otlp:
            var spans = try SpanExport(sink, reader, number: number, path: path)
            let tracker = CascadeTracker()
            var last: UInt64 = 0
            try reader.forEachEvent(reporting: report) { event in
                let cascade = tracker.take(event, isRefresh: false)
                tracker.ended.removeAll(keepingCapacity: true)
                last = max(last, event.ticks)
                try spans.take(event, cascade: cascade)
                return true
            }
            try spans.finish(at: last)
        }
    }

    /// Writes the remaining bytes.
    package func finish() throws {
        if format == .chrome { ChromeTracks.end(sink) }
        try sink.flush()
        for file in files.values { try file.flush() }
    }

    private func draw(
        _ reader: TraceReader, _ format: some TrackFormat, _ report: PassProgress.Report?
    ) throws {
        var builder = try TrackBuilder(format, reader, number: number)
        var last: UInt64 = 0
        try reader.forEachEvent(reporting: report) { event in
            last = max(last, event.ticks)
            try builder.take(event)
            return true
        }
        try builder.finish(at: last)
    }
}
