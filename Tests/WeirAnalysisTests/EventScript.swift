@testable import WeirAnalysis
@testable import WeirTrace

/// Builds the events of one thread as a program would cause them; each stamp is a microsecond later.
struct EventScript {
    private(set) var events: [TraceEvent] = []
    private var frames: [(id: EventID, opener: EventKind, subscription: UInt32)] = []
    private var ticks: UInt64 = 1000
    private let thread: UInt32

    init(thread: UInt32 = 1) { self.thread = thread }

    /// The most recent event.
    var last: EventID { events[events.count - 1].id }

    mutating func stimulus(_ text: String) {
        add(.stimulusBegan, isStamped: true) { $0.text = text }
        frames.append((last, .stimulusBegan, 0))
    }

    mutating func endStimulus() {
        frames.removeLast()
        add(.stimulusEnded, isStamped: true)
    }

    /// Begins the work of `node` that was given to a scheduler at `cause`, during a delivery to `subscription`.
    mutating func hop(_ node: UInt32, causedBy cause: EventID?, by subscription: UInt32 = 0) {
        add(.hopBegan, subject: node, isStamped: true) {
            $0.cause = cause
            $0.scheduledBy = subscription
        }
        frames.append((last, .hopBegan, subscription))
    }

    mutating func endHop() { endFrame(.hopEnded, isStamped: true) }

    mutating func batch() {
        add(.batchBegan, isStamped: frames.isEmpty)
        frames.append((last, .batchBegan, 0))
    }

    mutating func endBatch() { endFrame(.batchEnded, isStamped: frames.count == 1) }

    private mutating func endFrame(_ kind: EventKind, isStamped: Bool) {
        let began = frames.removeLast().id
        add(kind, isStamped: isStamped) { $0.cause = began }
    }

    mutating func emit(_ node: UInt32, _ value: TraceValue, delivers: Bool = true, isReplayed: Bool = false) {
        add(.emitted, subject: node, isStamped: frames.isEmpty) {
            $0.value = value
            $0.delivers = delivers
            $0.isReplayed = isReplayed
        }
        if delivers { frames.append((last, .emitted, 0)) }
    }

    mutating func complete(_ node: UInt32, delivers: Bool = true) {
        add(.completed, subject: node, isStamped: frames.isEmpty) { $0.delivers = delivers }
        if delivers { frames.append((last, .completed, 0)) }
    }

    mutating func fail(_ node: UInt32, _ error: TraceValue, delivers: Bool = true) {
        add(.failed, subject: node, isStamped: frames.isEmpty) {
            $0.value = error
            $0.delivers = delivers
        }
        if delivers { frames.append((last, .failed, 0)) }
    }

    mutating func deliver(_ subscription: UInt32, isStamped: Bool = true) {
        let (ended, opener) = (frames[frames.count - 1].subscription, frames[frames.count - 1].opener)
        let isFirst = last == frames[frames.count - 1].id
        add(isFirst ? .deliveryBegan : .deliveryNext, subject: subscription, isStamped: isStamped) {
            $0.endedSubscription = ended
            $0.deliversEnd = opener != .emitted && subscription != 0
        }
        frames[frames.count - 1].subscription = subscription
    }

    /// Ends the deliveries; pending evaluations run.
    mutating func settle() { deliver(0) }

    mutating func endDeliveries(isStamped: Bool = true) {
        let ended = frames[frames.count - 1].subscription
        add(.deliveryEnded, isStamped: isStamped) { $0.endedSubscription = ended }
        frames.removeLast()
    }

    mutating func suppress(_ node: UInt32, _ reason: SuppressionReason) {
        add(.suppressed, subject: node) { $0.reason = reason.rawValue }
    }

    mutating func add(
        _ kind: EventKind, subject: UInt32 = 0, isStamped: Bool = false,
        set: (inout TraceEvent) -> Void = { _ in }
    ) {
        if isStamped { ticks += 1000 }
        var event = TraceEvent(
            id: EventID(thread: thread, sequence: UInt64(events.count) + 1), kind: kind, ticks: ticks,
            isStamped: isStamped, subject: subject)
        let causing = frames.last { $0.opener != .stimulusBegan && $0.opener != .batchBegan }
        event.cause = (causing ?? frames.last)?.id
        event.depth = frames.count
        if causing?.opener == .hopBegan {
            event.scheduledBy = causing?.subscription ?? 0
        } else {
            event.deliveringTo = causing?.subscription ?? 0
        }
        set(&event)
        events.append(event)
    }
}

