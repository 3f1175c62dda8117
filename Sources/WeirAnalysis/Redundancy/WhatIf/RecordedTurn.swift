@_spi(Records) import WeirTrace

/// A turn, everything that one write, emission, batch or hop causes on its thread: a tree of facts, and what they show of handlers
/// and combiners.
///
/// A delivery is a fact, whose children are the events in it. A single event outside of all frames is a turn too. Several turns
/// may be joined, to be replayed as one.
final class RecordedTurn {
    /// A turn that caused a hop of this one, and was still open then.
    @exclusivity(unchecked) var awaited: RecordedTurn?

    /// A named stimulus, with its held turns.
    final class Stimulus {
        let name: String
        let depth: Int
        /// Whether it has more facts than are kept.
        @exclusivity(unchecked) var isTooLong = false
        /// Its turns that are held until it ends, and the number of their facts.
        @exclusivity(unchecked) var turns: [RecordedTurn] = []
        @exclusivity(unchecked) var facts = 0

        init(name: String, depth: Int) {
            self.name = name
            self.depth = depth
        }
    }

    struct Fact {
        let event: RecordedEvent
        /// The facts in it, linked; -1 if there is none.
        var firstChild: Int32 = -1
        var lastChild: Int32 = -1
        var nextSibling: Int32 = -1
        /// For a delivery, the next one through its subscription.
        var nextDelivery: Int32 = -1
        /// For a delivery, its recorded end.
        var endTicks: UInt64?
        var role = FactRole.nothing
        /// For a refresh, its handler time.
        var ticks: UInt64 = 0
        /// Whether subscriptions or nodes begin or end in it, except in deliveries further in.
        var hasStructure = false
    }

    /// The deliveries through a subscription.
    struct Flow {
        let subscription: Int
        /// How many values it received.
        var received = 0
        var last: RecordedValue
        /// The facts of the first and the last delivery of a value.
        var first: Int32
        var end: Int32
    }

    /// The changes of a node.
    struct Change {
        let node: Int
        /// Its value at the end; nil if it did not change.
        var value: RecordedValue?
        /// Whether it emitted a value.
        var hasEmitted = false
    }

    struct DeliveryKey: Hashable {
        let subscription: Int
        let value: RecordedValue
    }

    struct Succession: Hashable {
        let node: Int
        let former: RecordedValue
        let next: RecordedValue
    }

    struct EvaluationFact {
        let node: Int
        let isNoop: Bool
    }

    @exclusivity(unchecked) var stimulus: Stimulus?
    let facts = ScratchArray<Fact>()
    /// The first and the last root fact.
    @exclusivity(unchecked) private var firstRoot: Int32 = -1
    @exclusivity(unchecked) private var lastRoot: Int32 = -1
    /// Whether its events were not kept.
    @exclusivity(unchecked) var isTooLong = false
    /// Whether a part of it is missing.
    @exclusivity(unchecked) var isIncomplete = false

    // Results of `read(in:)`.
    let flows = ScratchArray<Flow>()
    let changes = ScratchArray<Change>()
    /// The values that operators with a memory received, and that nodes of such kinds emitted.
    @exclusivity(unchecked) var memories = Memories()
    /// The results of combiners for the values of their inputs.
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Combiners that produced two results for the same values.
    @exclusivity(unchecked) var fickle: Set<Int> = []
    /// Successive values of a node whose succession alone shows that they differ.
    @exclusivity(unchecked) var successions: Set<Succession> = []
    let evaluations = ScratchArray<EvaluationFact>()
    @exclusivity(unchecked) var figures = Figures()
    /// Subscriptions that began or ended, in order.
    @exclusivity(unchecked) var lives: [(subscription: Int, begins: Bool)] = []
    @exclusivity(unchecked) var hasHops = false
    /// By subscription, the values that began to wait for an actor, in order; and those that waited no longer.
    @exclusivity(unchecked) var handovers: [Int: [(fact: Int, handover: Handover)]] = [:]
    @exclusivity(unchecked) var handedOver: [Handover] = []
    /// How many facts were searched for emissions.
    @exclusivity(unchecked) private var searched = 0
    /// Nodes of type combineLatest that are made or released.
    @exclusivity(unchecked) var madeNodes: [Int] = []
    @exclusivity(unchecked) var releasedNodes: [Int] = []
    /// Objects whose release is recorded in it, with the facts that say so.
    @exclusivity(unchecked) var releases: [(object: UInt32, fact: Int)] = []
    /// Objects that should be gone by the next checkpoint.
    @exclusivity(unchecked) var expectedObjects: [UInt32] = []
    /// Whether it has a checkpoint: objects expected before it count as released from the next turn on.
    @exclusivity(unchecked) var endsExpectations = false
    @exclusivity(unchecked) var isRead = false
    /// Whether it can be replayed as recorded, and what prevents it; set by the first attempt.
    @exclusivity(unchecked) var proof: Result<Void, Replay.Stop>?
    /// Facts that opened frames, by event; created when a hop needs them.
    @exclusivity(unchecked) private var openers: [EventID: Int]?
    /// The deliveries of values, in the order of the trace; created when a replay takes them in another order.
    @exclusivity(unchecked) private var deliveries: [DeliveryKey: [Int]]?

