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

    static let mostResults = 256

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
    private var heights: [Int: Int] = [:]
    private let feedback: Set<Int>
    private let edges: [Int: [Int]]

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
    func isHot(_ node: Int) -> Bool {
        switch kinds[node] {
        case .observable, .emitter, .combiner, .observer, .command, .channel, .array, .binding, .share: true
        default: false
        }
    }

    /// What it gives out depends on more than the values that are written into it one by one.
    func hasOwnWays(_ node: Int) -> Bool {
        switch kinds[node] {
        case .command, .channel, .array, .observer, .binding: true
        default: false
        }
    }

    /// Evaluations of it count.
    func computes(_ node: Int) -> Bool {
        switch kinds[node] {
        case .combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest: true
        default: false
        }
    }

    /// What the node behind the subscription makes of a value depends on that value alone.
    func isWithoutMemory(_ subscription: Int) -> Bool {
        if topology.subscriptions[subscription].isTiming { return false }
        let target = topology.targets[subscription]
        guard target >= 0 else { return true }
        switch kinds[target] {
        case .observable, .combiner, .observer, .binding, .map, .compactMap, .filter, .merge, .startWith, .catch,
            .retry, .onEvent, .deliver, .subscribe, .delay, .disclose, .current, .share, .replay, .materialize,
            .dematerialize, .emitter:
            return true
        default: return false
        }
    }

    // MARK: Combiners

    func isCombinerInput(_ subscription: Int) -> Bool { topology.isCombinerInput(subscription, kinds) }

    /// The subscriptions that feed a combiner, those left out that have ended.
    func inputs(_ combiner: Int) -> [Int] { edges[combiner, default: []].filter { lives[$0] != .ended } }

    /// How many combiners stand, at most, on a way to this node.
    func height(_ node: Int) -> Int {
        if let known = heights[node] { return known }
        // Until it is known: a way back ends here.
        heights[node] = 0
        let inputs = kinds[node] == .combiner ? inputs(node).filter { !feedback.contains($0) } : []
        let height = kinds[node] == .combiner ? 1 + (inputs.map { self.height(topology.sources[$0]) }.max() ?? 0) : 0
        heights[node] = height
        return height
    }

    func forgetHeights() { if !heights.isEmpty { heights = [:] } }

    /// The inputs that closed a circle when they were made.
    private static func feedback(_ topology: Topology, _ edges: [Int: [Int]]) -> Set<Int> {
        var feedback: Set<Int> = []
        var inputs: [Int: [Int]] = [:]
        for place in edges.values.joined().sorted() {
            let (source, target) = (topology.sources[place], topology.targets[place])
            var visited: Set<Int> = []
            var pending = [source]
            var isFeedback = false
            while let next = pending.popLast(), !isFeedback {
                isFeedback = next == target
                if visited.insert(next).inserted { pending += inputs[next, default: []] }
            }
            if isFeedback { feedback.insert(place) } else { inputs[target, default: []].append(source) }
        }
        return feedback
    }

    // MARK: Who listens

    /// Whether a live handler can be reached from the node, or something else that shows or does something.
    func isObserved(_ node: Int) -> Bool {
        var visited: Set<Int> = [node]
        var pending = [node]
        while let next = pending.popLast() {
            for place in topology.outputs[next] where lives[place] == .alive {
                let target = topology.targets[place]
                guard topology.subscriptions[place].isInternal, target >= 0 else { return true }
                switch kinds[target] {
                case .observer, .binding, .command, .observable, .channel, .array: return true
                default: if visited.insert(target).inserted { pending.append(target) }
                }
            }
        }
        return false
    }

    /// Whether the owner of what the subscription feeds, or its own, has been released.
    func isOwnerReleased(_ subscription: Int) -> Bool {
        let definition = topology.subscriptions[subscription]
        let owners = [definition.owner, definition.target.flatMap { topology.definitions.nodes[$0]?.owner }]
        return owners.contains { $0.map(releasedObjects.contains) ?? false }
    }
}

extension Topology {
    /// Whether it feeds a combiner with the value of one of its inputs.
    fileprivate func isCombinerInput(_ place: Int, _ kinds: [NodeKind?]) -> Bool {
        guard subscriptions[place].isInternal, targets[place] >= 0, kinds[targets[place]] == .combiner else {
            return false
        }
        // A signal that is bound to a combiner writes into it; only what holds a value is an input.
        switch kinds[sources[place]] {
        case .observable, .combiner, .array: return true
        default: return false
        }
    }
}
