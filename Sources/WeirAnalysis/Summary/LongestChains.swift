import WeirTrace

/// The emissions that may be open on one thread, each with its chain.
///
/// Invariants (`checkInvariants`):
///
/// - Their depths rise from the outermost to the innermost.
/// - An emission with a cause among them is directly inside that cause, and its chain is longer by one.
struct OpenChains {
    struct Link {
        var sequence: UInt64
        var node: UInt32
        /// The slot of the node that began the chain.
        var root: Int32
        var depth: Int
        /// How many emissions the chain has up to this one.
        var length: Int
    }

    // No reader keeps more frames; in a hostile trace, more may seem to be open.
    private static let most = 4096
    private var links: [Link] = []

    /// The event as a link of its chain; kept if the chain may continue from it.
    mutating func take(_ event: TraceEvent, slot: Int) -> Link {
        // The cause is the innermost open emission or hop: links that began after it have ended, and so have links that are not
        // outside the event.
        let cause = event.cause?.sequence ?? .max
        while let last = links.last, last.depth >= event.depth || last.sequence > cause { links.removeLast() }
        var link = Link(
            sequence: event.id.sequence, node: event.subject, root: Int32(clamping: slot), depth: event.depth, length: 1
        )
        if let last = links.last, last.sequence == cause {
            (link.root, link.length) = (last.root, last.length + 1)
        }
        if event.delivers && links.count < Self.most { links.append(link) }
        return link
    }

    /// The nodes of the chain that ends with `last`, the latest link taken.
    func nodes(upTo last: Link) -> [UInt32] {
        let before = links.last?.sequence == last.sequence ? links.dropLast() : links[...]
        return before.suffix(last.length - 1).map(\.node) + [last.node]
    }

    /// Traps if an invariant of the type does not hold; for tests.
    func checkInvariants() {
        for (outer, inner) in zip(links, links.dropFirst()) {
            precondition(outer.depth < inner.depth, "the depths of open emissions rise")
            precondition(inner.length == 1 || inner.length == outer.length + 1, "links lie inside their causes")
        }
    }
}

/// The longest of the chains that begin at each node.
struct LongestChains {
    /// The lengths of the longest chains by the slot of their first node.
    private var lengths: [Int] = []
    private var chains: [Int: EmissionChain] = [:]

    /// All chains with more than one link, the longest first.
    var longestFirst: [EmissionChain] {
        chains.values.sorted { ($0.length, $1.deepest) > ($1.length, $0.deepest) }
    }

    /// Takes an emission, completion or failure of the node in `slot`, a small number counted from 0.
    mutating func take(_ event: TraceEvent, slot: Int, _ open: inout OpenChains) {
        let link = open.take(event, slot: slot)
        // Nearly all links are single emissions.
        guard link.length > 1 else { return }
        let root = Int(link.root)
        while lengths.count <= root { lengths.append(1) }
        guard link.length > lengths[root] else { return }
        lengths[root] = link.length
        let nodes = open.nodes(upTo: link)
        let part = EmissionChain.longestPart
        let isCut = nodes.count > 2 * part
        chains[root] = EmissionChain(
            length: link.length, deepest: event.id, beginning: isCut ? Array(nodes.prefix(part)) : nodes,
            end: isCut ? Array(nodes.suffix(part)) : [])
    }
}
