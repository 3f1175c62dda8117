import Weir

/// The actual or expected events of a signal at their times, in nanoseconds.
struct Timeline<Value> {
    struct Entry {
        let time: UInt64
        let event: Event<Value>
    }

    var entries: [Entry] = []
}

extension Timeline {
    /// The timeline as a diagram with the marks of the subscription; nil if it does not fit into columns.
    ///
    /// - Parameters:
    ///   - column: nanoseconds per column.
    ///   - name: the character that represents a value.
    func diagram(column: UInt64, from begin: UInt64?, to end: UInt64?, name: (Value) -> Character) -> String? {
        var marks: [UInt64: String] = [:]
        if let begin { marks[begin] = "^" }
        for entry in entries {
            switch entry.event {
            case .completed: marks[entry.time, default: ""].append("|")
            case .failed: marks[entry.time, default: ""].append("#")
            case .next(let value): marks[entry.time, default: ""].append(name(value))
            }
        }
        if let end { marks[end, default: ""].append("!") }
        var text = ""
        var past: UInt64 = 0
        for (time, marks) in marks.sorted(by: { $0.key < $1.key }) {
            guard time % column == 0, time / column < 1000 else { return nil }
            text += String(repeating: "-", count: Int(time / column - past))
            text += marks.count == 1 ? marks : "(\(marks))"
            past = time / column + 1
        }
        return text
    }

    /// The timeline in words.
    var list: String {
        if entries.isEmpty { return "nothing" }
        let shown = entries.prefix(40).map { entry in
            switch entry.event {
            case .next(let value): "\(String(reflecting: value)) at \(milliseconds(entry.time))"
            case .completed: "completed at \(milliseconds(entry.time))"
            case .failed(let error): "failed (\(error)) at \(milliseconds(entry.time))"
            }
        }
        let more = entries.count - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
    }
}

/// A virtual time, as a failed test shows it.
func milliseconds(_ time: UInt64) -> String {
    let (whole, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
    return rest == 0 ? "\(whole) ms" : "\(Double(time) / 1_000_000) ms"
}
