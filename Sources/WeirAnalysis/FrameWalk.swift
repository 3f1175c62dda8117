@_spi(Records) import WeirTrace

/// An event as far as nesting is concerned.
package protocol NestedEvent {
    var kind: EventKind { get }
    /// The number of its record on its thread.
    var number: UInt64 { get }
    /// How many frames are open around it; the end of a stimulus, hop or batch has the depth of its beginning.
    var depth: Int { get }
    /// Of an emission, completion or failure: whether it is delivered to anybody.
    var delivers: Bool { get }
}

extension NestedEvent {
    /// Whether it is an emission of a value, a completion or a failure.
    package var isEmission: Bool { kind == .emitted || kind == .completed || kind == .failed }

    /// Whether later events may be nested in it.
    package var opensFrame: Bool {
        switch kind {
        case .emitted, .completed, .failed: delivers
        case .stimulusBegan, .hopBegan, .batchBegan: true
        default: false
        }
    }
}

extension TraceEvent: NestedEvent {
    package var number: UInt64 { id.sequence }
}

/// The open frames of one thread, outermost first, event by event, each with what an analysis knows of it.
///
/// `FrameStack` gives each event its depth. That alone decides here which frames are open: a frame ends with the first event at its depth
/// or further out. So a walk may begin anywhere; frames that were open before have no place in it.
///
///     walk.settle(before: event)
///     if let place = walk.delivering(event) { count(walk[place]) }
///     walk.finish(event, opening: payload)
///
/// Invariant (`checkInvariants`): the depths rise from the outermost frame to the innermost.
package struct FrameWalk<Payload> {
    package struct Frame {
        package let kind: EventKind
        /// The number of the event that opened it.
        package let number: UInt64
        package let depth: Int
        /// The index of the innermost emission or hop up to this frame, which causes what happens in it; -1: none.
        fileprivate let causing: Int
        package var payload: Payload

        package var isEmission: Bool { kind == .emitted || kind == .completed || kind == .failed }
        /// Whether it delivers a completion or failure.
        package var isEnding: Bool { kind == .completed || kind == .failed }
    }

    package private(set) var frames: [Frame] = []

    package init() {}

    package var count: Int { frames.count }
    package var innermost: Frame? { frames.last }

    /// The facts of the frame at an index.
    package subscript(place: Int) -> Payload {
        // Not `get`: that would copy the facts.
        _read { yield frames[place].payload }
        _modify { yield &frames[place].payload }
    }

    /// The index of the innermost emission or hop, which causes the current event; nil if there is none.
    package var causing: Int? {
        guard !frames.isEmpty else { return nil }
        let place = frames[frames.count - 1].causing
        return place >= 0 ? place : nil
    }

    /// Closes the innermost frame that has ended before the event, and returns it; nil: all open frames are around the event.
    @inline(__always)
    package mutating func close(before event: some NestedEvent) -> Frame? {
        guard !frames.isEmpty, frames[frames.count - 1].depth >= event.depth else { return nil }
        return frames.removeLast()
    }

    /// Closes all frames that have ended before the event.
    @inline(__always)
    package mutating func settle(before event: some NestedEvent) {
        while !frames.isEmpty, frames[frames.count - 1].depth >= event.depth { frames.removeLast() }
    }

    /// The index of the emission whose delivery begins or ends with the event; nil if that is not known.
    @inline(__always)
    package func delivering(_ event: some NestedEvent) -> Int? {
        let last = frames.count - 1
        guard last >= 0, frames[last].depth == event.depth - 1, frames[last].isEmission else { return nil }
        return last
    }

    /// Opens the frame of an event; as many are kept as a reader of records keeps.
    @inline(__always)
    package mutating func open(_ event: some NestedEvent, _ payload: @autoclosure () -> Payload) {
        guard event.opensFrame else { return }
        open(event.kind, event.number, at: event.depth, payload())
    }

    /// Opens the emission with this number, whose delivery begins with the event; its own beginning is not in the trace.
    mutating func restore(_ number: UInt64, delivering event: some NestedEvent, _ payload: Payload) {
        guard event.depth > 0 else { return }
        // A frame in its place has ended: its end is missing, too.
        while let last = frames.last, last.depth >= event.depth - 1 { frames.removeLast() }
        open(.emitted, number, at: event.depth - 1, payload)
    }

    /// Opens a frame at a depth.
    @inline(__always)
    package mutating func open(_ kind: EventKind, _ number: UInt64, at depth: Int, _ payload: consuming Payload) {
        guard frames.count < FrameStack.limit else { return }
        let causes = kind != .stimulusBegan && kind != .batchBegan
        let causing = causes ? frames.count : self.causing ?? -1
        frames.append(Frame(kind: kind, number: number, depth: depth, causing: causing, payload: payload))
    }

    /// Closes the innermost frame, whose end the current event is.
    @inline(__always) @discardableResult
    package mutating func closeInnermost() -> Frame? { frames.popLast() }

    /// Traps if an invariant of the type does not hold; for tests.
    func checkInvariants() {
        precondition(frames.count <= FrameStack.limit, "no more are kept than a reader keeps frames")
        for (outer, inner) in zip(frames, frames.dropFirst()) {
            precondition(outer.depth < inner.depth, "the depths of open frames rise")
        }
    }
}

extension FrameWalk: Sendable where Payload: Sendable {}
extension FrameWalk.Frame: Sendable where Payload: Sendable {}
