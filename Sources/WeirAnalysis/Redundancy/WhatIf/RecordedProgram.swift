import WeirTrace

/// The recorded state of the program so far: values, subscriptions, and the behaviour of combiners and handlers.
///
/// Memory grows with nodes and subscriptions; the number of kept results of combiners is limited.
final class RecordedProgram {
    /// When a combiner reacts to its inputs.
    enum Strategy {
        case unknown
        case every
        case settled
        /// It reacts to some updates only: `.first`, `.all`.
        case gated

        init(_ strategy: NodeStrategy?) {
            self =
                switch strategy {
                case .every: .every
                case .settled: .settled
                case .first, .all: .gated
                case nil: .unknown
                }
        }
    }

    /// The recorded behaviour of the handler or operator behind a subscription.
    struct Handler {
        var deliveries: UInt64 = 0
        /// Whether it has written, emitted, subscribed or disposed.
        var hasActed = false
        /// Whether it has only ever written each given value to the node that it feeds.
        var isRelay = true
        /// Whether it has only ever emitted one value for each given one, and done nothing else.
        var emitsOnce = true
        var timedRefreshes: UInt64 = 0
        var ticks: UInt64 = 0

        var meanTicks: UInt64 { timedRefreshes == 0 ? 0 : ticks / timedRefreshes }
    }

    enum Life: UInt8 {
        case unmentioned
        case alive
        case ended
    }

    /// The most values that wait for actors; beyond that, all are forgotten, and count as the current ones when they are delivered.
    static let mostHandovers = 50_000
    /// The most results to keep, for all combiners together; beyond that, all are dropped.
    static let mostResults = 200_000
    /// Steps that replays may take at first, and for each fact that is read: the size of the trace bounds their cost.
    private static let firstSteps = 10_000_000
    static let stepsOfFact = 16

    let topology: Topology
    let kinds: [NodeKind?]
    @exclusivity(unchecked) var values: [RecordedValue]
    /// The live subscriptions to a hot node, in the order in which it delivers.
    @exclusivity(unchecked) var listeners: Listeners
    @exclusivity(unchecked) var lives: [Life]
    /// The order in which subscriptions began; 0 if the beginning was not recorded.
    @exclusivity(unchecked) var beginnings: [UInt64]
    private(set) var begun: UInt64 = 0
    @exclusivity(unchecked) var strategies: [Strategy]
    @exclusivity(unchecked) var handlers: [Handler]
    @exclusivity(unchecked) var lastDelivered: [RecordedValue?]
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Combiners that produced different results for the same values: they also read something else.
    @exclusivity(unchecked) var fickle: [Bool]
    @exclusivity(unchecked) var handJoins = HandJoins()
    /// Nodes that were seen to stop an equal value, and nodes that were seen to emit one.
    @exclusivity(unchecked) var comparing: [Bool]
    @exclusivity(unchecked) var repeating: [Bool]
    /// Each removeDuplicates that stopped a value that differs from the one before: it compares in a way of its own.
    @exclusivity(unchecked) var ownComparisons: Set<Int> = []
    var releasedObjects: Set<UInt32> = []
    /// Objects that should be gone by the next checkpoint.
    var expectedObjects: Set<UInt32> = []
    /// Nodes whose making has been recorded so far, and nodes of type combineLatest that were released.
    @exclusivity(unchecked) var madeNodes: Set<Int> = []
    @exclusivity(unchecked) var releasedNodes: Set<Int> = []
    /// Values that wait for actors.
    @exclusivity(unchecked) var handovers: Set<Handover> = []
    @exclusivity(unchecked) var inputs: CombinerInputs
    let isCombinerInput: [Bool]
    let isInternal: [Bool]
    private let withoutMemory: [Bool]
    /// Whether the node behind a subscription remembers only the value before.
    let remembersLast: [Bool]
    private let hot: [Bool]
    private let computing: [Bool]
    private let bodies: [Bool]
    private(set) lazy var heights = CombinerHeights(topology, isCombinerInput).values
    lazy var sight = Sight(topology, kinds)
    /// The replay without a remedy.
    var unchanged: Replay {
        if let unchangedReplay { return unchangedReplay }
        let replay = Replay(self, .none, Foresight(), from: ReplayState())
        unchangedReplay = replay
        return replay
    }
    @exclusivity(unchecked) private var unchangedReplay: Replay?
    /// Working memory that all replays share, one after the other.
    let notes = Replay.Notes()
    let noTurn = RecordedTurn()
    /// Steps that all replays together may still take, and steps that they have taken.
    @exclusivity(unchecked) var steps = RecordedProgram.firstSteps
    @exclusivity(unchecked) private(set) var spentSteps = 0

