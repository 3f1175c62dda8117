@_spi(Records) import WeirTrace

/// Selects the events caused by chosen stimuli, also through hops.
///
/// It must see all events, in order, from the first chosen stimulus on. An emission without a cause may be chosen like a
/// stimulus.
///
/// A hop is in the scope if its cause is. A hop whose cause is forgotten (`CascadeMarks`) counts as outside.
struct StimulusScope: Sendable {
    private struct ThreadState {
        /// The open frames, and whether each is in the scope.
        var frames = FrameWalk<Bool>()
        /// Whether each event is in the scope.
        var marks = CascadeMarks<Bool>()
    }

    private var threads: [UInt32: ThreadState] = [:]

    /// Whether the next event is in the scope; `isChosen` marks a chosen stimulus or root emission.
    mutating func contains(_ event: TraceEvent, isChosen: Bool) -> Bool {
        // The cause comes first: it may be on this thread.
        let isHopInside = event.kind == .hopBegan && event.cause.map(wasInside) ?? false
        // Moved, never copied: there may be many spans.
        var state = threads.removeValue(forKey: event.id.thread) ?? ThreadState()
        let isInside = step(event, isChosen: isChosen, isHopInside: isHopInside, &state)
        state.marks.note(isInside, from: event.id.sequence)
        threads[event.id.thread] = state
        return isInside
    }

    private func step(_ event: TraceEvent, isChosen: Bool, isHopInside: Bool, _ state: inout ThreadState) -> Bool {
        var ended: Bool?
        while let closed = state.frames.close(before: event) {
            ended = closed.depth == event.depth ? closed.payload : nil
        }
        let isInside =
            switch event.kind {
            case .hopBegan: isHopInside
            case .stimulusEnded, .hopEnded, .batchEnded: ended ?? state.frames.innermost?.payload ?? false
            default: isChosen || state.frames.innermost?.payload ?? false
            }
        state.frames.follow(event, isInside)
        return isInside
    }

    /// Whether an event seen earlier was inside.
    private func wasInside(_ id: EventID) -> Bool { threads[id.thread]?.marks.mark(of: id.sequence) ?? false }
}

/// The last emission of a node that nothing in the trace caused, or the last call of a callback.
///
/// It begins something as a stimulus does, and has the name of its node.
package struct RootEmission: Sendable, Equatable {
    /// The emission.
    package let beginning: EventID
    /// The end of its deliveries; the emission itself if it has none, or if the end is missing.
    package let end: EventID
}

extension TraceReader {
    /// The last emission without a cause of a node with exactly this name, or the last call if the node represents a callback; nil if
    /// there is none. Reads all events.
    package func lastRootEmission(of name: String, _ topology: Topology) -> RootEmission? {
        let definitions = topology.definitions
        let named = Set(topology.nodeIDs.filter { definitions.name(ofNode: $0) == name })
        if named.isEmpty { return nil }
        let callbacks = named.filter { definitions.nodes[$0]?.technique == .callback }
        var last: RootEmission?
        forEachEvent { event in
            if event.kind == .emitted, !event.isReplayed, named.contains(event.subject),
                event.isOutermost || callbacks.contains(event.subject)
            {
                last = RootEmission(beginning: event.id, end: event.id)
            } else if event.kind == .deliveryEnded, let beginning = last?.beginning, event.cause == beginning {
                last = RootEmission(beginning: beginning, end: event.id)
            }
            return true
        }
        return last
    }
}

/// Finds the last stimulus of a trace that matches a person's input; exact matches of the text come first.
struct StimulusSearch {
    private let wanted: EventFilter.Stimulus
    private var exact: (event: TraceEvent, number: UInt64)?
    private var similar: (event: TraceEvent, number: UInt64)?
    /// How many stimuli were seen.
    private(set) var count: UInt64 = 0
    /// How many of these match.
    private(set) var matches: UInt64 = 0

    init(_ wanted: EventFilter.Stimulus) { self.wanted = wanted }

    /// The beginning of the stimulus, and its number from 1; nil if none matched so far.
    var found: (event: TraceEvent, number: UInt64)? { exact ?? similar }

    /// Whether no further event can change the result.
    var isOver: Bool {
        if case .number(let number) = wanted { return count >= number }
        return false
    }

    /// Takes the next event of the trace.
    mutating func take(_ event: TraceEvent) {
        guard event.kind == .stimulusBegan else { return }
        count += 1
        guard wanted.isMet(by: event.text, number: count) else { return }
        matches += 1
        if case .text(event.text) = wanted { exact = (event, count) } else { similar = (event, count) }
    }
}
