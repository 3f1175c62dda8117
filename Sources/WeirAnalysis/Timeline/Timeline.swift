import WeirTrace

/// A trace that can be walked forward and back: the state at any of its moments.
///
///     let timeline = try Timeline(TraceReader(path: "login.weir"))
///     timeline.move(to: 1000)
///     print(timeline.state.nodes[0].value)
///
/// It reads the file only as far as it is asked to go. On the way it keeps *checkpoints*, snapshots of the state, at first
/// one for each 4096 events; when they take more than `checkpointByteLimit`, every second is dropped, so they come to lie
/// twice as far apart. To go back, the state is taken from the checkpoint before and brought forward: that costs as much as
/// going forward from one checkpoint to the next, wherever in the trace it is.
///
/// Positions count events in the order of the trace: at position 0 nothing has happened, at position 1 the first event has.
/// Not for use by several threads at once.
public final class Timeline {
    /// The trace.
    public let reader: TraceReader
    /// The nodes and subscriptions of the trace.
    public let topology: Topology
    /// Turns ticks into nanoseconds.
    public let timeScale: TimeScale
    /// The state at the current position.
    public private(set) var state: TraceState
    /// The number of events in the trace; nil until its end was reached once.
    public private(set) var eventCount: UInt64?

    /// Asked before each stretch of some thousand events, with the position; false ends a long way early.
    public var shallGoOn: ((UInt64) -> Bool)?
    /// Whether the last way was ended early by `shallGoOn`: what it was to find may still be there.
    public private(set) var wasInterrupted = false

    /// How many events were taken up on all ways so far: what the answers have cost.
    public private(set) var walkedEvents: UInt64 = 0

    private var place = TracePosition()
    private var checkpoints: Checkpoints

    /// Opens a timeline at position 0.
    ///
    /// - Parameter checkpointByteLimit: Bytes that all checkpoints together may take, about. At least one is kept.
    public convenience init(_ reader: TraceReader, checkpointByteLimit: Int = 64 << 20) throws(TraceError) {
        try self.init(
            reader, checkpointByteLimit: checkpointByteLimit, checkpointSpacing: Checkpoints.leastSpacing)
    }

    /// As above, with so many events between two checkpoints at first.
    init(_ reader: TraceReader, checkpointByteLimit: Int, checkpointSpacing: UInt64) throws(TraceError) {
        self.reader = reader
        topology = Topology(try reader.definitions())
        timeScale = TimeScale(reader.header)
        state = TraceState(topology, startTicks: reader.header.startTicks)
        checkpoints = Checkpoints(
            byteLimit: checkpointByteLimit, spacing: checkpointSpacing, first: .init(state: state, place: place))
    }

    /// How many events have happened.
    public var position: UInt64 { state.order }

    /// What the definitions of the trace say.
    public var definitions: TraceDefinitions { topology.definitions }

    /// How many checkpoints are kept, how many events lie between two of them, and the bytes that they take at most.
    public var checkpointCost: (count: Int, spacing: UInt64, bytes: Int) {
        (checkpoints.count, checkpoints.spacing, checkpoints.bytes)
    }

    /// Lets the next events happen, as long as `body` gives true; at the end of the trace it stops as well.
    ///
    /// `body` gets each event when it has happened, so `state` includes it; it must not move the timeline. Gives the
    /// event at which `body` stopped; nil: the trace is over, or the way was ended early.
    @discardableResult
    public func forward(_ body: (TraceEvent) throws -> Bool) rethrows -> TraceEvent? {
        try forward({ _ in }, while: body)
    }

