import WeirTrace

/// Values that were written or delivered before the event that emits them: other values may have come since.
extension CauseStep {
    /// The input and the emission of a value that a node passes on in a hop: newer ones may wait by then.
    static func passed(
        _ event: TraceEvent, of place: Int, in frame: OpenFrame?, _ topology: Topology
    ) -> (input: Int, emission: EventID)? {
        switch topology.definitions.nodes[topology.nodeIDs[place]]?.kind {
        case .deliver, .delay: break
        default: return nil
        }
        guard event.kind == .emitted, !event.isReplayed, let frame, frame.opener == .hopBegan,
            frame.node == event.subject, let emission = frame.cause,
            let input = topology.input(behind: event, of: place)
        else { return nil }
        return (input, emission)
    }

    /// Whether anything may write a node, not only its inputs: then an input is a cause only of what its delivery wrote.
    static func isWritten(_ place: Int, _ topology: Topology) -> Bool {
        let node = topology.definitions.nodes[topology.nodeIDs[place]]
        return switch node?.kind {
        // Observation computes a property from its inputs.
        case .observable: node?.technique != .observation
        case .emitter, .channel, .array, .binding: true
        default: false
        }
    }

    /// Whether a node may use a value that a batch still holds back: a combiner reads it once it is stored.
    static func readsHeldWrites(_ place: Int, _ topology: Topology) -> Bool {
        guard place >= 0 else { return false }
        let node = topology.definitions.nodes[topology.nodeIDs[place]]
        return node?.kind == .combiner || node?.technique == .observation
    }

    /// The inputs of a node that anything may write: one of them is a cause if its delivery wrote the value.
    static func writtenInputs(
        of place: Int, _ event: TraceEvent, _ trigger: Int?, in frame: OpenFrame?, _ state: TraceState
    ) -> ([Input], unread: [Int: Unread]) {
        let writer = writer(of: place, event, in: frame, state)
        var (inputs, unread): ([Input], [Int: Unread]) = ([], [:])
        for edge in state.topology.inputs[place] {
            if edge != trigger, let writer, writer.input == edge {
                let (input, value) = input(edge, at: writer.emission, state)
                unread[inputs.count] = value
                inputs.append(input)
            } else if let input = input(edge, trigger, after: .max, state) {
                inputs.append(input)
            }
        }
        return (inputs, unread)
    }

    /// The input that wrote a value before its event, and the emission that it delivered; nil: there is none.
    private static func writer(
        of place: Int, _ event: TraceEvent, in frame: OpenFrame?, _ state: TraceState
    ) -> (input: Int, emission: EventID)? {
        if event.isReplayed { return nil }
        let topology = state.topology
        let hop = frame?.opener == .hopBegan ? frame : nil
        if let emission = hop?.cause, let input = topology.input(behind: event, of: place) { return (input, emission) }
        guard let held = carriedWrite(of: place, event, in: frame, state), let emission = held.cause,
            let input = topology.place(ofSubscription: held.subscription), topology.targets[input] == place
        else { return nil }
        return (input, emission)
    }

    /// The write that a batch held back and whose value an event of the node gives; nil: there is none.
    static func carriedWrite(
        of place: Int, _ event: TraceEvent, in frame: OpenFrame?, _ state: TraceState
    ) -> HeldWrite? {
        guard mayBeOfBatch(event), isWritten(place, state.topology), let held = state.heldWrites[place] else {
            return nil
        }
        let isLastWord = state.nodes[place].heldWrite == held.id
        // An equal value may be the outcome of the batch, or another write in it.
        if event.kind == .suppressed, !isLastWord { return nil }
        if let innermost = state.openFrames(ofThread: event.id.thread).last, innermost.opener == .batchBegan {
            return held.isInside(innermost.id) ? held : nil
        }
        // The batch left the value to another thread, which was delivering.
        guard let hop = frame, hop.opener == .hopBegan, hop.node == event.subject, isLastWord else { return nil }
        return hop.cause.map(held.isInside) == true ? held : nil
    }

    /// The nodes on whose values a command's `isEnabled` depends, and that a batch held back when the command refused.
    static func heldFeeds(of place: Int, _ event: TraceEvent, _ state: TraceState) -> [Input] {
        let topology = state.topology
        guard state.openFrames(ofThread: event.id.thread).contains(where: { $0.opener == .batchBegan }),
            let enabled = topology.enabled(ofCommand: place)
        else { return [] }
        var (next, seen, found) = ([enabled], Set([enabled]), [] as [Input])
        while let node = next.popLast(), seen.count < mostFeeds {
            for edge in topology.inputs[node] where state.subscriptions[edge].life == .alive {
                let source = topology.sources[edge]
                guard seen.insert(source).inserted else { continue }
                next.append(source)
                guard let write = state.nodes[source].heldWrite else { continue }
                let subscription = topology.subscriptions[edge]
                found.append(
                    Input(
                        subscription: subscription.id, source: subscription.source, role: .heldBack,
                        value: .notRecorded, emission: write, isTiming: subscription.isTiming))
            }
        }
        return found
    }

    private static let mostFeeds = 1000

    /// Whether an event may be what a batch says of a node when it ends.
    static func mayBeOfBatch(_ event: TraceEvent) -> Bool {
        event.kind == .emitted && !event.isReplayed || event.suppressionReason == .equal
    }
}
