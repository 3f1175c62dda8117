import WeirTrace

/// The lives of nodes and subscriptions at the beginning of a stimulus, which may be known only of those that something happened to
/// in the part of the trace that was read.
final class PriorState {
    let topology: Topology
    /// Whether a life was asked for that is not known; the answer then needs more of the trace.
    private(set) var isUnsure = false

    private let state: TraceState
    private let unknownNodes: Set<Int>
    private let unknownSubscriptions: Set<Int>
    private let isWhole: Bool

    /// The state after all that happened before.
    init(_ state: TraceState) {
        (self.state, topology, isWhole) = (state, state.topology, true)
        (unknownNodes, unknownSubscriptions) = ([], [])
    }

    /// The state after some of what happened before, with the indexes of the nodes and subscriptions that it does not tell.
    init(_ state: TraceState, unknownNodes: Set<Int>, unknownSubscriptions: Set<Int>) {
        (self.state, topology, isWhole) = (state, state.topology, false)
        (self.unknownNodes, self.unknownSubscriptions) = (unknownNodes, unknownSubscriptions)
    }

    /// The finding of an additional question, or nil if it depends on a life that is not known: the answer then does without it.
    func ifKnown<Found>(_ find: () -> Found) -> Found? {
        let wasUnsure = isUnsure
        isUnsure = false
        defer { isUnsure = wasUnsure }
        let found = find()
        return isUnsure ? nil : found
    }

    func life(ofNode place: Int) -> NodeState.Life {
        if unknownNodes.contains(place) { isUnsure = true }
        return state.nodes[place].life
    }

    func life(ofSubscription place: Int) -> SubscriptionState.Life {
        if unknownSubscriptions.contains(place) { isUnsure = true }
        return state.subscriptions[place].life
    }

    /// How many subscriptions a node had.
    func subscriptionCount(ofNode place: Int) -> Int {
        if !unknownSubscriptions.isDisjoint(with: topology.outputs[place]) { isUnsure = true }
        return state.nodes[place].liveHandlers + state.nodes[place].liveEdges
    }

    /// Whether a node had emitted a value.
    func hasEmitted(_ place: Int) -> Bool {
        if !isWhole { isUnsure = true }
        return state.nodes[place].lastChange != nil
    }

    /// How many values of a node went no further.
    func suppressions(ofNode place: Int) -> UInt64 {
        if !isWhole { isUnsure = true }
        return state.nodes[place].suppressions
    }
}
