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

/// The facts that a summary needs of an open frame: its place in a chain of emissions, and the delivery that is under way.
struct OpenEmission {
    struct Delivery {
        var subscription: UInt32
        /// Deliveries of the same emission up to this one.
        var ordinal: UInt32
        /// The event that began it, and its time.
        var began: UInt64
        var beganTicks: UInt64
        /// The slot of the node whose value is delivered.
        var source: Int32?
        /// Whether the exact tick of its beginning is known.
        var isTimed: Bool
        /// Whether it is a terminal delivery of a value that the handler has not carried on so far.
        var isUncarried: Bool
    }

    /// The link of an emission; nil for a frame that is none, or whose beginning is unknown.
    var link: ChainLink?
    var delivery: Delivery?
}

/// Finds the slot of an id, fast for the small ids that recorders assign.
struct SlotTable {
    // Larger ids go to a dictionary, so that a hostile id costs no more memory than any other.
    private static let denseLimit: UInt32 = 65_536
    private var dense: [Int32] = []
    private var sparse: [UInt32: Int32] = [:]

    /// The slot of an id; nil if it has none.
    subscript(id: UInt32) -> Int? {
        get {
            if Int(id) < dense.count {
                let slot = dense[Int(id)]
                return slot < 0 ? nil : Int(slot)
            }
            return sparse.isEmpty ? nil : sparse[id].map(Int.init)
        }
        set {
            let slot = newValue.map { Int32(clamping: $0) } ?? -1
            if id < Self.denseLimit {
                while dense.count <= Int(id) { dense.append(-1) }
                dense[Int(id)] = slot
            } else {
                sparse[id] = slot < 0 ? nil : slot
            }
        }
    }
}
