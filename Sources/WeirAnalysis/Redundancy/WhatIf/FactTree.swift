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
