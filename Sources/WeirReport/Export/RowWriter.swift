/// Writes the rows of tables, column by column in the order of `ExportTable.columns`.
///
/// The row being written is a place in the memory of a `ByteSink`. A writer may be copied between two rows: a local copy, which
/// the compiler keeps in registers, writes a row several times as fast as one in memory.
protocol RowWriter {
    /// Directs rows that begin with prepared columns to a table.
    mutating func select(_ table: ExportTable)
    /// Begins a row.
    mutating func begin(_ table: ExportTable)
    /// Begins a row of the selected table with columns from `preparing(in:)`.
    mutating func begin(_ columns: PreparedBytes)
    mutating func integer(_ name: StaticString, _ number: UInt64)
    mutating func boolean(_ name: StaticString, _ value: Bool)
    mutating func text(_ name: StaticString, _ text: String)
    /// A text of printable ASCII, without quotation marks and backslashes, that no spreadsheet runs as a formula.
    mutating func word(_ name: StaticString, _ word: StaticString)
    /// An event's id: "1:42".
    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64)
    /// A number as text.
    mutating func number(_ name: StaticString, _ number: Int64)
    /// There is no value in this column.
    mutating func none(_ name: StaticString)
    /// Columns from `preparing(in:)`.
    mutating func prepared(_ columns: PreparedBytes)
    /// Ends the row.
    mutating func end() throws
    /// The bytes of some columns, for repeated use in rows; all or none of them are the first ones of the row.
    func preparing(_ body: (inout Self) -> Void) -> [UInt8]
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
    private let sink: ByteSink
    private var cursor: ByteCursor

    init(sink: ByteSink) {
        self.sink = sink
        cursor = ByteCursor(sink.place)
    }

    mutating func select(_ table: ExportTable) {}

    mutating func begin(_ table: ExportTable) { begin(table: table.rawValue) }

    mutating func begin(table: String) {
        cursor = ByteCursor(sink.place)
        cursor.append("{\"table\":")
        cursor = ByteCursor(sink.append(json: table, at: cursor.place))
    }

    @inline(__always)
    mutating func begin(_ columns: PreparedBytes) {
        cursor = ByteCursor(sink.place)
        cursor.append(columns)
    }

    @inline(__always)
    private mutating func key(_ name: StaticString) {
        cursor.append(",\"")
        cursor.append(name)
        cursor.append("\":")
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ number: UInt64) {
        key(name)
        cursor.append(decimal: number)
    }

    @inline(__always)
    mutating func boolean(_ name: StaticString, _ value: Bool) {
        key(name)
        if value { cursor.append("true") } else { cursor.append("false") }
    }

    @inline(__always)
    mutating func text(_ name: StaticString, _ text: String) {
        key(name)
        cursor = ByteCursor(sink.append(json: text, at: cursor.place))
    }

    @inline(__always)
    mutating func word(_ name: StaticString, _ word: StaticString) {
        key(name)
        cursor.append("\"")
        cursor.append(word)
        cursor.append("\"")
    }

    @inline(__always)
    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64) {
        key(name)
        cursor.append(thread: thread, sequence: sequence)
    }

    @inline(__always)
    mutating func number(_ name: StaticString, _ number: Int64) {
        key(name)
        cursor.append("\"")
        cursor.append(decimal: number)
        cursor.append("\"")
    }

    @inline(__always)
    mutating func none(_ name: StaticString) {}

    @inline(__always)
    mutating func prepared(_ columns: PreparedBytes) { cursor.append(columns) }

    @inline(__always)
    mutating func end() throws {
        cursor.append("}\n")
        sink.end(at: cursor.place)
        try sink.flushIfFull()
    }

    func preparing(_ body: (inout NDJSONRows) -> Void) -> [UInt8] {
        ByteSink.bytes { sink in
            var rows = NDJSONRows(sink: sink)
            body(&rows)
            sink.end(at: rows.cursor.place)
        }
    }
}

/// A CSV file for each table (RFC 4180), with a header line.
///
/// A text that a spreadsheet would run as a formula begins with an apostrophe. Control characters are escaped.
struct CSVRows: RowWriter {
    private let sinks: [ExportTable: ByteSink]
    private var sink: ByteSink
    private var cursor: ByteCursor
    private var isFirst = false

