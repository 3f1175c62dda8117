/// Writes types in source syntax: `[Int]`, `[String: Int]`, `Bool?` and `Void`.
enum SourceType {
    /// The nesting depth from which types of a hostile trace are left unchanged.
    private static let deepest = 16

    /// "Observer<Void>" for "Observer<()>"; text that is not a type is left unchanged.
    static func written(_ type: String) -> String { written(type[...], depth: 0) }

    private static func written(_ type: Substring, depth: Int) -> String {
        if type == "()" { return "Void" }
        guard depth < deepest, let (name, arguments) = parts(of: type) else { return String(type) }
        let written = arguments.map { self.written($0, depth: depth + 1) }
        switch (name, written.count) {
        case ("Optional", 1):
            let needsParentheses = written[0].contains(" ") && !"[(".contains(written[0].first ?? " ")
            return needsParentheses || written[0].contains(" -> ") ? "(\(written[0]))?" : "\(written[0])?"
        case ("Array", 1): return "[\(written[0])]"
        case ("Dictionary", 2): return "[\(written[0]): \(written[1])]"
        default: return "\(name)<\(written.joined(separator: ", "))>"
        }
    }

    /// The name and arguments of a generic type; nil: the type is not generic.
    private static func parts(of type: Substring) -> (name: Substring, arguments: [Substring])? {
        guard let open = type.firstIndex(of: "<"), type.last == ">", open > type.startIndex else { return nil }
        let name = type[..<open]
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }) else { return nil }
        let inner = type[type.index(after: open)...].dropLast()
        var (depth, start, previous) = (0, inner.startIndex, Character(" "))
        var arguments: [Substring] = []
        for place in inner.indices {
            switch inner[place] {
            case "<", "(", "[": depth += 1
            case ">" where previous == "-": break
            case ">", ")", "]":
                depth -= 1
                // The text continues after this type: "Outer<Int>.Inner<Int>".
                if depth < 0 { return nil }
            case "," where depth == 0:
                arguments.append(inner[start..<place])
                start = inner.index(after: place)
            default: break
            }
            previous = inner[place]
        }
        arguments.append(inner[start...])
        return (name, arguments.map { $0.drop { $0 == " " } })
    }
}
