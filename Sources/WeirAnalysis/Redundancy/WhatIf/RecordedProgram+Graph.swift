import WeirTrace

// Reads facts from the graph: the heights of combiners, and which handlers can be reached.
extension RecordedProgram {
    /// The values of a combiner's inputs; nil if there are too many to compare.
    func inputValues(_ combiner: Int, _ value: (Int) -> RecordedValue) -> InputValues? {
        guard let open = inputs.open(combiner) else { return nil }
        return InputValues(combiner, open.map { value(topology.sources[Int($0)]) })
    }

    /// The most combiners on any path to this node.
    func height(_ node: Int) -> Int { heights[node] }

    /// Whether the node reaches a live handler, or another node that shows or does something.
    func isObserved(_ node: Int) -> Bool { sight.isObserved(node) { lives[$0] == .alive } }

    /// Whether the owner of the subscription's target, or of the subscription, was released before a turn.
    func isOwnerReleased(_ subscription: Int) -> Bool {
        topology.owners(ofSubscription: subscription).contains(where: releasedObjects.contains)
    }

    /// The first fact of a turn that says that such an owner was released; nil if there is none.
    func ownerRelease(_ subscription: Int, in turn: RecordedTurn) -> Int? {
        if turn.releases.isEmpty { return nil }
        let owners = topology.owners(ofSubscription: subscription)
        return turn.releases.first { owners.contains($0.object) }?.fact
    }
}

extension Topology {
    /// The owners of the subscription and of its target.
    fileprivate func owners(ofSubscription place: Int) -> [UInt32] {
        let definition = subscriptions[place]
        return [definition.owner, definition.target.flatMap { definitions.nodes[$0]?.owner }].compactMap(\.self)
    }

    /// Whether a subscription feeds a combiner with the value of one of its inputs.
    func isCombinerInput(_ place: Int, _ kinds: [NodeKind?]) -> Bool {
        guard subscriptions[place].isInternal, targets[place] >= 0, kinds[targets[place]] == .combiner else {
            return false
        }
        // A signal bound to a combiner writes to it; only nodes that hold a value are inputs.
        switch kinds[sources[place]] {
        case .observable, .combiner, .array: return true
        default: return false
        }
    }
}
