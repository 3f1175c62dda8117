import WeirHeap

extension HeapReport {
    /// A cycle in one line: "Owner.child → Child.handler {} → Owner".
    ///
    /// Instances and tasks are named. Storage, boxes and closures between them are folded into the label, and a closure is shown
    /// as `{}`. Keys of dictionaries and sets are left out: "[key]".
    func description(of cycle: HeapCycle) -> String {
        var steps: [(type: String, way: String)] = []
        var folded: [HeapReference] = []
        for reference in cycle.references.map({ references[$0] }) {
            let source = objects[reference.source]
            if source.isNamed {
                steps.append((source.type, reference.way(from: source)))
            } else if steps.isEmpty {
                folded.append(reference)
            } else {
                steps[steps.count - 1].way += reference.way(from: source)
            }
        }
        if steps.isEmpty { steps = [("something", "")] }
        steps[steps.count - 1].way += folded.map { $0.way(from: objects[$0.source]) }.joined()
        return CyclePattern.text(steps.map { $0.type + CyclePattern.tidied($0.way) })
    }
}

extension HeapObject {
    fileprivate var isNamed: Bool { kind == .instance || kind == .task || kind == .unknown }
}

extension HeapReference {
    fileprivate func way(from source: HeapObject) -> String {
        guard label.hasPrefix("captures") else { return label + (function == nil ? "" : "{}") }
        var rest = label.dropFirst("captures".count)
        if rest.hasPrefix(" #") { rest = rest.dropFirst(2).drop { $0.isNumber } }
        return (source.kind == .box ? "" : "{}") + rest
    }
}

/// A cycle that a case expects; "…" matches any label.
struct CyclePattern {
    private var steps: [String]

    /// A pattern like "Owner.child → Child.handler {} → Owner".
    init(_ text: String) {
        var steps = text.components(separatedBy: " → ")
        steps.removeLast()
        self.steps = steps
    }

    /// Whether `description` describes this cycle, from any starting point.
    func matches(_ description: String) -> Bool {
        let found = CyclePattern(description).steps
        guard found.count == steps.count else { return false }
        return steps.indices.contains { shift in
            steps.indices.allSatisfy { place in
                Self.step(steps[place], matches: found[(place + shift) % found.count])
            }
        }
    }

    /// The steps as a closed path, which ends at its first step.
    static func text(_ steps: [String]) -> String {
        let begin = steps.first.map { step in
            String(step.prefix(upTo: step.firstLabel))
        }
        return (steps + [begin ?? ""]).joined(separator: " → ")
    }

    /// A label with its closures set apart, and without keys.
    static func tidied(_ way: String) -> String {
        var tidied = ""
        var rest = Substring(way)
        while let next = rest.first {
            if rest.hasPrefix("{}") {
                while rest.hasPrefix("{}") { rest.removeFirst(2) }
                tidied += " {}"
            } else if next == "[", let end = rest.firstIndex(of: "]") {
                let key = rest[rest.index(after: rest.startIndex)..<end]
                tidied += key.hasPrefix("\"") ? "[key]" : "[\(key)]"
                rest = rest[rest.index(after: end)...]
            } else {
                tidied.append(next)
                rest.removeFirst()
            }
        }
        return tidied
    }

    private static func step(_ pattern: String, matches found: String) -> Bool {
        guard let gap = pattern.range(of: "…") else { return pattern == found }
        let head = pattern[..<gap.lowerBound]
        let tail = pattern[gap.upperBound...]
        return found.count >= head.count + tail.count && found.hasPrefix(head) && found.hasSuffix(tail)
    }
}

extension String {
    /// The index of the label in "Owner<Int>.child[1] {}".
    fileprivate var firstLabel: Index {
        var depth = 0
        for place in indices {
            switch self[place] {
            case "<", "(": depth += 1
            case ")": depth -= 1
            case ">": if place == startIndex || self[index(before: place)] != "-" { depth -= 1 }
            case ".", "[", " ": if depth == 0 { return place }
            default: break
            }
        }
        return endIndex
    }
}
