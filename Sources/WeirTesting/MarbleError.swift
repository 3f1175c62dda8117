/// A marble diagram that cannot be parsed, or that uses a character without a value.
struct MarbleError: Error, CustomStringConvertible {
    let diagram: String
    /// Counted from 0, in characters of the original diagram.
    let column: Int
    let problem: String

    var description: String {
        "a diagram that cannot be read, at column \(column): \(problem)\n    \(diagram)\n    "
            + String(repeating: " ", count: column) + "^"
    }
}