    /// The latest turn so far, and the latest one of another thread, each by the order of its last event.
    @exclusivity(unchecked) private var latest: (thread: UInt32, order: UInt64)?
    @exclusivity(unchecked) private var latestOther: UInt64 = 0

    // The positions of flows and changes in the current turn.
    @exclusivity(unchecked) private var turnNumber: UInt32 = 0
    @exclusivity(unchecked) private var flowPlaces: [TurnPlace]
    @exclusivity(unchecked) private var changePlaces: [TurnPlace]

    private struct TurnPlace {
        var turn: UInt32 = 0
        var place: Int32 = 0
    }

    init(_ topology: Topology) {
        self.topology = topology
        let nodes = topology.nodeIDs
        let kinds = nodes.map { topology.definitions.nodes[$0]?.kind }
        self.kinds = kinds
        values = nodes.map { RecordedValue.hidden(origin: .max - UInt64($0)) }
        listeners = Listeners(topology)
        fickle = .init(repeating: false, count: nodes.count)
        comparing = fickle
        repeating = fickle
        strategies = nodes.map { Strategy(topology.definitions.nodes[$0]?.strategy) }
        let count = topology.subscriptions.count
        lives = .init(repeating: .unmentioned, count: count)
        handlers = .init(repeating: Handler(), count: count)
        lastDelivered = .init(repeating: nil, count: count)
        beginnings = .init(repeating: 0, count: count)
        let isCombinerInput = (0..<count).map { topology.isCombinerInput($0, kinds) }
        self.isCombinerInput = isCombinerInput
        isInternal = topology.subscriptions.map(\.isInternal)
        withoutMemory = (0..<count).map { topology.isWithoutMemory($0, kinds) }
        remembersLast = (0..<count).map { topology.remembersLast($0, kinds) }
        hot = kinds.map { $0?.isHot ?? false }
        computing = kinds.map { $0?.computes ?? false }
        bodies = nodes.map { topology.definitions.nodes[$0]?.technique == .render }
        inputs = CombinerInputs(topology, isCombinerInput)
        flowPlaces = .init(repeating: TurnPlace(), count: count)
        changePlaces = .init(repeating: TurnPlace(), count: nodes.count)
    }

    /// Ends the pass and releases the replay, which refers to this program.
    func finish() { unchangedReplay = nil }

    /// Counts the steps of replays.
    func spend(_ count: Int) {
        steps -= count
        spentSteps += count
    }

    /// Notes the end of a turn.
    func noteEnd(of turn: RecordedTurn) {
        guard !turn.facts.isEmpty else { return }
        let (thread, order) = (turn.facts[0].event.thread, turn.facts.last.event.order)
        guard let known = latest, known.thread != thread else {
            latest = (thread, max(order, latest?.order ?? 0))
            return
        }
        if order > known.order {
            (latest, latestOther) = ((thread, order), known.order)
        } else {
            latestOther = max(latestOther, order)
        }
    }

