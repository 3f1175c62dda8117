/// Runs the operations of one unit of a line table.
enum LineProgram {
    /// The outcome of a run.
    enum Result {
        /// The first line of a source file within the addresses.
        case found(LineTable.Place)
        /// The unit contains the addresses, but none of them comes from a line of source.
        case without
        /// The unit does not contain the addresses.
        case elsewhere
    }

    private struct Row {
        var address: UInt64 = 0
        var file: UInt64 = 1
        var line: Int64 = 1

        func place(_ header: LineTableHeader) -> LineTable.Place? {
            number.flatMap { header.place($0, inFile: file) }
        }

        /// The line; nil: none.
        var number: Int? { line > 0 ? Int32(exactly: line).map(Int.init) : nil }
    }

    static func place(of addresses: Range<UInt64>, in header: LineTableHeader) -> Result {
        var isInside = false
        let result = run(header) { row, isEnd in
            if isEnd { return isInside ? Result.without : nil }
            guard addresses.contains(row.address) else { return nil }
            isInside = true
            return row.place(header).map(Result.found)
        }
        return result ?? (isInside ? .without : .elsewhere)
    }

    /// Passes the rows of the unit to `take`, and the end of each sequence, until it returns a result.
    private static func run(_ header: LineTableHeader, _ take: (Row, _ isEnd: Bool) -> Result?) -> Result? {
        var cursor = ByteCursor(header.program), row = Row()
        let constantAdvance = UInt64(255 - header.firstSpecial) / header.lineRange
        while !cursor.isAtEnd {
            let operation = cursor.byte()
            var isRow = false, isEnd = false
            if operation >= header.firstSpecial {
                let change = UInt64(operation - header.firstSpecial)
                row.address &+= change / header.lineRange &* header.instructionLength
                row.line &+= header.lineBase &+ Int64(change % header.lineRange)
                isRow = true
            } else {
                switch operation {
                case 0: isEnd = extended(&cursor, &row)
                case 1: isRow = true
                case 2: row.address &+= cursor.variable() &* header.instructionLength
                case 3: row.line &+= cursor.signedVariable()
                case 4: row.file = cursor.variable()
                case 8: row.address &+= constantAdvance &* header.instructionLength
                case 9: row.address &+= UInt64(cursor.half())
                default: for _ in 0..<header.operands[Int(operation) - 1] { _ = cursor.variable() }
                }
            }
            if isRow || isEnd, let result = take(row, isEnd) { return result }
            if isEnd { row = Row() }
        }
        return nil
    }

    /// The line of the last instruction in `addresses` that comes from a line of source.
    ///
    /// A row holds from its address up to that of the next row, so the range begins where a row does: with a function.
    static func lastPlace(in addresses: ClosedRange<UInt64>, in header: LineTableHeader) -> Result {
        var last: LineTable.Place?, file: UInt64 = 0, isInside = false
        let result = run(header) { row, isEnd in
            if isInside, isEnd || row.address > addresses.upperBound { return last.map(Result.found) ?? .without }
            guard addresses.contains(row.address), !isEnd else { return nil }
            isInside = true
            // Nearly all rows of a function are of one file, and finding its name takes long.
            if last != nil, row.file == file, let line = row.number {
                last?.line = line
            } else if let place = row.place(header) {
                (last, file) = (place, row.file)
            }
            return nil
        }
        return result ?? .elsewhere
    }

    /// Runs an extended operation. Returns whether it ends the sequence.
    private static func extended(_ cursor: inout ByteCursor, _ row: inout Row) -> Bool {
        var operation = cursor.slice(cursor.variable())
        switch operation.byte() {
        case 1: return true
        case 2: row.address = operation.number(size: UInt8(truncatingIfNeeded: operation.bytes.count - 1))
        default: break
        }
        return false
    }
}