    var first: EventID { firstRoot < 0 ? EventID(thread: 0, sequence: 0) : facts[Int(firstRoot)].event.id }

    /// The tree of its facts.
    @inline(__always) var tree: FactTree { FactTree(facts.base) }

    /// The root facts, in order.
    var roots: FactSequence { tree.siblings(from: firstRoot) }

    /// Adds a root fact.
    func addRoot(_ fact: Int) {
        if lastRoot < 0 { firstRoot = Int32(fact) } else { facts[Int(lastRoot)].nextSibling = Int32(fact) }
        lastRoot = Int32(fact)
    }

    /// Adds a fact to a parent.
    func add(_ fact: Int, to parent: Int) {
        let last = facts[parent].lastChild
        if last < 0 { facts[parent].firstChild = Int32(fact) } else { facts[Int(last)].nextSibling = Int32(fact) }
        facts[parent].lastChild = Int32(fact)
    }

    /// Removes the facts, except the first event.
    func keepFirstEvent() {
        let first = facts.isEmpty ? nil : facts[0].event
        facts.free()
        if let first { facts.append(Fact(event: first)) }
        (firstRoot, lastRoot) = first == nil ? (-1, -1) : (0, 0)
    }

    /// Frees its memory, unless it is small.
    func freeIfLarge() {
        if facts.count >= 256 { for free in [facts.free, flows.free, changes.free, evaluations.free] { free() } }
    }

    /// Resets it to a new turn.
    func forget() {
        if stimulus != nil { stimulus = nil }
        if awaited != nil { awaited = nil }
        facts.removeAll()
        (firstRoot, lastRoot) = (-1, -1)
        (isTooLong, isIncomplete, isRead, endsExpectations, hasHops) = (false, false, false, false, false)
        flows.removeAll()
        changes.removeAll()
        memories.removeAll()
        if !results.isEmpty { results.removeAll(keepingCapacity: true) }
        if !fickle.isEmpty { fickle = [] }
        if !successions.isEmpty { successions = [] }
        evaluations.removeAll()
        figures = Figures()
        lives.removeAll(keepingCapacity: true)
        if !handovers.isEmpty { handovers = [:] }
        if !handedOver.isEmpty { handedOver = [] }
        searched = 0
        if !madeNodes.isEmpty { madeNodes = [] }
        if !releasedNodes.isEmpty { releasedNodes = [] }
        if !releases.isEmpty { releases = [] }
        if !expectedObjects.isEmpty { expectedObjects = [] }
        if proof != nil { proof = nil }
        if openers != nil { openers = nil }
        if deliveries != nil { deliveries = nil }
    }

    /// Makes it one turn out of several, which has to be read again.
    func join(_ turns: [RecordedTurn]) {
        forget()
        stimulus = turns.first?.stimulus
        for turn in turns {
            let offset = Int32(facts.count)
            for fact in turn.facts.elements {
                var moved = Fact(event: fact.event)
                if fact.firstChild >= 0 { moved.firstChild = fact.firstChild + offset }
                if fact.lastChild >= 0 { moved.lastChild = fact.lastChild + offset }
                if fact.nextSibling >= 0 { moved.nextSibling = fact.nextSibling + offset }
                moved.endTicks = fact.endTicks
                facts.append(moved)
            }
            isTooLong = isTooLong || turn.isTooLong
            isIncomplete = isIncomplete || turn.isIncomplete
            guard turn.firstRoot >= 0 else { continue }
            if lastRoot < 0 {
                firstRoot = turn.firstRoot + offset
            } else {
                facts[Int(lastRoot)].nextSibling = turn.firstRoot + offset
            }
            lastRoot = turn.lastRoot + offset
        }
    }

    /// The fact that opened the frame of an event; nil if it belongs to another turn.
    func opener(_ event: EventID) -> Int? {
        if openers == nil {
            let places = facts.indices.filter { facts[$0].event.opensFrame }
            openers = Dictionary(places.map { (facts[$0].event.id, $0) }) { first, _ in first }
        }
        return openers?[event]
    }

    /// The latest emission or end of a node before a fact; nil if there is none, or if the search has taken too long.
    func emission(of node: UInt32, before fact: Int) -> Int? {
        var place = fact - 1
        while place >= 0, searched < Self.firstSearches + Self.searchesOfFact * facts.count {
            searched += 1
            let event = facts[place].event
            if event.subject == node, event.kind == .emitted || event.kind == .completed || event.kind == .failed {
                return place
            }
            place -= 1
        }
        return nil
    }

    /// The size of the turn limits the facts that are searched for emissions.
    private static let firstSearches = 4096
    private static let searchesOfFact = 16

    /// The facts of the deliveries of a value through a subscription; nil if there are none.
    func deliveries(of key: DeliveryKey) -> [Int]? {
        if deliveries == nil {
            var found: [DeliveryKey: [Int]] = [:]
            for flow in flows.elements {
                for fact in tree.deliveries(flow) {
                    guard case .delivery(_, let value) = facts[fact].role else { continue }
                    found[DeliveryKey(subscription: flow.subscription, value: value), default: []].append(fact)
                }
            }
            deliveries = found
        }
        return deliveries?[key]
    }
}
