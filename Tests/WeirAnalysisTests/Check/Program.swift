@testable import WeirAnalysis
@testable import WeirTrace

/// A program as findings see it: nodes and handlers on lines of files, each with a finding.
struct Program {
    /// A line with a finding.
    struct Line: Hashable {
        var rule: RedundancyRule
        /// The label of the node; nil: it is named by its line.
        var label: String?
        var file: String
        var line: Int
        /// The file and line of the handler; nil: the finding is at the node.
        var handler: TraceSite?
        var valueType = "Int"
    }

    var module = "App"
    var lines: [Line] = []

    /// The facts of its findings, as a recording has them.
    var findings: [CheckedFinding] {
        var definitions = TraceDefinitions()
        var tallies: [RuleTally] = []
        for (place, line) in lines.enumerated() {
            let id = UInt32(place + 1)
            definitions.nodes[id] = TraceNode(
                id: id, rawKind: 1, label: line.label, valueType: line.valueType,
                site: TraceSite(file: "\(module)/\(line.file)", line: line.line))
            if let handler = line.handler {
                definitions.subscriptions[id] = TraceSubscription(
                    id: id, source: id, site: TraceSite(file: "\(module)/\(handler.file)", line: handler.line))
            }
            tallies.append(.made(line.rule, node: id, subscription: line.handler == nil ? 0 : id))
        }
        let program = ProgramLines(definitions)
        return Findings(tallies, definitions).found.map { CheckedFinding($0, program) }
    }

    /// The names of its files.
    var files: Set<String> { Set(lines.flatMap { [$0.file] + [$0.handler?.file].compactMap(\.self) }) }

    /// A finding of a program with one line.
    static func finding(_ rule: RedundancyRule, node: String, file: String, line: Int) -> CheckedFinding {
        let parts = file.split(separator: "/").map(String.init)
        return Program(module: parts[0], lines: [Line(rule: rule, label: node, file: parts[1], line: line)]).findings[0]
    }

    /// A program with up to 12 findings, several of which are alike.
    static func random(_ random: inout RandomNumbers) -> Program {
        var program = Program()
        for _ in 0..<(1 + random.number(below: 12)) { program.add(&random) }
        return program
    }

    /// Adds a finding on a line of its own.
    mutating func add(_ random: inout RandomNumbers) {
        let rules: [RedundancyRule] = [.burst, .glitch, .repeatedValue]
        func file() -> String { ["Home.swift", "Cart.swift", "List.swift"][random.number(below: 3)] }
        var line = Line(
            rule: rules[random.number(below: 3)],
            label: random.number(below: 2) == 0 ? nil : "Model.\(random.element(of: "abc"))", file: file(), line: 0)
        if random.number(below: 2) == 0 { line.handler = TraceSite(file: file(), line: 0) }
        if random.number(below: 3) == 0 { line.valueType = "String" }
        let used = lines.flatMap { [$0.line, $0.handler?.line ?? 0] }.max() ?? 0
        line.line = used + 1 + random.number(below: 5)
        line.handler?.line = line.line + 1
        lines.append(line)
    }

    /// Moves lines down, keeping their order; renames the module, or a file.
    mutating func edit(_ random: inout RandomNumbers) {
        switch random.number(below: 3) {
        case 0:
            let (from, by) = (random.number(below: 40), random.number(below: 30))
            for place in lines.indices {
                if lines[place].line >= from { lines[place].line += by }
                if let line = lines[place].handler?.line, line >= from { lines[place].handler?.line += by }
            }
        case 1: module = "Module\(random.number(below: 1000))"
        default:
            guard let old = files.sorted().randomElement(using: &random) else { return }
            let new = "Renamed\(random.number(below: 1_000_000)).swift"
            for place in lines.indices {
                if lines[place].file == old { lines[place].file = new }
                if lines[place].handler?.file == old { lines[place].handler?.file = new }
            }
        }
    }
}
