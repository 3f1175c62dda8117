/// Edits the labels of references.
package enum ReferenceLabel {
    /// A label without its indexes and keys: ".rows[…].value".
    package static func withoutIndexes(_ label: String) -> String {
        guard label.utf8.contains(UInt8(ascii: "[")) else { return label }
        var (result, depth, isQuoted, previous) = ("", 0, false, Character(" "))
        for character in label {
            switch character {
            case "\"" where depth > 0 && previous != "\\": isQuoted.toggle()
            case "[" where !isQuoted:
                if depth == 0 { result += "[…]" }
                depth += 1
            case "]" where !isQuoted && depth > 0: depth -= 1
            default: if depth == 0 { result.append(character) }
            }
            previous = character
        }
        return result
    }
}
