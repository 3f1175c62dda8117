import WeirAnalysis
@_spi(Records) import WeirTrace

/// Draws the events of a trace on tracks: one for each thread with its handlers, and one for each node that a thread drives.
///
/// A frame is written when it closes, because only then all arrows that begin in it are known. So memory grows with open
/// frames and tracks, not with events.
struct TrackBuilder<Format: TrackFormat> {
    /// An open stimulus, batch, hop or emission.
    private struct Frame {
        var slice: TrackSlice
        var id: EventID
        /// The node that emitted; nil: it is no emission.
        var node: UInt32?
        /// The handler that the emission is being delivered to.
        var handler: TrackSlice?
    }

    private struct ThreadState {
        var id: UInt64 = 0
        var frames = FrameWalk<Frame>()
        /// How many emissions of a node are open, to give an inner one a track of its own.
        var levels: [UInt32: UInt64] = [:]
    }

    /// The most arrows that begin in one slice.
    private static var mostFlows: Int { 64 }
    /// How many closed frames are remembered for the hops that they caused.
    private static var memory: Int { 65_536 }

    var format: Format
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    private let salt: UInt64
    private var threads: [UInt32: ThreadState] = [:]
    private var tracks: Set<UInt64> = []
    private var hopCauses: [EventID: TrackFlow] = [:]
    private var olderHopCauses: [EventID: TrackFlow] = [:]
    private var rates = Rates()

    init(_ format: Format, _ reader: TraceReader, number: Int) throws {
        self.format = format
        definitions = try reader.definitions()
        timeScale = TimeScale(reader.header)
        salt = UInt64(number) << 56
        let program = reader.header.program.split(separator: "/").last.map(String.init) ?? ""
        try self.format.process(program.isEmpty ? "trace \(number)" : program, id: reader.header.processID)
        try self.format.counter(salt | 1, name: "emissions/s")
        try self.format.counter(salt | 2, name: "refreshes/s")
    }

    mutating func take(_ event: TraceEvent) throws {
        let now = timeScale.nanosecondsSinceStart(event.ticks)
        var state = try threads.removeValue(forKey: event.id.thread) ?? begin(event.id.thread)
        while let closed = state.frames.close(before: event) { try write(closed.payload, now, &state) }
        switch event.kind {
        case .emitted, .completed, .failed: try emission(event, now, &state)
        case .stimulusBegan, .batchBegan, .hopBegan: try open(event, now, &state)
        case .deliveryBegan, .deliveryNext: try delivery(event, now, &state)
        case .deliveryEnded:
            if state.frames.delivering(event) != nil, let closed = state.frames.closeInnermost() {
                try write(closed.payload, now, &state)
            }
        case .suppressed:
            try moment(
                event, now, on: node(event.subject, &state), "stops: \(SuppressionReason.word(event.reason))",
                "suppressed", &state)
        case .frame, .checkpoint, .eventsLost:
            let name = event.kind == .checkpoint ? "checkpoint \(event.text)" : event.kind.name
            try moment(event, now, on: state.id, name, "mark", &state)
        default: break
        }
        threads[event.id.thread] = state
        // A local copy: the counters are written through `self`.
        var rates = rates
        try rates.take(event, now, definitions) { try format.count(salt | $0, at: $1, $2) }
        self.rates = rates
    }

    /// Closes the open spans.
    mutating func finish(at ticks: UInt64) throws {
        let now = timeScale.nanosecondsSinceStart(ticks)
        for (thread, state) in threads.sorted(by: { $0.key < $1.key }) {
            var state = state
            while let closed = state.frames.closeInnermost() { try write(closed.payload, now, &state) }
            threads[thread] = state
        }
        var rates = rates
        try rates.finish { try format.count(salt | $0, at: $1, $2) }
    }

    // MARK: Frames

    private mutating func emission(_ event: TraceEvent, _ now: UInt64, _ state: inout ThreadState) throws {
        let track = try node(event.subject, &state)
        let name =
            switch event.kind {
            case .emitted: definitions.name(ofNode: event.subject)
            default: definitions.name(ofNode: event.subject) + " " + event.kind.name
            }
        var details: [(StaticString, String)] = [("event", event.id.description)]
        if event.kind != .completed { details.append(("value", event.value.description)) }
        if let site = definitions.nodes[event.subject]?.site { details.append(("site", site.description)) }
        let slice = TrackSlice(
            track: track, name: name, category: "emission", began: now, ended: nil, details: details,
            incoming: incoming(event, to: track, now, &state))
        if event.delivers {
            push(event, slice, &state)
        } else {
            try format.slice(slice)
        }
    }

    private mutating func open(_ event: TraceEvent, _ now: UInt64, _ state: inout ThreadState) throws {
        let name =
            switch event.kind {
            case .stimulusBegan: event.text
            case .batchBegan: "batch"
            default: event.subject == 0 ? "hop" : "hop of " + definitions.name(ofNode: event.subject)
            }
        let slice = TrackSlice(
            track: state.id, name: name, category: "turn", began: now, ended: nil,
            details: [("event", event.id.description)], incoming: incoming(event, to: state.id, now, &state))
        push(event, slice, &state)
    }

    private mutating func push(_ event: TraceEvent, _ slice: TrackSlice, _ state: inout ThreadState) {
        var frame = Frame(slice: slice, id: event.id, node: event.isEmission ? event.subject : nil)
        frame.slice.outgoing.append(flow(frame.id))
        if event.isEmission { state.levels[event.subject, default: 0] += 1 }
        state.frames.open(event, frame)
    }