    /// Whether a turn of another thread was open together with this one, and ended before it.
    func isOverlapped(_ turn: RecordedTurn) -> Bool {
        guard let latest, !turn.facts.isEmpty else { return false }
        let (thread, order) = (turn.facts[0].event.thread, turn.facts[0].event.order)
        return (latest.thread == thread ? latestOther : latest.order) > order
    }

    // MARK: The current turn

    /// Begins another turn, to which `flow` and `change` refer from here on.
    func enterTurn() { turnNumber &+= 1 }

    /// The position of a subscription's flow in the current turn; nil if nothing was delivered.
    @inline(__always)
    func flow(_ subscription: Int) -> Int? {
        flowPlaces[subscription].turn == turnNumber ? Int(flowPlaces[subscription].place) : nil
    }

    func setFlow(_ place: Int, of subscription: Int) {
        flowPlaces[subscription] = TurnPlace(turn: turnNumber, place: Int32(place))
    }

    /// The position of a node's change in the current turn; nil if there is none.
    @inline(__always)
    func change(_ node: Int) -> Int? {
        changePlaces[node].turn == turnNumber ? Int(changePlaces[node].place) : nil
    }

    func setChange(_ place: Int, of node: Int) {
        changePlaces[node] = TurnPlace(turn: turnNumber, place: Int32(place))
    }

    /// The next number of a beginning.
    func nextBeginning() -> UInt64 {
        begun += 1
        return begun
    }

    // MARK: Nodes

    /// Whether it is a property of a class that other code reads and writes, too.
    func isTraced(_ node: Int) -> Bool {
        topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .traced
    }

    /// Whether the node holds a value, and emits only values that differ from it.
    func holds(_ node: Int) -> Bool {
        switch kinds[node] {
        case .observable, .combiner, .array: true
        default: false
        }
    }

    /// Whether the node exists once for all its subscribers.
    func isHot(_ node: Int) -> Bool { hot[node] }

    /// Whether its output depends on more than the single values written to it.
    func hasOwnWays(_ node: Int) -> Bool {
        switch kinds[node] {
        case .command, .channel, .observer, .binding: true
        default: false
        }
    }

    /// Whether its evaluations count.
    func computes(_ node: Int) -> Bool { computing[node] }

    /// Whether the node is a body, which shows each result, also one that equals the result before.
    func isBody(_ node: Int) -> Bool { bodies[node] }

    /// Whether the node behind the subscription passes on each value, in a hop.
    func passesOnLater(_ subscription: Int) -> Bool {
        let target = topology.targets[subscription]
        return target >= 0 && (kinds[target] == .deliver || kinds[target] == .delay)
    }

    /// Whether the node behind the subscription derives its output from the current value alone.
    func isWithoutMemory(_ subscription: Int) -> Bool { withoutMemory[subscription] }
}

extension Topology {
    /// Whether the node behind a subscription derives its output from the current value alone.
    fileprivate func isWithoutMemory(_ subscription: Int, _ kinds: [NodeKind?]) -> Bool {
        if subscriptions[subscription].isTiming { return false }
        let target = targets[subscription]
        guard target >= 0 else { return true }
        if runs.isFlatMap(target), runs.isRequest(subscription, of: target) { return true }
        switch kinds[target] {
        case .observable, .combiner, .array, .observer, .binding, .map, .compactMap, .filter, .merge, .startWith,
            .catch,
            .retry, .onEvent, .deliver, .subscribe, .delay, .disclose, .current, .share, .replay, .execution,
            .materialize,
            .dematerialize, .emitter, .multicast, .print:
            return true
        // A replay knows the value before.
        case .removeDuplicates, .changes: return true
        default: return false
        }
    }

    /// Whether the node behind a subscription remembers only the value before.
    fileprivate func remembersLast(_ subscription: Int, _ kinds: [NodeKind?]) -> Bool {
        guard targets[subscription] >= 0, subscriptions[subscription].isInternal else { return false }
        return kinds[targets[subscription]] == .removeDuplicates || kinds[targets[subscription]] == .changes
    }
}