    /// As above; `before` gets each event when it has not happened yet.
    @discardableResult
    func forward(
        _ before: (TraceEvent) throws -> Void, while body: (TraceEvent) throws -> Bool
    ) rethrows -> TraceEvent? {
        var stop: TraceEvent?
        // A flag beside it: to compare an optional event with nil would copy it, for each event.
        var isStopped = false
        var isOver = false
        wasInterrupted = false
        while !isStopped, !isOver {
            if let shallGoOn, !shallGoOn(position) {
                wasInterrupted = true
                return nil
            }
            let due = checkpoints.nextDue(after: position)
            isOver = true
            try reader.forEachEvent(from: &place) { event in
                try before(event)
                state.take(event)
                walkedEvents &+= 1
                if try !body(event) {
                    stop = event
                    isStopped = true
                }
                isOver = false
                return !isStopped && state.order < due
            }
            // A stretch that ended where a checkpoint is due may have been the last one: only an empty one tells.
            if position == due { checkpoints.keep(state, place) }
            if !isStopped, position < due { isOver = true }
        }
        if !isStopped { eventCount = position }
        return stop
    }

    /// Goes back to the last event before the current position for which `body` gives true, to the moment at which it
    /// has just happened; to position 0 where there is none.
    ///
    /// `body` gets events in the order of the trace, more of them than lie in between, and `state` includes each. It gets
    /// them a stretch at a time, the last stretch first; `beginning` is called before each, in the state at its beginning.
    @discardableResult
    public func backward(
        beginning: () -> Void = {}, to body: (TraceEvent) throws -> Bool
    ) rethrows -> TraceEvent? {
        var end = position
        while end > 1 {
            let start = restoreCheckpoint(before: end - 1)
            beginning()
            var found: (order: UInt64, event: TraceEvent)?
            try forward { event in
                if state.order < end, try body(event) { found = (state.order, event) }
                return state.order + 1 < end
            }
            // What was found so far need not be the last.
            if wasInterrupted { return nil }
            if let found {
                move(to: found.order)
                return found.event
            }
            // The event at the checkpoint itself has not been seen yet.
            end = start + 1
        }
        move(to: 0)
        return nil
    }

    /// Goes to the moment at which so many events have happened, or to the end of the trace; gives the new position.
    @discardableResult
    public func move(to target: UInt64) -> UInt64 {
        if target < position || checkpoints.nearest(upTo: target) > position { restoreCheckpoint(upTo: target) }
        if position < target { forward { _ in state.order < target } }
        return position
    }

    /// Goes to the moment at which the event of this id has just happened; false: the trace has no such event, and the
    /// position is at its end.
    @discardableResult
    public func move(to id: EventID) -> Bool {
        restore(checkpoints.last { $0.place.nextSequence(ofThread: id.thread) <= id.sequence })
        var isFound = false
        forward { event in
            isFound = event.id == id
            return !isFound
        }
        return isFound
    }

    /// Where the checkpoint lies from which the event of this id is to be reached.
    func checkpoint(before id: EventID) -> UInt64 {
        checkpoints.last { $0.place.nextSequence(ofThread: id.thread) <= id.sequence }.state.order
    }

    /// Goes to the last checkpoint before all of these events.
    func restoreCheckpoint(before ids: [EventID]) {
        restore(
            checkpoints.last { checkpoint in
                ids.allSatisfy { checkpoint.place.nextSequence(ofThread: $0.thread) <= $0.sequence }
            })
    }

    /// Goes to the last checkpoint whose state meets a condition that all states up to some one meet, the first included.
    func restoreCheckpoint(where isBefore: (TraceState) -> Bool) { restore(checkpoints.last { isBefore($0.state) }) }

    /// Traps where an invariant of the checkpoints does not hold; for tests.
    func checkInvariants() { checkpoints.checkInvariants() }

    private func restoreCheckpoint(upTo target: UInt64) { restore(checkpoints.last { $0.state.order <= target }) }

    /// Restores the last checkpoint before a position; gives where it is.
    private func restoreCheckpoint(before target: UInt64) -> UInt64 {
        restore(checkpoints.last { $0.state.order < target })
        return position
    }

    private func restore(_ checkpoint: Checkpoints.Checkpoint) {
        state = checkpoint.state
        place = checkpoint.place
    }
}
