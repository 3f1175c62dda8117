@_spi(Records) import WeirTrace

/// An emission as a link of a chain, in which each emission causes the next.
struct ChainLink {
    var node: UInt32
    /// The slot of the node that began the chain.
    var root: Int32
    /// How many emissions the chain has up to this one.
    var length: Int
}

/// The longest of the chains that begin at each node.
struct LongestChains {
    /// The lengths of the longest chains by the slot of their first node.
    private var lengths: [Int] = []
    var chains: [Int: EmissionChain] = [:]

    /// All chains with more than one link, the longest first.
    var longestFirst: [EmissionChain] {
        chains.values.sorted { ($0.length, $1.deepest) > ($1.length, $0.deepest) }
    }

    /// Takes an emission, completion or failure of the node in `slot`, a small number counted from 0; returns its link.
    mutating func take(_ event: TraceEvent, slot: Int, in open: FrameWalk<OpenEmission>) -> ChainLink {
        let root = ChainLink(node: event.subject, root: Int32(clamping: slot), length: 1)
        // Nearly all links are single emissions.
        guard let cause = open.causing, open.frames[cause].number == event.cause?.sequence,
            let former = open[cause].link
        else { return root }
        let link = ChainLink(node: event.subject, root: former.root, length: former.length + 1)
        let first = Int(link.root)
        while lengths.count <= first { lengths.append(1) }
        guard link.length > lengths[first] else { return link }
        lengths[first] = link.length
        let nodes = open.frames.compactMap(\.payload.link?.node).suffix(link.length - 1) + [link.node]
        chains[first] = EmissionChain(length: link.length, deepest: event.id, nodes: Array(nodes))
        return link
    }
}
