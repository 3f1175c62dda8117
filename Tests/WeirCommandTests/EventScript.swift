@testable import WeirAnalysis
@testable import WeirTrace

/// Writes down the events of one thread as a program would cause them; each stamp is a microsecond later.
struct EventScript {
    private(set) var events: [TraceEvent] = []
    private var frames: [(id: EventID, isStimulus: Bool, subscription: UInt32)] = []
    private var ticks: UInt64 = 1000
    private let thread: UInt32

    init(thread: UInt32 = 1) { self.thread = thread }

    mutating func stimulus(_ text: String) {
        add(.stimulusBegan, isStamped: true) { $0.text = text }
        frames.append((events[events.count - 1].id, true, 0))
    }

    mutating func endStimulus() {
        frames.removeLast()
        add(.stimulusEnded, isStamped: true)
    }

    mutating func emit(_ node: UInt32, _ value: TraceValue, delivers: Bool = true, isReplayed: Bool = false) {
        add(.emitted, subject: node, isStamped: frames.isEmpty) {
            $0.value = value
            $0.delivers = delivers
            $0.isReplayed = isReplayed
        }
        if delivers { frames.append((events[events.count - 1].id, false, 0)) }
    }

    mutating func deliver(_ subscription: UInt32, isStamped: Bool = true) {
        let ended = frames[frames.count - 1].subscription
        add(ended == 0 ? .deliveryBegan : .deliveryNext, subject: subscription, isStamped: isStamped) {
            $0.endedSubscription = ended
        }
        frames[frames.count - 1].subscription = subscription
    }

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
        event.cause = frames.last { !$0.isStimulus }?.id ?? frames.last?.id
        event.depth = frames.count
        event.deliveringTo = frames.last { !$0.isStimulus }?.subscription ?? 0
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

    static let header = TraceHeader(
        version: 1, processID: 4711, clock: .ticks, valuePolicy: .scalars, isFlightRecorder: false,
        ticksPerSecond: 1_000_000_000, startTicks: 1000, startWallClock: 1_795_224_307_123_456_789,
        byteLimit: 0,
        program: "login\u{1B}", lostEvents: 0, isClosed: true)

    /// The figures of these events.
    static func summary(_ events: [TraceEvent], header: TraceHeader) -> TraceSummary {
        var counter = SummaryCounter(header: header, definitions: definitions)
        for event in events {
            counter.count(event)
            counter.checkInvariants()
        }
        return counter.finish()
    }
}
