/// A table of aligned columns, two spaces apart.
package struct TextTable {
    /// How a column is aligned.
    package enum Alignment: Sendable {
        /// Flush with the left edge.
        case left
        /// Flush with the right edge.
        case right
    }

    /// A column: its heading and the alignment of its cells.
    package struct Column: Sendable {
        /// The heading.
        package let title: String
        /// How its cells are aligned.
        package let alignment: Alignment
        /// The colour of its cells.
        package let role: Style.Role?

        /// A left-aligned column.
        package static func left(_ title: String, _ role: Style.Role? = nil) -> Column {
            Column(title: title, alignment: .left, role: role)
        }

        /// A right-aligned column.
        package static func right(_ title: String, _ role: Style.Role? = nil) -> Column {
            Column(title: title, alignment: .right, role: role)
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row of escaped cells; missing cells are empty.
    package mutating func add(_ cells: [String]) {
        rows.append(cells + Array(repeating: "", count: max(0, columns.count - cells.count)))
    }

    /// The lines of the table, without trailing spaces.
    package func lines(indent: String = "", style: Style = .plain) -> [String] {
        let widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { max($0, TerminalText.width($1[index])) }
        }
        let heading = line(columns.map(\.title), widths, indent) { _, text in style(.faint, text) }
        return [heading]
            + rows.map { row in
                line(row, widths, indent) { column, text in column.role.map { style($0, text) } ?? text }
            }
    }

    private func line(
        _ cells: [String], _ widths: [Int], _ indent: String, paint: (Column, String) -> String
    ) -> String {
        var result = indent
        var pending = ""
        for (index, column) in columns.enumerated() {
            let padding = String(
                repeating: " ", count: max(0, widths[index] - TerminalText.width(cells[index])))
            if column.alignment == .right { pending += padding }
            if !cells[index].isEmpty {
                result += pending + paint(column, cells[index])
                pending = ""
            }
            if column.alignment == .left { pending += padding }
            pending += "  "
        }
        return result
    }
}
