/// Writes the rows of tables, column by column in the order of `ExportTable.columns`.
protocol RowWriter {
    /// Begins a row.
    mutating func begin(_ table: ExportTable) throws
    mutating func integer(_ name: StaticString, _ number: UInt64)
    mutating func boolean(_ name: StaticString, _ value: Bool)
    mutating func text(_ name: StaticString, _ text: String)
    /// An event's id: "1:42".
    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64)
    /// A number as text.
    mutating func number(_ name: StaticString, _ number: Int64)
    /// There is no value in this column.
    mutating func none(_ name: StaticString)
    /// Ends the row.
    mutating func end() throws
}

extension RowWriter {
    @inline(__always)
    mutating func maybe(_ name: StaticString, _ number: UInt64?) {
        if let number { integer(name, number) } else { none(name) }
    }

    @inline(__always)
    mutating func maybe(_ name: StaticString, _ value: String?) {
        if let value { text(name, value) } else { none(name) }
    }
}

/// One JSON object a line; a row without a value in a column lacks that member.
struct NDJSONRows: RowWriter {
    let sink: ByteSink

    @inline(__always)
    mutating func begin(_ table: ExportTable) { begin(table: table.rawValue) }

    @inline(__always)
    mutating func begin(table: String) {
        sink.append("{\"table\":\"")
        sink.append(text: table)
        sink.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private func key(_ name: StaticString) {
        sink.append(",\"")
        sink.append(name)
        sink.append("\":")
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ number: UInt64) {
        key(name)
        sink.append(decimal: number)
    }

    @inline(__always)
    mutating func boolean(_ name: StaticString, _ value: Bool) {
        key(name)
        sink.append(value ? "true" : "false")
    }

    @inline(__always)
    mutating func text(_ name: StaticString, _ text: String) {
        key(name)
        sink.append(json: text)
    }

    @inline(__always)
    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64) {
        key(name)
        sink.append(UInt8(ascii: "\""))
        sink.append(decimal: UInt64(thread))
        sink.append(UInt8(ascii: ":"))
        sink.append(decimal: sequence)
        sink.append(UInt8(ascii: "\""))
    }

    mutating func number(_ name: StaticString, _ number: Int64) {
        key(name)
        sink.append(UInt8(ascii: "\""))
        sink.append(decimal: number)
        sink.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    mutating func none(_ name: StaticString) {}

    @inline(__always)
    mutating func end() throws {
        sink.append("}\n")
        try sink.flushIfFull()
    }
}

/// A CSV file for each table (RFC 4180), with a header line.
///
/// A text that a spreadsheet would run as a formula begins with an apostrophe. Control characters are escaped.
struct CSVRows: RowWriter {
    private let sinks: [ExportTable: ByteSink]
    private var sink: ByteSink
    private var isFirst = true

    init(_ sinks: [ExportTable: ByteSink]) {
        self.sinks = sinks
        sink = ByteSink { _ in }
        for (table, sink) in sinks {
            sink.append(text: table.columns.map { "\($0.name)" }.joined(separator: ",") + "\r\n")
        }
    }

    mutating func begin(_ table: ExportTable) {
        if let sink = sinks[table] { self.sink = sink }
        isFirst = true
    }

    private mutating func cell() {
        if !isFirst { sink.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    mutating func integer(_ name: StaticString, _ number: UInt64) {
        cell()
        sink.append(decimal: number)
    }

    mutating func boolean(_ name: StaticString, _ value: Bool) {
        cell()
        sink.append(value ? "true" : "false")
    }

    mutating func text(_ name: StaticString, _ text: String) {
        cell()
        sink.append(UInt8(ascii: "\""))
        if Self.isFormula(text) { sink.append(UInt8(ascii: "'")) }
        sink.append(text: Self.escaped(text).replacing("\"", with: "\"\""))
        sink.append(UInt8(ascii: "\""))
    }

    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64) {
        cell()
        // As text: a spreadsheet would read 1:42 as a time of day.
        sink.append("\"")
        sink.append(decimal: UInt64(thread))
        sink.append(UInt8(ascii: ":"))
        sink.append(decimal: sequence)
        sink.append("\"")
    }

    mutating func number(_ name: StaticString, _ number: Int64) {
        cell()
        sink.append(decimal: number)
    }

    mutating func none(_ name: StaticString) { cell() }

    mutating func end() throws {
        sink.append("\r\n")
        try sink.flushIfFull()
    }

    /// Whether a spreadsheet may run the text, which is not a number.
    static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first(where: { $0 != " " }) else { return false }
        // Full-width forms count, too.
        guard "=+-@\t\r\n|%＝＋－＠".unicodeScalars.contains(first) else { return false }
        return Double(text) == nil
    }

    private static func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}
