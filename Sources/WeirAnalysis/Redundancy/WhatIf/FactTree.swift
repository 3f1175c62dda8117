import WeirTrace

/// The tree of the facts of a turn; valid while the turn exists and gets no further facts.
struct FactTree {
    private let facts: UnsafeMutablePointer<RecordedTurn.Fact>

    @inline(__always)
    init(_ facts: UnsafeMutablePointer<RecordedTurn.Fact>) { self.facts = facts }

    /// Whether both are trees of one turn.
    @inline(__always)
    func isSame(as other: FactTree) -> Bool { facts == other.facts }

    @inline(__always)
    subscript(fact: Int) -> RecordedTurn.Fact {
        _read { yield facts[fact] }
        nonmutating _modify { yield &facts[fact] }
    }

    /// The direct children of a fact, in order.
    @inline(__always)
    func children(of fact: Int) -> FactSequence { siblings(from: facts[fact].firstChild) }

    /// A fact and its later siblings; none for -1.
    @inline(__always)
    func siblings(from first: Int32) -> FactSequence { FactSequence(facts, from: first, isOfDeliveries: false) }

    /// The facts of the deliveries through a subscription, in order.
    @inline(__always)
    func deliveries(_ flow: RecordedTurn.Flow) -> FactSequence {
        FactSequence(facts, from: flow.first, isOfDeliveries: true)
    }

    /// The actions in a delivery, in order.
    func acts(of fact: Int) -> [FactRole] {
        var found: [FactRole] = []
        addActs(of: fact, to: &found)
        return found
    }

    private func addActs(of fact: Int, to found: inout [FactRole]) {
        for child in children(of: fact) {
            switch facts[child].role {
            case .nothing, .mark, .stopped, .waiting, .result, .scheduled: break
            case .batch, .stimulus, .hop:
                found.append(facts[child].role)
                addActs(of: child, to: &found)
            case let role: found.append(role)
            }
        }
    }

    /// Whether all that happens in a fact is that subscriptions end.
    func onlyEnds(_ fact: Int) -> Bool {
        children(of: fact).allSatisfy { child in
            switch facts[child].role {
            case .nothing, .ended, .structure: true
            case .ending, .endDelivery: onlyEnds(child)
            default: false
            }
        }
    }
}

/// Linked facts of a turn.
struct FactSequence: Sequence, IteratorProtocol {
    private let facts: UnsafeMutablePointer<RecordedTurn.Fact>
    private var following: Int32
    private let isOfDeliveries: Bool

    @inline(__always)
    fileprivate init(_ facts: UnsafeMutablePointer<RecordedTurn.Fact>, from first: Int32, isOfDeliveries: Bool) {
        self.facts = facts
        following = first
        self.isOfDeliveries = isOfDeliveries
    }

    var isEmpty: Bool { following < 0 }

    @inline(__always)
    mutating func next() -> Int? {
        guard following >= 0 else { return nil }
        let fact = Int(following)
        following = isOfDeliveries ? facts[fact].nextDelivery : facts[fact].nextSibling
        return fact
    }
}

/// The role of a fact in a replay.
enum FactRole: Equatable {
    /// It follows from other facts, or changes nothing.
    case nothing
    /// A value was written to a node that holds one.
    case write(node: Int, RecordedValue)
    /// A node without a current value gave one to all subscribers.
    case broadcast(node: Int, RecordedValue)
    /// A cold node gave a value to its one subscriber.
    case cold(node: Int, RecordedValue, to: Int)
    /// A new subscriber was given the current value.
    case replay(node: Int, RecordedValue, to: Int)
    /// An operator let no value through.
    case stopped(node: Int, isEqual: Bool)
    /// A combiner emitted its result, or a batch emitted at its end.
    case result(node: Int)
    /// A combiner noted an input and did not compute.
    case waiting(node: Int)
    case delivery(subscription: Int, RecordedValue)
    /// A value waits for the actor of a handler.
    case scheduled(RecordedValue)
    /// The actor calls a handler with a value that waited.
    case handedOver(RecordedValue, to: Int)
    /// A subscription was notified of a completion or failure.
    case endDelivery(subscription: Int)
    case settling
    case stimulus
    case batch
    case hop
    /// A completion or failure of a node.
    case ending(node: Int)
    case began(subscription: Int)
    case ended(subscription: Int, reason: UInt8)
    case created(node: Int, RecordedValue)
    /// Nodes were released, or objects tracked.
    case structure
    case mark
    case released(object: UInt32)

    /// Whether a cold node gives a value.
    func isEmission(of node: Int) -> Bool { if case .cold(node, _, _) = self { true } else { false } }
}
