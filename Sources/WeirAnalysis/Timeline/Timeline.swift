import WeirTrace

/// A trace that can be walked forward and back, with the state at any of its moments.
///
///     let timeline = try Timeline(TraceReader(path: "login.weir"))
///     timeline.move(to: 1000)
///     print(timeline.state.nodes[0].value)
///
/// It reads the file only up to the requested position. On the way it keeps *checkpoints*, snapshots of the state, at first one
/// for each 4096 events. When they take more than `checkpointByteLimit`, every second one is dropped, which doubles their
/// distance. To go back, the timeline restores the checkpoint before the target and moves forward. This costs as much as going
/// from one checkpoint to the next, anywhere in the trace.
///
/// Positions count events in the order of the trace: at position 0 nothing has happened, at position 1 the first event has. A
/// timeline must not be used by several threads at once.
package final class Timeline {
    /// The trace.
    package let reader: TraceReader
    /// The nodes and subscriptions of the trace.
    package let topology: Topology
    /// Converts ticks to nanoseconds.
    package let timeScale: TimeScale
    /// The state at the current position.
    package private(set) var state: TraceState
    /// The number of events in the trace; nil until the timeline has reached the end once.
    package private(set) var eventCount: UInt64?

    /// Called with the position before each step of some thousand events; returning false ends a long walk early.
    package var shallGoOn: ((UInt64) -> Bool)?
    /// Whether `shallGoOn` ended the last walk early: the searched event may still follow.
    package private(set) var wasInterrupted = false

    /// How many events have been taken on all walks so far, as a measure of cost.
    package private(set) var walkedEvents: UInt64 = 0

    private var place: TracePosition
    private var checkpoints: Checkpoints

    /// Opens a timeline at position 0.
    ///
    /// - Parameter checkpointByteLimit: The approximate limit of bytes for all checkpoints together. At least one is kept.
    package convenience init(_ reader: TraceReader, checkpointByteLimit: Int = 64 << 20) throws(TraceError) {
        try self.init(
            reader, checkpointByteLimit: checkpointByteLimit, checkpointSpacing: Checkpoints.leastSpacing)
    }

    /// As above, with the initial number of events between two checkpoints.
    convenience init(_ reader: TraceReader, checkpointByteLimit: Int, checkpointSpacing: UInt64) throws(TraceError) {
        let state = TraceState(Topology(try reader.definitions()), startTicks: reader.header.startTicks)
        self.init(
            reader, state, at: TracePosition(), checkpointByteLimit: checkpointByteLimit,
            checkpointSpacing: checkpointSpacing)
    }

    /// A timeline that begins with a state at a place in the trace.
    init(
        _ reader: TraceReader, _ state: TraceState, at place: TracePosition, checkpointByteLimit: Int = 64 << 20,
        checkpointSpacing: UInt64 = Checkpoints.leastSpacing
    ) {
        self.reader = reader
        topology = state.topology
        timeScale = TimeScale(reader.header)
        self.state = state
        self.place = place
        checkpoints = Checkpoints(
            byteLimit: checkpointByteLimit, spacing: checkpointSpacing, first: .init(state: state, place: place))
    }

    /// How many events have happened.
    package var position: UInt64 { state.order }

    /// The definitions of the trace.
    package var definitions: TraceDefinitions { topology.definitions }

    /// How many checkpoints are kept, how many events lie between two of them, and the most bytes that they take.
    package var checkpointCost: (count: Int, spacing: UInt64, bytes: Int) {
        (checkpoints.count, checkpoints.spacing, checkpoints.bytes)
    }

    /// Takes the next events as long as `body` returns true, up to the end of the trace.
    ///
    /// `body` gets each event after it has happened, so `state` includes it; it must not move the timeline. Returns the event
    /// at which `body` stopped; nil at the end of the trace, or if the walk was ended early.
    @discardableResult
    package func forward(_ body: (TraceEvent) throws -> Bool) rethrows -> TraceEvent? {
        try forward({ _ in }, while: body)
    }

    /// As above; `before` gets each event before it happens.
    @discardableResult
    func forward(
        _ before: (TraceEvent) throws -> Void, while body: (TraceEvent) throws -> Bool
    ) rethrows -> TraceEvent? {
        var stop: TraceEvent?
        // A separate flag: comparing an optional event with nil would copy the event each time.
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
            // A step that ended where a checkpoint is due may have been the last one: only an empty step shows the end.
            if position == due { checkpoints.keep(state, place) }
            if !isStopped, position < due { isOver = true }
        }
        if !isStopped { eventCount = position }
        return stop
    }

    /// Goes back to the last event before the current position for which `body` returns true.
    ///
    /// The new position is just after that event, or 0 if there is none.
    ///
    /// `body` gets events in the order of the trace, including some outside the range, and `state` includes each. It gets them
    /// one step at a time, the last step first; `beginning` is called before each step, in the state at its beginning.
    @discardableResult
    package func backward(
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
            // A later match may still follow.
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

    /// Goes to the moment after `target` events, or to the end of the trace; returns the new position.
    @discardableResult
    package func move(to target: UInt64) -> UInt64 {
        if target < position || checkpoints.nearest(upTo: target) > position { restoreCheckpoint(upTo: target) }
        if position < target { forward { _ in state.order < target } }
        return position
    }

    /// Goes to the moment just after the event with this id.
    ///
    /// Returns false if the trace has no such event; the position is then at the end.
    @discardableResult
    package func move(to id: EventID) -> Bool {
        restore(checkpoints.last { $0.place.nextSequence(ofThread: id.thread) <= id.sequence })
        var isFound = false
        forward { event in
            isFound = event.id == id
            return !isFound
        }
        return isFound
    }

    /// The position of the checkpoint from which the event with this id is reached.
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

    /// Goes to the last checkpoint whose state meets a condition, which must hold for all states up to some one.
    func restoreCheckpoint(where isBefore: (TraceState) -> Bool) { restore(checkpoints.last { isBefore($0.state) }) }

    /// Traps if an invariant of the checkpoints does not hold; for tests.
    func checkInvariants() { checkpoints.checkInvariants() }

    private func restoreCheckpoint(upTo target: UInt64) { restore(checkpoints.last { $0.state.order <= target }) }

    /// Restores the last checkpoint before a position; returns the checkpoint's position.
    private func restoreCheckpoint(before target: UInt64) -> UInt64 {
        restore(checkpoints.last { $0.state.order < target })
        return position
    }

    private func restore(_ checkpoint: Checkpoints.Checkpoint) {
        state = checkpoint.state
        place = checkpoint.place
    }
}
