import Foundation

/// Everything that was measured: tables for people, JSON for machines, the goals that were missed.
struct Report: Codable {
    /// Workloads whose figures have the same names, so that they make one table.
    struct Section: Codable {
        let title: String
        var rows: [Row] = []
    }

    /// One workload.
    struct Row: Codable {
        let name: String
        let figures: [Figure]
    }

    var sections: [Section] = []

    var missedGoals: [String] {
        sections.flatMap { section in
            section.rows.flatMap { row in
                row.figures.filter(\.isMissed).map { figure in
                    "\(section.title), \(row.name): \(figure.title) is \(figure.value.map(Figure.number) ?? "n/a"), "
                        + "the goal is at most \(figure.atMost.map(Figure.number) ?? "n/a")"
                }
            }
        }
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var text: String { sections.map(\.text).joined(separator: "\n\n") }

    /// Prints the report as the options say. Returns the exit status: 1 if a required goal is missed.
    func finish(json isJSON: Bool, check: Bool) throws -> Int32 {
        print(isJSON ? try json() : text)
        #if DEBUG
        Console.error("this is a debug build: its times say nothing; build with -c release")
        #endif
        guard check else { return 0 }
        for goal in missedGoals { Console.error("goal missed: \(goal)") }
        return missedGoals.isEmpty ? 0 : 1
    }
}

extension Report.Section {
    /// A line for each workload, a column for each figure.
    var text: String {
        guard let first = rows.first else { return title }
        let heading = [title] + first.figures.map(\.title)
        let lines = [heading] + rows.map { [$0.name] + $0.figures.map(\.text) }
        let widths = heading.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { cells in
            cells.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - cells[column].count)
                return column == 0 ? cells[column] + padding : padding + cells[column]
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}