extension EventScript {
    /// username (1) feeds usernameValid (2) and refreshes a view; usernameValid feeds loginEnabled (3).
    static let definitions: TraceDefinitions = {
        var result = TraceDefinitions()
        let file = "Login/Login.swift"
        result.nodes[1] = TraceNode(
            id: 1, rawKind: 1, label: "Login.username", site: TraceSite(file: file, line: 10))
        result.nodes[2] = TraceNode(
            id: 2, rawKind: 3, label: "Login.usernameValid", site: TraceSite(file: file, line: 11))
        result.nodes[3] = TraceNode(id: 3, rawKind: 3, site: TraceSite(file: file, line: 12))
        result.subscriptions[1] = TraceSubscription(id: 1, source: 1, target: 2, isInternal: true)
        result.subscriptions[2] = TraceSubscription(id: 2, source: 1, site: TraceSite(file: file, line: 40))
        result.subscriptions[3] = TraceSubscription(id: 3, source: 2, target: 3, isInternal: true)
        result.subscriptions[4] = TraceSubscription(id: 4, source: 2, site: TraceSite(file: file, line: 41))
        return result
    }()

    /// A name is typed, and typed again.
    static let typing: [TraceEvent] = {
        var script = EventScript()
        script.add(.nodeCreated, subject: 1)
        script.stimulus("type \u{1B}[2Jname")
        script.emit(1, .string("Maruko"))
        script.deliver(1, isStamped: false)
        script.emit(2, .bool(true))
        script.deliver(3, isStamped: false)
        script.suppress(3, .waiting)
        script.deliver(4)
        script.endDeliveries()
        script.deliver(2)
        script.endDeliveries()
        script.suppress(1, .equal)
        script.endStimulus()
        script.emit(2, .bool(false), delivers: false)
        return script.events
    }()

    /// A query (1) is debounced (5) and delivered on another thread (6), where a view (subscription 8) shows it.
    static let searching: [TraceEvent] = {
        var typing = EventScript()
        typing.stimulus("type")
        typing.emit(1, .string("ma"))
        typing.deliver(5, isStamped: false)
        let typed = EventID(thread: 1, sequence: 2)
        typing.endDeliveries()
        typing.endStimulus()
        typing.hop(5, causedBy: typed)
        typing.emit(5, .string("ma"))
        typing.deliver(7, isStamped: false)
        let debounced = EventID(thread: 1, sequence: 7)
        var showing = EventScript(thread: 2)
        showing.hop(6, causedBy: debounced)
        showing.emit(6, .string("ma"))
        showing.deliver(8)
        showing.endDeliveries()
        showing.complete(6)
        showing.deliver(8)
        showing.endDeliveries()
        showing.endHop()
        let before = typing.events
        typing.endDeliveries()
        typing.endHop()
        return before + showing.events + typing.events.dropFirst(before.count)
    }()

    /// The nodes of `searching` beside those of `definitions`.
    static let searchDefinitions: TraceDefinitions = {
        var result = definitions
        let file = "Search/Search.swift"
        result.nodes[5] = TraceNode(id: 5, rawKind: 33, site: TraceSite(file: file, line: 12))
        result.nodes[6] = TraceNode(id: 6, rawKind: 45, site: TraceSite(file: file, line: 13))
        result.subscriptions[5] = TraceSubscription(id: 5, source: 1, target: 5, isInternal: true)
        result.subscriptions[7] = TraceSubscription(id: 7, source: 5, target: 6, isInternal: true)
        result.subscriptions[8] = TraceSubscription(id: 8, source: 6, site: TraceSite(file: file, line: 40))
        return result
    }()

    static let header = TraceHeader(
        version: 1, processID: 4711, clock: .ticks, valuePolicy: .scalars, isFlightRecorder: false,
        ticksPerSecond: 1_000_000_000, startTicks: 1000, startWallClock: 1_795_224_307_123_456_789,
        byteLimit: 0,
        program: "login\u{1B}", lostEvents: 0, isClosed: true)

    /// The figures of these events.
    static func summary(
        _ events: [TraceEvent], header: TraceHeader, definitions: TraceDefinitions = definitions
    ) -> TraceSummary {
        var counter = SummaryCounter(header: header, definitions: definitions)
        for event in events {
            counter.count(event)
            counter.checkInvariants()
        }
        return counter.finish()
    }
}
