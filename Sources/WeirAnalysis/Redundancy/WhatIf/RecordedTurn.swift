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
        var isTooLong = false

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
    @exclusivity(unchecked) var facts: [Fact] = []
    /// The facts that lie in no other.
    @exclusivity(unchecked) var roots: [Int] = []
    /// Its events were not kept.
    @exclusivity(unchecked) var isTooLong = false
    /// Something of it is missing.
    @exclusivity(unchecked) var isIncomplete = false

    // What `read(in:)` finds.
    @exclusivity(unchecked) var flows: [Flow] = []
    @exclusivity(unchecked) var changes: [Change] = []
    /// The values that operators with a memory were given, and that nodes of such kinds gave out.
    @exclusivity(unchecked) var sequences: [Int: [RecordedValue]] = [:]
    /// What combiners made of the values of their inputs.
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Combiners that gave two results for the same values.
    var fickle: Set<Int> = []
    /// Which value of a node followed which, where only that tells that they differ.
    @exclusivity(unchecked) var successions: Set<Succession> = []
    @exclusivity(unchecked) var evaluations: [EvaluationFact] = []
    @exclusivity(unchecked) var figures = Figures()
    /// Where subscriptions began or ended, in order.
    @exclusivity(unchecked) var lives: [(subscription: Int, begins: Bool)] = []
    @exclusivity(unchecked) var hasHops = false
    @exclusivity(unchecked) var marks = 0
    var releasedObjects: [UInt32] = []
    /// Objects that should be gone by the next checkpoint.
    var expectedObjects: [UInt32] = []
    /// Whether it has a checkpoint: what was expected before it counts as released from the next turn on.
    var endsExpectations = false
    @exclusivity(unchecked) var isRead = false
    /// What keeps it from being played again as it was recorded; set once it has been tried.
    var proof: Result<Void, Replay.Stop>?
    /// Facts that opened frames, by event; made when a hop asks for them.
    private var openers: [EventID: Int]?
    /// The deliveries of values, in the order of the trace; made when a replay takes them in another order.
    private var deliveries: [DeliveryKey: [Int]]?

    var first: EventID { roots.first.map { facts[$0].event.id } ?? EventID(thread: 0, sequence: 0) }

    /// Adds a fact to those that lie in another.
    func add(_ fact: Int, to parent: Int) {
        let last = facts[parent].lastChild
        if last < 0 { facts[parent].firstChild = Int32(fact) } else { facts[Int(last)].nextSibling = Int32(fact) }
        facts[parent].lastChild = Int32(fact)
    }

    /// The facts that lie right in another, in order.
    func children(of fact: Int) -> FactSequence {
        FactSequence(self, from: facts[fact].firstChild, isOfDeliveries: false)
    }

    /// Is as new.
    func forget() {
        stimulus = nil
        facts.removeAll(keepingCapacity: true)
        roots.removeAll(keepingCapacity: true)
        (isTooLong, isIncomplete, isRead, endsExpectations, hasHops, marks) = (false, false, false, false, false, 0)
        flows.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        if !sequences.isEmpty { sequences = [:] }
        if !results.isEmpty { results = [:] }
        if !fickle.isEmpty { fickle = [] }
        if !successions.isEmpty { successions = [] }
        evaluations.removeAll(keepingCapacity: true)
        figures = Figures()
        lives.removeAll(keepingCapacity: true)
        if !releasedObjects.isEmpty { releasedObjects = [] }
        if !expectedObjects.isEmpty { expectedObjects = [] }
        proof = nil
        (openers, deliveries) = (nil, nil)
    }

    /// All of them as one, to be read anew.
    static func joined(_ turns: [RecordedTurn]) -> RecordedTurn {
        let result = RecordedTurn()
        result.stimulus = turns.first?.stimulus
        for turn in turns {
            let offset = Int32(result.facts.count)
            for fact in turn.facts {
                var moved = Fact(event: fact.event)
                if fact.firstChild >= 0 { moved.firstChild = fact.firstChild + offset }
                if fact.lastChild >= 0 { moved.lastChild = fact.lastChild + offset }
                if fact.nextSibling >= 0 { moved.nextSibling = fact.nextSibling + offset }
                moved.endTicks = fact.endTicks
                result.facts.append(moved)
            }
            result.roots += turn.roots.map { $0 + Int(offset) }
            result.isTooLong = result.isTooLong || turn.isTooLong
            result.isIncomplete = result.isIncomplete || turn.isIncomplete
        }
        return result
    }

    /// The fact that opened the frame of an event; nil: it is of another turn.
    func opener(_ event: EventID) -> Int? {
        if openers == nil {
            let places = facts.indices.filter { facts[$0].event.opensFrame }
            openers = Dictionary(places.map { (facts[$0].event.id, $0) }) { first, _ in first }
        }
        return openers?[event]
    }

    /// The facts of the deliveries through a subscription, in order.
    func deliveries(_ flow: Flow) -> FactSequence { FactSequence(self, from: flow.first, isOfDeliveries: true) }

    /// The facts of the deliveries of a value through a subscription; nil: there are none.
    func deliveries(of key: DeliveryKey) -> [Int]? {
        if deliveries == nil {
            var found: [DeliveryKey: [Int]] = [:]
            for flow in flows {
                for fact in deliveries(flow) {
                    guard case .delivery(_, let value) = facts[fact].role else { continue }
                    found[DeliveryKey(subscription: flow.subscription, value: value), default: []].append(fact)
                }
            }
            deliveries = found
        }
        return deliveries?[key]
    }
}

/// Facts of a turn that are linked.
struct FactSequence: Sequence, IteratorProtocol {
    private let turn: RecordedTurn
    private var following: Int32
    private let isOfDeliveries: Bool

    @inline(__always)
    fileprivate init(_ turn: RecordedTurn, from first: Int32, isOfDeliveries: Bool) {
        self.turn = turn
        following = first
        self.isOfDeliveries = isOfDeliveries
    }

    var isEmpty: Bool { following < 0 }

    @inline(__always)
    mutating func next() -> Int? {
        guard following >= 0 else { return nil }
        let fact = Int(following)
        following = isOfDeliveries ? turn.facts[fact].nextDelivery : turn.facts[fact].nextSibling
        return fact
    }
}
