/// The facts of an event that decide nesting.
@_spi(Records)
public protocol NestedEvent {
    /// The kind of event.
    var kind: EventKind { get }
    /// The number of its record on its thread.
    var number: UInt64 { get }
    /// How many frames are open around it; the end of a stimulus, hop or batch has the depth of its beginning.
    var depth: Int { get }
    /// Whether it is an emission, completion or failure with deliveries.
    var delivers: Bool { get }
}

extension NestedEvent {
    /// Whether it is an emission of a value, a completion or a failure.
    @inlinable public var isEmission: Bool { kind == .emitted || kind == .completed || kind == .failed }

    /// Whether later events may be nested in it.
    @inlinable public var opensFrame: Bool {
        switch kind {
        case .emitted, .completed, .failed: delivers
        case .stimulusBegan, .hopBegan, .batchBegan: true
        default: false
        }
    }

    /// Whether it is the end of a stimulus, hop or batch.
    @inlinable public var endsFrame: Bool { kind == .stimulusEnded || kind == .hopEnded || kind == .batchEnded }
}

@_spi(Records)
extension TraceEvent: NestedEvent {
    /// The number of its record on its thread.
    @inlinable public var number: UInt64 { id.sequence }
}

/// The open frames of one thread, outermost first, event by event, each with what an analysis knows of it.
///
/// `FrameStack` decides which frames are open, and gives each event its depth. A walk follows that depth: a frame ends with the first
/// event at its depth or further out. So a walk may begin anywhere; it has no frames that were open before.
///
///     walk.settle(before: event)
///     if let place = walk.delivering(event) { count(walk[place]) }
///     walk.follow(event, payload)
///
/// Invariant (`checkInvariants`): the depths rise from the outermost frame to the innermost.
@_spi(Records)
public struct FrameWalk<Payload> {
    /// An open frame.
    public struct Frame {
        /// The kind of the event that opened it.
        public let kind: EventKind
        /// The number of the event that opened it.
        public let number: UInt64
        /// How many frames are open around it.
        public let depth: Int
        /// The index of the innermost emission or hop up to this frame, which causes what happens in it; -1: none.
        @usableFromInline let causing: Int
        /// The facts that an analysis knows of it.
        public var payload: Payload

        @inlinable @inline(__always)
        init(_ kind: EventKind, _ number: UInt64, depth: Int, causing: Int, _ payload: consuming Payload) {
            self.kind = kind
            self.number = number
            self.depth = depth
            self.causing = causing
            self.payload = payload
        }

        /// Whether it is the frame of an emission, completion or failure.
        @inlinable public var isEmission: Bool { kind == .emitted || kind == .completed || kind == .failed }
        /// Whether it delivers a completion or failure.
        @inlinable public var isEnding: Bool { kind == .completed || kind == .failed }
    }

    @usableFromInline var kept: [Frame] = []

    /// The open frames, outermost first.
    @inlinable public var frames: [Frame] { kept }

    /// A walk without open frames.
    @inlinable public init() {}

    /// The number of open frames.
    @inlinable public var count: Int { kept.count }
    /// The innermost open frame.
    @inlinable public var innermost: Frame? { kept.last }

    /// The facts of the frame at an index.
    @inlinable
    public subscript(place: Int) -> Payload {
        // Not `get`: that would copy the facts.
        _read { yield kept[place].payload }
        _modify { yield &kept[place].payload }
    }

    /// The index of the innermost emission or hop, which causes the current event; nil if there is none.
    @inlinable public var causing: Int? {
        guard !kept.isEmpty else { return nil }
        let place = kept[kept.count - 1].causing
        return place >= 0 ? place : nil
    }

    /// The index of the frame that the event with this number opened; nil: it is not open.
    @inlinable
    public func place(of number: UInt64) -> Int? {
        var (low, high) = (0, kept.count)
        while low < high {
            let middle = (low + high) / 2
            if kept[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < kept.count && kept[low].number == number ? low : nil
    }

    // MARK: Closing

    /// Closes the innermost frame that has ended before an event at this depth, and returns it; nil: all open frames are around it.
    @inlinable @inline(__always)
    public mutating func close(to depth: Int) -> Frame? {
        guard !kept.isEmpty, kept[kept.count - 1].depth >= depth else { return nil }
        return kept.removeLast()
    }

    /// Closes the innermost frame that has ended before the event, and returns it; nil: all open frames are around the event.
    @inlinable @inline(__always)
    public mutating func close(before event: some NestedEvent) -> Frame? { close(to: event.depth) }

    /// Closes all frames that have ended before an event at this depth.
    @inlinable @inline(__always)
    public mutating func settle(to depth: Int) { while close(to: depth) != nil {} }

    /// Closes all frames that have ended before the event.
    @inlinable @inline(__always)
    public mutating func settle(before event: some NestedEvent) { settle(to: event.depth) }

    /// Closes all frames that are not open in the stack of the same thread.
    package mutating func settle(in stack: borrowing FrameStack) {
        let stack = copy stack
        kept.removeAll { $0.depth >= stack.count || stack[$0.depth].sequence != $0.number }
    }

    /// Closes the innermost frame, whose end the current event is.
    @inlinable @inline(__always) @discardableResult
    public mutating func closeInnermost() -> Frame? { kept.popLast() }

    // MARK: Following

    /// The index of the emission whose delivery begins or ends with the event; nil if that is not known.
    @inlinable @inline(__always)
    public func delivering(_ event: some NestedEvent) -> Int? {
        let last = kept.count - 1
        guard last >= 0, kept[last].depth == event.depth - 1, kept[last].isEmission else { return nil }
        return last
    }

    /// Closes the emission whose deliveries end with the event, or else opens the event's frame.
    @inlinable @inline(__always)
    public mutating func follow(_ event: some NestedEvent, _ payload: @autoclosure () -> Payload) {
        if event.kind == .deliveryEnded {
            if delivering(event) != nil { kept.removeLast() }
        } else {
            open(event, payload())
        }
    }

    /// Opens the frame of an event; as many are kept as a reader of records keeps.
    @inlinable @inline(__always)
    public mutating func open(_ event: some NestedEvent, _ payload: @autoclosure () -> Payload) {
        guard event.opensFrame else { return }
        open(event.kind, event.number, at: event.depth, payload())
    }

    /// Opens the emission with this number, whose delivery begins with the event; its own beginning is not in the trace.
    @inlinable
    public mutating func restore(_ number: UInt64, delivering event: some NestedEvent, _ payload: Payload) {
        guard event.depth > 0 else { return }
        // A frame in its place has ended: its end is missing, too.
        settle(to: event.depth - 1)
        open(.emitted, number, at: event.depth - 1, payload)
    }

    /// Opens a frame at a depth.
    @inlinable @inline(__always)
    public mutating func open(_ kind: EventKind, _ number: UInt64, at depth: Int, _ payload: consuming Payload) {
        guard kept.count < FrameStack.limit else { return }
        let causes = kind != .stimulusBegan && kind != .batchBegan
        let causing = causes ? kept.count : self.causing ?? -1
        kept.append(Frame(kind, number, depth: depth, causing: causing, payload))
    }

    /// Traps if an invariant of the type does not hold; for tests.
    package func checkInvariants() {
        precondition(kept.count <= FrameStack.limit, "no more are kept than a reader keeps frames")
        for (outer, inner) in zip(kept, kept.dropFirst()) {
            precondition(outer.depth < inner.depth, "the depths of open frames rise")
        }
    }
}

extension FrameWalk: Sendable where Payload: Sendable {}
extension FrameWalk.Frame: Sendable where Payload: Sendable {}