    init(_ sinks: [ExportTable: ByteSink]) {
        self.init(sinks, ByteSink { _ in })
        for (table, sink) in sinks {
            sink.append(text: table.columns.map { "\($0.name)" }.joined(separator: ",") + "\r\n")
        }
    }

    private init(_ sinks: [ExportTable: ByteSink], _ sink: ByteSink) {
        self.sinks = sinks
        self.sink = sink
        cursor = ByteCursor(sink.place)
    }

    mutating func select(_ table: ExportTable) { if let sink = sinks[table] { self.sink = sink } }

    mutating func begin(_ table: ExportTable) {
        select(table)
        cursor = ByteCursor(sink.place)
        isFirst = true
    }

    @inline(__always)
    mutating func begin(_ columns: PreparedBytes) {
        cursor = ByteCursor(sink.place)
        cursor.append(columns)
        isFirst = false
    }

    @inline(__always)
    private mutating func cell() {
        if !isFirst { cursor.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ number: UInt64) {
        cell()
        cursor.append(decimal: number)
    }

    @inline(__always)
    mutating func boolean(_ name: StaticString, _ value: Bool) {
        cell()
        if value { cursor.append("true") } else { cursor.append("false") }
    }

    @inline(__always)
    mutating func text(_ name: StaticString, _ text: String) {
        cell()
        cursor = ByteCursor(sink.append(csv: text, at: cursor.place))
    }

    @inline(__always)
    mutating func word(_ name: StaticString, _ word: StaticString) {
        cell()
        cursor.append("\"")
        cursor.append(word)
        cursor.append("\"")
    }

    @inline(__always)
    mutating func id(_ name: StaticString, thread: UInt32, sequence: UInt64) {
        cell()
        // As text: a spreadsheet would read 1:42 as a time of day.
        cursor.append(thread: thread, sequence: sequence)
    }

    @inline(__always)
    mutating func number(_ name: StaticString, _ number: Int64) {
        cell()
        cursor.append(decimal: number)
    }

    @inline(__always)
    mutating func none(_ name: StaticString) { cell() }

    @inline(__always)
    mutating func prepared(_ columns: PreparedBytes) { cursor.append(columns) }

    @inline(__always)
    mutating func end() throws {
        cursor.append("\r\n")
        sink.end(at: cursor.place)
        try sink.flushIfFull()
    }

    func preparing(_ body: (inout CSVRows) -> Void) -> [UInt8] {
        ByteSink.bytes { sink in
            // Without tables: a row that `body` begins goes to this sink, too.
            var rows = CSVRows([:], sink)
            body(&rows)
            sink.end(at: rows.cursor.place)
        }
    }

    /// Whether a spreadsheet may run the text, which is not a number.
    static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first(where: { $0 != " " }) else { return false }
        // Full-width forms count, too.
        guard "=+-@\t\r\n|%＝＋－＠".unicodeScalars.contains(first) else { return false }
        return Double(text) == nil
    }
}

extension ByteSink {
    /// Writes a CSV cell in quotation marks in the row that has come to `place`, and returns the place behind it.
    func append(csv text: String, at place: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        var text = text
        let plain = text.withUTF8 { bytes -> UnsafeMutablePointer<UInt8>? in
            guard bytes.allSatisfy(Self.isPlain), Self.isHarmless(bytes) else { return nil }
            var cursor = ByteCursor(self.place(place, for: bytes.count))
            cursor.append("\"")
            cursor.append(bytes)
            cursor.append("\"")
            return cursor.place
        }
        if let plain { return plain }
        var escaped = TerminalText.escaped(text)
        return escaped.withUTF8 { bytes in
            var cursor = ByteCursor(self.place(place, for: 2 * bytes.count))
            cursor.append("\"")
            if CSVRows.isFormula(text) { cursor.append("'") }
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { cursor.append(byte) }
                cursor.append(byte)
            }
            cursor.append("\"")
            return cursor.place
        }
    }

    /// Whether printable ASCII certainly is no formula.
    private static func isHarmless(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return !"=+-@|%".utf8.contains(first)
    }
}
