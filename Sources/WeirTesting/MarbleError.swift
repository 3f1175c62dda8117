/// A marble diagram that cannot be read, or a value that it does not name.
struct MarbleError: Error, CustomStringConvertible {
    let diagram: String
    /// Counted from 0, in characters of the diagram as it was written.
    let column: Int
    let problem: String

    var description: String {
        "a diagram that cannot be read, at column \(column): \(problem)\n    \(diagram)\n    "
            + String(repeating: " ", count: column) + "^"
    }
}
