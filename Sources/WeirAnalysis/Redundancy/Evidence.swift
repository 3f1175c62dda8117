import WeirTrace

/// The direct causes of an event from the root on, read without a pass over the trace.
///
///     let evidence = Evidence(of: finding.example, in: reader)
///
/// The chunk that holds the event also lists the frames open around it. Only frames opened before that chunk, and causes behind
/// a hop, are looked up in other chunks. No more than `limit` steps are followed.
package struct Evidence: Sendable, Equatable {
    /// One event on the path.
    package struct Step: Sendable, Equatable {
        /// The event.
        package let event: TraceEvent
        /// How its cause, the step before it, brought it about.
        package let way: CauseStep.Way
    }

    /// The most steps to follow, and the most chunks to look up.
    package static let limit = 64

    /// The steps, each caused by the one before; the last one is the event itself.
    package let steps: [Step]
    /// The cause of the first step, if the trace no longer holds it.
    package let missingCause: EventID?
    /// Whether the first step has causes of its own that were not followed.
    package let goesOn: Bool

    init(steps: [Step], missingCause: EventID? = nil, goesOn: Bool = false) {
        self.steps = steps
        self.missingCause = missingCause
        self.goesOn = goesOn
    }

    /// The paths to the events with these ids; events that the trace lacks have none.
    ///
    /// Reads each chunk with such an event once, up to the last of the ids, and some others; keeps only a few chunks. The
    /// reader's losses and damage stay as they are.
    package static func all(of ids: some Sequence<EventID>, in reader: TraceReader) -> [EventID: Evidence] {
        let chunks = EventChunks(reader)
        var found: [EventID: Evidence] = [:]
        for id in Set(ids).sorted(by: { ($0.thread, $0.sequence) < ($1.thread, $1.sequence) }) {
            found[id] = Evidence(of: id, in: chunks)
        }
        return found
    }

    /// The path to the event with this id; nil if the trace has no such event.
    package init?(of id: EventID, in reader: TraceReader) { self.init(of: id, in: EventChunks(reader)) }

    private init?(of id: EventID, in chunks: EventChunks) {
        var chain: [TraceEvent] = []
        var (missing, hasMore, lookups): (EventID?, Bool, Int) = (nil, false, 0)
        var next: EventID? = id
        while let wanted = next {
            if !chunks.isKept(wanted) { lookups += 1 }
            guard chain.count < Self.limit, lookups <= Self.limit else {
                hasMore = true
                break
            }
            guard let event = chunks.event(wanted) else {
                missing = wanted
                break
            }
            chain.append(event)
            next = event.cause
        }
        if chain.isEmpty { return nil }
        let steps = chain.enumerated().map { place, event in
            let opener = place + 1 < chain.count ? chain[place + 1].kind : nil
            return Step(event: event, way: CauseStep.way(of: event, openedBy: opener))
        }
        self.init(steps: steps.reversed(), missingCause: missing, goesOn: hasMore)
    }
}

/// The events of the chunks used last.
private final class EventChunks {
    /// The events of one chunk, in the order of their numbers.
    private struct Chunk {
        let thread: UInt32
        var events: [TraceEvent] = []

        func place(of id: EventID) -> Int? {
            guard id.thread == thread, let first = events.first?.id.sequence, id.sequence >= first,
                id.sequence - first < UInt64(events.count)
            else { return nil }
            return Int(id.sequence - first)
        }
    }

    private static let most = 8

    private let reader: TraceReader
    /// The most recently used chunk comes last.
    private var chunks: [Chunk] = []

    init(_ reader: TraceReader) { self.reader = reader }

    func isKept(_ id: EventID) -> Bool { chunks.contains { $0.place(of: id) != nil } }

    /// The event with this id; nil if the trace has no such event.
    func event(_ id: EventID) -> TraceEvent? {
        let place = chunks.lastIndex { $0.place(of: id) != nil }
        let chunk = place.map { chunks.remove(at: $0) } ?? read(id)
        chunks.append(chunk)
        if chunks.count > Self.most { chunks.removeFirst() }
        return chunk.place(of: id).map { chunk.events[$0] }
    }

    private func read(_ id: EventID) -> Chunk {
        var chunk = Chunk(thread: id.thread)
        reader.forEachEvent(inChunkOf: id) { event in
            // Each event takes the number after the last; any other number marks the end of the chunk.
            if let last = chunk.events.last, event.id.sequence != last.id.sequence &+ 1 { return false }
            chunk.events.append(event)
            return true
        }
        return chunk
    }
}
