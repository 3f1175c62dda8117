import Foundation
import WeirReport

/// Edge crossings in our graph layout and in that of Graphviz `dot`, counted in the same way: as drawn.
struct Crossings {
    let directory: TemporaryDirectory
    let isQuick: Bool

    /// Graphs of one kind.
    struct Family: Sendable {
        let name: String
        let make: @Sendable (inout RandomGraphs) -> DrawnGraph
    }

    private static let families = [20, 60, 200].flatMap { size in
        [
            Family(name: "\(size) nodes, tree with joins") { $0.tree(size) },
            Family(name: "\(size) nodes, flow with feedback") { $0.flow(size, edgesPerNode: 1.4) },
            Family(name: "\(size) nodes, dense flow") { $0.flow(size, edgesPerNode: 2) },
            Family(name: "\(size) nodes, flow in groups") { $0.grouped($0.flow(size, edgesPerNode: 1.4)) },
        ]
    }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Crossings, sums over \(rounds) graphs")
        for family in Self.families {
            var random = RandomGraphs(seed: 42)
            var (ours, theirs): (Int, Int?) = (0, 0)
            var time = Sample()
            for _ in 0..<rounds {
                let graph = family.make(&random)
                let start = Stopwatch.now
                let layout = LayeredLayout(nodes: graph.nodes, edges: graph.edges, groupCount: graph.groupCount)
                time.add(Double(Stopwatch.now - start) / 1e6)
                ours += graph.crossings(layout.routes.map { $0.points.isEmpty ? [] : Curve.points(of: $0) })
                let lines = try dotLines(graph)
                theirs = lines.flatMap { lines in theirs.map { $0 + graph.crossings(lines) } }
            }
            section.rows.append(
                Report.Row(
                    name: family.name,
                    figures: [
                        Figure("ours", Double(ours), ""), Figure("dot", theirs.map(Double.init), ""),
                        Figure("ours/dot", theirs.map { Double(max(1, ours)) / Double(max(1, $0)) }, "", atMost: 1.3),
                        Figure("our time", time.median, "ms"),
                    ]))
        }
        if Child.find("dot") == nil { Console.error("dot is not installed: there is nothing to compare with") }
        return section
    }

    private var rounds: Int { isQuick ? 3 : 12 }

    /// The lines that `dot` draws; nil if it is not installed.
    private func dotLines(_ graph: DrawnGraph) throws -> [[Curve.Place]]? {
        guard let program = Child.find("dot") else { return nil }
        let (source, result) = (directory.path("graph.dot"), directory.path("graph.plain"))
        try graph.dot.write(toFile: source, atomically: false, encoding: .utf8)
        guard try Child.run(program, ["-Tplain", "-o", result, source]) != nil else {
            throw BenchmarkError("dot failed")
        }
        return graph.lines(plain: try String(contentsOfFile: result, encoding: .utf8))
    }
}

/// A graph that both lay out.
struct DrawnGraph {
    var nodes: [LayeredLayout.Node]
    var edges: [LayeredLayout.Edge]
    var groupCount = 0

    /// Pairs of lines that cross and have no node in common.
    func crossings(_ lines: [[Curve.Place]]) -> Int {
        var count = 0
        for first in edges.indices {
            for second in edges.indices.dropFirst(first + 1) {
                let (one, other) = (edges[first], edges[second])
                guard one.source != other.source, one.source != other.target, one.target != other.source,
                    one.target != other.target
                else { continue }
                count += Curve.crossings(lines[first], lines[second])
            }
        }
        return count
    }

    var dot: String {
        var text = "digraph { rankdir=LR; node [shape=box fixedsize=true label=\"\"]; edge [arrowhead=none];\n"
        for group in 0..<groupCount {
            let members = nodes.indices.filter { nodes[$0].group == group }.map { "n\($0)" }
            text += "subgraph cluster\(group) { \(members.joined(separator: ";")) }\n"
        }
        for (index, node) in nodes.enumerated() {
            text += "n\(index) [width=\(node.width / 72) height=\(node.height / 72)];\n"
        }
        for edge in edges { text += "n\(edge.source) -> n\(edge.target);\n" }
        return text + "}\n"
    }

    /// Reads the lines of `dot -Tplain`, which lists edges in its own order.
    func lines(plain: String) -> [[Curve.Place]] {
        var found: [String: [Curve.Place]] = [:]
        for line in plain.split(separator: "\n") where line.hasPrefix("edge ") {
            let words = line.split(separator: " ")
            guard words.count > 4, let count = Int(words[3]), words.count >= 4 + 2 * count else { continue }
            let controls = (0..<count).map { index in
                Curve.Place(x: Double(words[4 + 2 * index]) ?? 0, y: Double(words[5 + 2 * index]) ?? 0)
            }
            found["\(words[1]) \(words[2])"] = Curve.points(controls: controls)
        }
        return edges.map { found["n\($0.source) n\($0.target)"] ?? [] }
    }
}
