import WeirTrace

/// The nodes that must wait, too, if a node waits until the turn settles.
///
/// Let `sum` depend on `source`, and `label` on both. If only `sum` waits, then `label` evaluates with the new source and the
/// former sum first, a value that it never had, and again once `sum` has settled.
struct SettledJoins {
    private let definitions: TraceDefinitions
    private let eager: Set<UInt32>
    private var sources: [UInt32: [UInt32]] = [:]
    private var targets: [UInt32: [UInt32]] = [:]

    /// Adds these nodes to the remedies of the worst findings.
    static func complete(_ findings: inout [Finding], _ lines: ProgramLines, eager: Set<UInt32>) {
        let places = findings.indices.filter { findings[$0].remedy?.kind == .settled }
        let batched = findings.indices.filter { findings[$0].remedy?.kind == .batch }
        defer { for place in places.prefix(mostFindings) { list(under: place, &findings, places) } }
        guard !places.isEmpty || !batched.isEmpty, !eager.isEmpty else { return }
        let graph = SettledJoins(lines.definitions, eager)
        for place in batched.prefix(mostFindings) {
            let nodes = Set(findings[place].tallies.filter { $0.ofSeveralWriters > 0 }.map(\.node))
            let settled = Set(nodes.compactMap(lines.batched)).filter(graph.computesEach).sorted()
            let joins = settled + graph.joins(with: settled)
            findings[place].remedy?.joins = joins.map { Remedy.Join(node: $0, site: lines.computingSite(ofNode: $0)) }
            let replaced = joins.filter { lines.definitions.nodes[$0]?.kind == .combineLatest }
            findings[place].remedy?.beginsWithCurrent =
                !replaced.isEmpty && replaced.allSatisfy(lines.beginsWithCurrent)
        }
        for place in places.prefix(mostFindings) {
            guard findings[place].primary == nil, var remedy = findings[place].remedy else { continue }
            let joins = graph.joins(with: remedy.nodes)
            remedy.joins = joins.map { Remedy.Join(node: $0, site: lines.computingSite(ofNode: $0)) }
            remedy.nodes += joins
            findings[place].remedy = remedy
        }
    }

    /// Lists findings whose nodes all wait by the remedy of a worse one under that one.
    private static func list(under place: Int, _ findings: inout [Finding], _ places: [Int]) {
        guard findings[place].primary == nil, let remedy = findings[place].remedy else { return }
        let waiting = Set(remedy.nodes)
        for other in places where other > place && findings[other].primary == nil {
            guard let nodes = findings[other].remedy?.nodes, waiting.isSuperset(of: nodes) else { continue }
            findings[other].primary = findings[place].fingerprint
            findings[other].remedy = nil
        }
    }

    /// A hostile trace may define many findings in a large graph.
    private static let mostFindings = 200
    private static let mostNodes = 10_000

    private init(_ definitions: TraceDefinitions, _ eager: Set<UInt32>) {
        (self.definitions, self.eager) = (definitions, eager)
        for subscription in definitions.subscriptions.values where subscription.isInternal && !subscription.isTiming {
            guard let target = subscription.target else { continue }
            sources[target, default: []].append(subscription.source)
            targets[subscription.source, default: []].append(target)
        }
    }

    /// Whether a node computes for each of several inputs that a batch delivers: unchanged values, or of some inputs only.
    private func computesEach(_ node: UInt32) -> Bool {
        guard let known = definitions.nodes[node], known.technique == .weir, eager.contains(node) else { return false }
        return (known.kind == .combiner || known.kind == .combineLatest) && Set(sources[node] ?? []).count > 1
    }

    /// The eager combiners that depend on one of `nodes`, and also on one of its sources without it.
    private func joins(with nodes: [UInt32]) -> [UInt32] {
        let below = reached(from: nodes, targets)
        let above = reached(from: nodes, sources).subtracting(nodes)
        let beside = reached(from: above, targets).subtracting(below)
        return below.subtracting(nodes).filter { node in
            guard eager.contains(node), let known = definitions.nodes[node], known.technique == .weir,
                known.kind == .combiner || known.kind == .combineLatest
            else { return false }
            let inputs = sources[node] ?? []
            return inputs.contains(where: below.contains) && inputs.contains(where: beside.contains)
        }.sorted()
    }

    /// These nodes and all that can be reached from them; the search stops at a limit.
    private func reached(from nodes: some Sequence<UInt32>, _ next: [UInt32: [UInt32]]) -> Set<UInt32> {
        var queue = Array(nodes)
        var reached = Set(queue)
        var place = 0
        while place < queue.count, queue.count < Self.mostNodes {
            for node in next[queue[place]] ?? [] where reached.insert(node).inserted { queue.append(node) }
            place += 1
        }
        return reached
    }
}
