import WeirTrace

/// What happened in one turn as the trace has it: a tree of facts, and what they say of handlers and combiners.
///
/// Deliveries are facts of their own: what happened in them lies below them. A single event outside of all frames is a
/// turn, too. Several turns may be put together, to be played again as one.
final class RecordedTurn {
    /// A named stimulus, with what it holds.
    final class Stimulus {
        let name: String
        let depth: Int
        /// It holds more than is kept.
        @exclusivity(unchecked) var isTooLong = false
        /// Its turns that are held until it is over, and how many facts they have.
        @exclusivity(unchecked) var turns: [RecordedTurn] = []
        @exclusivity(unchecked) var facts = 0

        init(name: String, depth: Int) {
            self.name = name
            self.depth = depth
        }
    }

    struct Fact {
        let event: RecordedEvent
        /// The facts that lie in it, linked; -1: there is none.
        var firstChild: Int32 = -1
        var lastChild: Int32 = -1
        var nextSibling: Int32 = -1
        /// Of a delivery, the next one through its subscription.
        var nextDelivery: Int32 = -1
        /// Of a delivery: its recorded end.
        var endTicks: UInt64?
        var role = FactRole.nothing
        /// Of a refresh: its handler time.
        var ticks: UInt64 = 0
        /// Subscriptions or nodes begin or end in it, not counting deliveries further in.
        var hasStructure = false
    }

    /// What was delivered through a subscription.
    struct Flow {
        let subscription: Int
        /// How many values it was given.
        var received = 0
        var last: RecordedValue
        /// The facts of the first and the last delivery of a value.
        var first: Int32
        var end: Int32
    }

    /// What became of a node.
    struct Change {
        let node: Int
        /// Its value at the end; nil: it did not change.
        var value: RecordedValue?
        /// It gave out a value.
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
    /// The facts that lie in no other: the first and the last.
    @exclusivity(unchecked) private var firstRoot: Int32 = -1
    @exclusivity(unchecked) private var lastRoot: Int32 = -1
    /// Its events were not kept.
    @exclusivity(unchecked) var isTooLong = false
    /// Something of it is missing.
    @exclusivity(unchecked) var isIncomplete = false

    // What `read(in:)` finds.
    let flows = ScratchArray<Flow>()
    let changes = ScratchArray<Change>()
    /// The values that operators with a memory were given, and that nodes of such kinds gave out.
    @exclusivity(unchecked) var memories = Memories()
    /// What combiners made of the values of their inputs.
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Combiners that gave two results for the same values.
    @exclusivity(unchecked) var fickle: Set<Int> = []
    /// Which value of a node followed which, where only that tells that they differ.
    @exclusivity(unchecked) var successions: Set<Succession> = []
    let evaluations = ScratchArray<EvaluationFact>()
    @exclusivity(unchecked) var figures = Figures()
    /// Where subscriptions began or ended, in order.
    @exclusivity(unchecked) var lives: [(subscription: Int, begins: Bool)] = []
    @exclusivity(unchecked) var hasHops = false
    @exclusivity(unchecked) var marks = 0
    @exclusivity(unchecked) var releasedObjects: [UInt32] = []
    /// Objects that should be gone by the next checkpoint.
    @exclusivity(unchecked) var expectedObjects: [UInt32] = []
    /// Whether it has a checkpoint: what was expected before it counts as released from the next turn on.
    @exclusivity(unchecked) var endsExpectations = false
    @exclusivity(unchecked) var isRead = false
    /// What keeps it from being played again as it was recorded; set once it has been tried.
    @exclusivity(unchecked) var proof: Result<Void, Replay.Stop>?
    /// Facts that opened frames, by event; made when a hop asks for them.
    @exclusivity(unchecked) private var openers: [EventID: Int]?
    /// The deliveries of values, in the order of the trace; made when a replay takes them in another order.
    @exclusivity(unchecked) private var deliveries: [DeliveryKey: [Int]]?

    var first: EventID { firstRoot < 0 ? EventID(thread: 0, sequence: 0) : facts[Int(firstRoot)].event.id }

    /// Its facts, as they hang together.
    @inline(__always) var tree: FactTree { FactTree(facts.base) }

    /// The facts that lie in no other, in order.
    var roots: FactSequence { tree.siblings(from: firstRoot) }

    /// Adds a fact to those that lie in no other.
    func addRoot(_ fact: Int) {
        if lastRoot < 0 { firstRoot = Int32(fact) } else { facts[Int(lastRoot)].nextSibling = Int32(fact) }
        lastRoot = Int32(fact)
    }

    /// Adds a fact to those that lie in another.
    func add(_ fact: Int, to parent: Int) {
        let last = facts[parent].lastChild
        if last < 0 { facts[parent].firstChild = Int32(fact) } else { facts[Int(last)].nextSibling = Int32(fact) }
        facts[parent].lastChild = Int32(fact)
    }

    /// Of the facts, only the first event is kept.
    func keepFirstEvent() {
        let first = facts.isEmpty ? nil : facts[0].event
        facts.free()
        if let first { facts.append(Fact(event: first)) }
        (firstRoot, lastRoot) = first == nil ? (-1, -1) : (0, 0)
    }

    /// Its memory is freed, unless it is small.
    func freeIfLarge() {
        if facts.count >= 256 { for free in [facts.free, flows.free, changes.free, evaluations.free] { free() } }
    }

    /// Is as new.
    func forget() {
        if stimulus != nil { stimulus = nil }
        facts.removeAll()
        (firstRoot, lastRoot) = (-1, -1)
        (isTooLong, isIncomplete, isRead, endsExpectations, hasHops, marks) = (false, false, false, false, false, 0)
        flows.removeAll()
        changes.removeAll()
        memories.removeAll()
        if !results.isEmpty { results.removeAll(keepingCapacity: true) }
        if !fickle.isEmpty { fickle = [] }
        if !successions.isEmpty { successions = [] }
        evaluations.removeAll()
        figures = Figures()
        lives.removeAll(keepingCapacity: true)
        if !releasedObjects.isEmpty { releasedObjects = [] }
        if !expectedObjects.isEmpty { expectedObjects = [] }
        if proof != nil { proof = nil }
        if openers != nil { openers = nil }
        if deliveries != nil { deliveries = nil }
    }

    /// Is all of these as one, to be read anew.
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

    /// The fact that opened the frame of an event; nil: it is of another turn.
    func opener(_ event: EventID) -> Int? {
        if openers == nil {
            let places = facts.indices.filter { facts[$0].event.opensFrame }
            openers = Dictionary(places.map { (facts[$0].event.id, $0) }) { first, _ in first }
        }
        return openers?[event]
    }

    /// The facts of the deliveries of a value through a subscription; nil: there are none.
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
