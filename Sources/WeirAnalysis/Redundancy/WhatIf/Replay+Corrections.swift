import WeirTrace

// Handlers that change a value on which they depend: it is changed before it is written, in place of that.
extension Replay {
    /// Corrections of values of a turn: nil if a value stays as it is.
    typealias Corrections = [Correction: RecordedValue?]

    struct Correction: Hashable {
        let node: Int
        let value: RecordedValue
    }

    /// The value that a node's own handlers turn a value into; it is written at once in its place.
    func ownValue(of node: Int, writing new: RecordedValue) throws(Stop) -> RecordedValue {
        var last = new
        guard !plan.ownHandlers.isEmpty else { return new }
        var changes = true
        while changes {
            changes = false
            try spend()
            if plan.corrected.contains(node), let corrected = try correction(of: last, node), corrected != last {
                (last, changes) = (corrected, true)
                continue
            }
            for subscription in program.topology.outputs[node]
            where plan.ownHandlers.contains(subscription) && isAlive(subscription) {
                try spend()
                guard let flow = program.flow(subscription),
                    let delivery = recordedDelivery(of: last, flow, subscription)
                else { continue }
                for act in facts.acts(of: delivery) {
                    guard case .write(node, let written) = act, written != last else { continue }
                    (last, changes) = (written, true)
                }
            }
        }
        return last
    }

    /// The value that a handler writes instead in the recorded turn, where it observes something computed from the given one.
    private func correction(of value: RecordedValue, _ node: Int) throws(Stop) -> RecordedValue? {
        let known: Corrections
        if let corrections { known = corrections } else { known = try recordedCorrections() }
        corrections = known
        return known[Correction(node: node, value: value)] ?? nil
    }

    private func recordedCorrections() throws(Stop) -> Corrections {
        var found: Corrections = [:]
        for fact in turn.facts.indices {
            let event = facts[fact].event
            guard event.kind == .emitted, !event.isReplayed, let node = program.topology.place(ofNode: event.subject),
                plan.corrected.contains(node)
            else { continue }
            try spend()
            let last = try lastCorrection(of: node, facts.children(of: fact), isInHandler: false)
            let former = found.updateValue(last, forKey: Correction(node: node, value: event.value))
            if let former, former != last { throw Stop(reason: .varyingHandler, node: node) }
        }
        return found
    }

    /// The last value that a handler of the loop writes to the node among these facts.
    private func lastCorrection(of node: Int, _ children: FactSequence, isInHandler: Bool) throws(Stop)
        -> RecordedValue?
    {
        var last: RecordedValue?
        for fact in children {
            try spend()
            var isInside = isInHandler
            switch facts[fact].role {
            case .write(node, let value) where isInHandler: last = value
            case .delivery(let subscription, _): isInside = plan.ownHandlers.contains(subscription)
            default: break
            }
            last = try lastCorrection(of: node, facts.children(of: fact), isInHandler: isInside) ?? last
        }
        return last
    }
}
