/// What demangled names need: brackets that nest, arrows that are no brackets, operators that look like ones.
extension Substring {
    /// Where `text` stands first.
    func range(ofFirst text: String) -> Index? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place }
            place = index(after: place)
        }
        return nil
    }

    /// Where `text` stands last.
    func range(ofLast text: String) -> Index? {
        var place = endIndex
        while place > startIndex {
            place = index(before: place)
            if self[place...].hasPrefix(text) { return place }
        }
        return nil
    }

    /// The inside of the bracket that this begins with, and what follows it; nil: it is not closed.
    func brackets() -> (inside: Substring, after: Substring)? {
        guard let end = place({ place, depth in depth == 0 && place != startIndex }) else { return nil }
        let closing = index(before: end)
        guard closing > startIndex else { return nil }
        return (self[index(after: startIndex)..<closing], self[end...])
    }

    /// What follows the first bracket in angles and " of ".
    func afterAngles() -> Substring? {
        guard let start = firstIndex(of: "<") else { return nil }
        if let after = self[start...].brackets()?.after, after.hasPrefix(" of ") { return after.dropFirst(4) }
        // Of a closure that was propagated, the demangler leaves a bracket open.
        return range(ofFirst: "> of ").map { self[$0...].dropFirst(5) }
    }

    /// The pieces between `separator` where no bracket is open; empty: none.
    func split(outside separator: String) -> [Substring] {
        var pieces: [Substring] = [], rest = self
        while let end = rest.place({ place, depth in depth == 0 && rest[place...].hasPrefix(separator) }) {
            pieces.append(rest[..<end])
            rest = rest[end...].dropFirst(separator.count)
        }
        return rest.isEmpty && pieces.isEmpty ? [] : pieces + [rest]
    }

    /// The name of an operator, or all up to a mark that ends names; what stands in backticks is one name.
    func name() -> Substring {
        if first == "`", let end = dropFirst().firstIndex(of: "`") { return self[...end] }
        let marks: Set<Character> = ["/", "=", "-", "+", "!", "*", "%", "<", ">", "&", "|", "^", "~", "?", "."]
        guard let first, !marks.contains(first) else { return prefix { marks.contains($0) } }
        return prefix { !".(<: [".contains($0) }
    }

    /// The first place, the end included, that is wanted, told with the number of brackets open before it.
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
