/// Searches in demangled names: nested brackets, arrows that are not brackets, operators that look like brackets.
extension Substring {
    /// The first index of `text`.
    func range(ofFirst text: String) -> Index? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place }
            place = index(after: place)
        }
        return nil
    }

    /// The last index of `text`.
    func range(ofLast text: String) -> Index? {
        var place = endIndex
        while place > startIndex {
            place = index(before: place)
            if self[place...].hasPrefix(text) { return place }
        }
        return nil
    }

    /// The inside of the bracket at the start, and the text after it; nil if it is not closed.
    func brackets() -> (inside: Substring, after: Substring)? {
        guard let end = place({ place, depth in depth == 0 && place != startIndex }) else { return nil }
        let closing = index(before: end)
        guard closing > startIndex else { return nil }
        return (self[index(after: startIndex)..<closing], self[end...])
    }

    /// The text after the first angle brackets and " of ".
    func afterAngles() -> Substring? {
        guard let start = firstIndex(of: "<") else { return nil }
        if let after = self[start...].brackets()?.after, after.hasPrefix(" of ") { return after.dropFirst(4) }
        // For a propagated closure, the demangler leaves a bracket open.
        return range(ofFirst: "> of ").map { self[$0...].dropFirst(5) }
    }

    /// The pieces between separators outside of brackets; empty if there is no text.
    func split(outside separator: String) -> [Substring] {
        var pieces: [Substring] = [], rest = self
        while let end = rest.place({ place, depth in depth == 0 && rest[place...].hasPrefix(separator) }) {
            pieces.append(rest[..<end])
            rest = rest[end...].dropFirst(separator.count)
        }
        return rest.isEmpty && pieces.isEmpty ? [] : pieces + [rest]
    }

    /// The name of an operator, or all text up to a mark that ends names. Text in backticks is one name.
    func name() -> Substring {
        if first == "`", let end = dropFirst().firstIndex(of: "`") { return self[...end] }
        let marks: Set<Character> = ["/", "=", "-", "+", "!", "*", "%", "<", ">", "&", "|", "^", "~", "?", "."]
        guard let first, !marks.contains(first) else { return prefix { marks.contains($0) } }
        return prefix { !".(<: [".contains($0) }
    }

    /// The first index, including the end, that `isWanted` accepts. It gets the index and the number of brackets open before it.
    private func place(_ isWanted: (Index, Int) -> Bool) -> Index? {
        var depth = 0, place = startIndex, before: Character = " ", isQuoted = false
        while true {
            if !isQuoted, isWanted(place, depth) { return place }
            guard place < endIndex else { return nil }
            let character = self[place]
            switch character {
            case "`": isQuoted.toggle()
            case _ where isQuoted: break
            case "(", "[", "<": depth += 1
            case ")", "]": depth -= 1
            case ">" where before != "-": depth -= 1
            default: break
            }
            before = character
            place = index(after: place)
        }
    }
}