    private mutating func write(_ closed: Frame, _ now: UInt64, _ state: inout ThreadState) throws {
        var frame = closed
        try closeHandler(&frame, now)
        frame.slice.ended = max(now, frame.slice.began)
        if let node = frame.node, let level = state.levels[node] { state.levels[node] = level > 1 ? level - 1 : nil }
        if hopCauses.count >= Self.memory {
            olderHopCauses = hopCauses
            hopCauses = [:]
        }
        hopCauses[frame.id] = TrackFlow(
            id: flow(frame.id), fromTrack: frame.slice.track, fromNanoseconds: frame.slice.began)
        try format.slice(frame.slice)
    }

    private mutating func delivery(_ event: TraceEvent, _ now: UInt64, _ state: inout ThreadState) throws {
        guard let place = state.frames.delivering(event) else { return }
        try closeHandler(&state.frames[place], now)
        if let subscription = definitions.subscriptions[event.subject], !subscription.isInternal {
            state.frames[place].handler = TrackSlice(
                track: state.id, name: "handler \(subscription.site?.shortDescription ?? "\(event.subject)")",
                category: "handler", began: now, ended: nil,
                details: [
                    ("event", event.id.description), ("of", definitions.name(ofNode: subscription.source)),
                ])
        }
    }

    private mutating func closeHandler(_ frame: inout Frame, _ now: UInt64) throws {
        guard var handler = frame.handler else { return }
        handler.ended = max(now, handler.began)
        frame.handler = nil
        try format.slice(handler)
    }

    private mutating func moment(
        _ event: TraceEvent, _ now: UInt64, on track: UInt64, _ name: String, _ category: StaticString,
        _ state: inout ThreadState
    ) throws {
        try format.slice(
            TrackSlice(
                track: track, name: name, category: category, began: now, ended: nil,
                details: [("event", event.id.description)], incoming: incoming(event, to: track, now, &state)))
    }

    // MARK: Arrows and tracks

    private func flow(_ id: EventID) -> UInt64 { salt ^ UInt64(id.thread) << 40 ^ id.sequence }

    /// The arrow to an event from the open frame, or earlier frame, that caused it.
    private mutating func incoming(
        _ event: TraceEvent, to track: UInt64, _ now: UInt64, _ state: inout ThreadState
    ) -> TrackFlow? {
        guard let cause = event.cause else { return nil }
        if cause.thread == event.id.thread, let place = state.frames.place(of: cause.sequence) {
            let id = flow(event.id) | 1 << 55
            guard state.frames[place].slice.outgoing.count < Self.mostFlows else { return nil }
            state.frames[place].slice.outgoing.append(id)
            return TrackFlow(
                id: id, fromTrack: state.frames[place].slice.track, fromNanoseconds: state.frames[place].slice.began)
        }
        if let frames = threads[cause.thread]?.frames, let place = frames.place(of: cause.sequence) {
            let slice = frames[place].slice
            return TrackFlow(id: flow(cause), fromTrack: slice.track, fromNanoseconds: slice.began)
        }
        return hopCauses[cause] ?? olderHopCauses[cause]
    }

    private mutating func begin(_ thread: UInt32) throws -> ThreadState {
        let id = salt | UInt64(thread) << 8 | 3
        let name =
            switch definitions.runners[thread] {
            case .main?: "main queue"
            case .actor(let type)?: "actor \(type ?? "")"
            case nil: "thread \(thread)"
            }
        try format.track(id, parent: 0, name: name, thread: thread)
        return ThreadState(id: id)
    }

    /// The track of a node on a thread; declared at its first use.
    private mutating func node(_ id: UInt32, _ state: inout ThreadState) throws -> UInt64 {
        // Small numbers for thread tracks, mixed ones for nodes.
        let base = salt | (UInt64(id) << 16 &+ state.id &* 0x9E37_79B9_7F4A_7C15) & 0x007F_FFFF_FFFF_FF00
        // The innermost frame closes first, so these are the tracks that are free.
        let track = base &+ 4 &* (state.levels[id] ?? 0)
        if tracks.insert(track).inserted {
            try format.track(track, parent: state.id, name: definitions.name(ofNode: id), thread: nil)
        }
        return track
    }
}

/// Emissions and refreshes a second, measured over a hundredth of a second.
private struct Rates {
    private static let interval: UInt64 = 10_000_000
    private var began: UInt64 = 0
    private var emissions: UInt64 = 0
    private var refreshes: UInt64 = 0
    private var isQuiet = true

    mutating func take(
        _ event: TraceEvent, _ now: UInt64, _ definitions: TraceDefinitions,
        _ count: (UInt64, UInt64, UInt64) throws -> Void
    ) rethrows {
        if now >= began + Self.interval {
            try give(count)
            let start = now - now % Self.interval
            if start > began + Self.interval, !isQuiet { try give(at: began + Self.interval, count) }
            began = start
        }
        switch event.kind {
        case .emitted: emissions += 1
        case .deliveryBegan, .deliveryNext:
            let isTerminal = definitions.subscriptions[event.subject]?.isInternal == false
            if Meaning.isRefresh(event, isTerminal: isTerminal) { refreshes += 1 }
        default: break
        }
    }

    mutating func finish(_ count: (UInt64, UInt64, UInt64) throws -> Void) rethrows {
        try give(count)
        try give(at: began + Self.interval, count)
    }

    private mutating func give(
        at time: UInt64? = nil, _ count: (UInt64, UInt64, UInt64) throws -> Void
    ) rethrows {
        let perSecond = 1_000_000_000 / Self.interval
        isQuiet = emissions == 0 && refreshes == 0
        try count(1, time ?? began, emissions * perSecond)
        try count(2, time ?? began, refreshes * perSecond)
        (emissions, refreshes) = (0, 0)
    }
}
