import WeirTrace

/// What a recording has told so far of the program: values, who listens, and how combiners and handlers behave.
///
/// Memory grows with nodes and subscriptions; of what combiners computed only so much is kept.
final class RecordedProgram {
    /// When a combiner answers its inputs.
    enum Strategy {
        case unknown
        case every
        case settled
        /// Some updates only: `.first`, `.all`.
        case gated
    }

    /// What is known of the handler or operator behind a subscription.
    struct Handler {
        var deliveries: UInt64 = 0
        /// It has written, emitted, subscribed or disposed.
        var hasActed = false
        /// All that it ever did was to write what it was given into the node that it feeds.
        var isRelay = true
        var timedRefreshes: UInt64 = 0
        var ticks: UInt64 = 0

        var meanTicks: UInt64 { timedRefreshes == 0 ? 0 : ticks / timedRefreshes }
    }

    enum Life: UInt8 {
        case unmentioned
        case alive
        case ended
    }

    /// So many results are kept, of all combiners together; then it begins anew.
    static let mostResults = 200_000

    let topology: Topology
    let kinds: [NodeKind?]
    var values: [RecordedValue]
    /// The live subscriptions to a hot node, in the order in which it delivers.
    var listeners: [[Int]]
    var lives: [Life]
    /// The subscriptions whose beginning was recorded, and the order in which they began.
    var beginnings: [Int: UInt64] = [:]
    var strategies: [Strategy]
    var handlers: [Handler]
    var lastDelivered: [RecordedValue?]
    var results: [Int: [[RecordedValue]: RecordedValue]] = [:]
    /// Combiners that gave different results for the same values: they read something else, too.
    var fickle: Set<Int> = []
    /// Nodes that were seen to stop an equal value, and nodes that were seen to give one out.
    var comparing: Set<Int> = []
    var repeating: Set<Int> = []
    var releasedObjects: Set<UInt32> = []
    /// Objects that should be gone by the next checkpoint.
    var expectedObjects: Set<UInt32> = []
    var resultCount = 0
    var heights: [Int: Int] = [:]
    var observed: [Int: Bool] = [:]
    let feedback: Set<Int>
    let edges: [Int: [Int]]

    init(_ topology: Topology) {
        self.topology = topology
        let nodes = topology.nodeIDs
        kinds = nodes.map { topology.definitions.nodes[$0]?.kind }
        values = nodes.map(RecordedValue.init(ofNode:))
        listeners = .init(repeating: [], count: nodes.count)
        strategies = .init(repeating: .unknown, count: nodes.count)
        let count = topology.subscriptions.count
        lives = .init(repeating: .unmentioned, count: count)
        handlers = .init(repeating: Handler(), count: count)
        lastDelivered = .init(repeating: nil, count: count)
        var edges: [Int: [Int]] = [:]
        for place in 0..<count where topology.isCombinerInput(place, kinds) {
            edges[topology.targets[place], default: []].append(place)
        }
        self.edges = edges
        feedback = Self.feedback(topology, edges)
    }

    // MARK: Nodes

    /// It holds a value, and gives out only what differs from it.
    func holds(_ node: Int) -> Bool { kinds[node] == .observable || kinds[node] == .combiner }

    /// It exists once, however many listen.
    func isHot(_ node: Int) -> Bool { kinds[node]?.isHot ?? false }

    /// What it gives out depends on more than the values that are written into it one by one.
    func hasOwnWays(_ node: Int) -> Bool {
        switch kinds[node] {
        case .command, .channel, .array, .observer, .binding: true
        default: false
        }
    }

    /// Evaluations of it count.
    func computes(_ node: Int) -> Bool { kinds[node]?.computes ?? false }

    /// What the node behind the subscription makes of a value depends on that value alone.
    func isWithoutMemory(_ subscription: Int) -> Bool {
        if topology.subscriptions[subscription].isTiming { return false }
        let target = topology.targets[subscription]
        guard target >= 0 else { return true }
        switch kinds[target] {
        case .observable, .combiner, .observer, .binding, .map, .compactMap, .filter, .merge, .startWith, .catch,
            .retry, .onEvent, .deliver, .subscribe, .delay, .disclose, .current, .share, .replay, .materialize,
            .dematerialize, .emitter, .multicast, .print:
            return true
        default: return false
        }
    }
}
