/// The part of Mermaid's language that the tool may use, line by line; it reports everything else as a fault.
public struct MermaidGrammar {
    /// The label of each node.
    public private(set) var nodes: [String: String] = [:]
    /// The ends of each edge.
    public private(set) var edges: [(source: Substring, target: Substring)] = []
    /// What is not in this part of the language.
    public private(set) var complaints: [String] = []
    private var groups: Set<String> = []
    private var styled: Set<Int> = []
    private var classes: Set<Substring> = []
    private var used: Set<Substring> = []
    private var isOpen = false

    /// Reads a graph.
    public init(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        if lines.removeFirst() != "flowchart TD" { complaints.append("no header") }
        if lines.popLast() != "" { complaints.append("no end of line") }
        for line in lines where !read(line) { complaints.append(String(line)) }
        if isOpen { complaints.append("open subgraph") }
        for (source, target) in edges where nodes[String(source)] == nil || nodes[String(target)] == nil {
            complaints.append("undefined \(source) or \(target)")
        }
        if used != classes { complaints.append("classes") }
        if styled.contains(where: { $0 >= edges.count }) { complaints.append("style of no edge") }
    }

    private mutating func read(_ line: Substring) -> Bool {
        if line.hasPrefix("%%") { return !line.contains("{") && nodes.isEmpty }
        if line == "end" {
            defer { isOpen = false }
            return isOpen
        }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        if line.hasPrefix("subgraph g"), !isOpen {
            isOpen = true
            let parts = line.dropFirst(9).split(separator: "[", maxSplits: 1)
            return parts.count == 2 && Self.isID(parts[0], "g") && groups.insert(String(parts[0])).inserted
                && Self.isLabel(parts[1].dropLast()) && line.hasSuffix("]")
        }
        switch words[0] {
        case "linkStyle":
            let places = words.count > 1 ? words[1].split(separator: ",").map { Int($0) } : []
            for place in places { if place.map({ styled.insert($0).inserted }) != true { return false } }
            return !places.isEmpty && words.dropFirst(2).allSatisfy { !$0.hasSuffix(";") }
        case "classDef":
            return words.count == 3 && classes.insert(words[1]).inserted && !words[2].contains(";")
        default: break
        }
        if words.count == 3, words[1] == "-->" || words[1] == "-.->" {
            edges.append((words[0], words[2]))
            return Self.isID(words[0], "n") && Self.isID(words[2], "n")
        }
        return readNode(line)
    }

    /// `n1["label"]:::heat2`
    private mutating func readNode(_ line: Substring) -> Bool {
        guard let start = line.firstIndex(of: "["), let end = line.lastIndex(of: "]"), start < end else { return false }
        let (id, label) = (line[..<start], line[line.index(after: start)..<end])
        let rest = line[line.index(after: end)...]
        guard rest.hasPrefix(":::heat"), nodes.updateValue(String(label), forKey: String(id)) == nil else {
            return false
        }
        used.insert(rest.dropFirst(3))
        return Self.isID(id, "n") && Self.isLabel(label)
    }

    private static func isID(_ text: Substring, _ letter: Character) -> Bool {
        text.first == letter && text.count > 1 && text.dropFirst().allSatisfy { "0"..."9" ~= $0 }
    }

    /// Between quotation marks: harmless characters, numeric character codes, and the tool's own line breaks.
    private static func isLabel(_ text: Substring) -> Bool {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return false }
        var rest = text.dropFirst().dropLast()
        while let first = rest.first {
            if rest.hasPrefix("<br/>") {
                rest = rest.dropFirst(5)
            } else if first == "#" {
                let digits = rest.dropFirst().prefix { "0"..."9" ~= $0 }
                guard !digits.isEmpty, rest.dropFirst(1 + digits.count).first == ";" else { return false }
                rest = rest.dropFirst(digits.count + 2)
            } else {
                let isHarmless = first.isLetter || first.isNumber || " .()/,'?!×‹›…".contains(first)
                guard isHarmless else { return false }
                rest = rest.dropFirst()
            }
        }
        return true
    }
}
