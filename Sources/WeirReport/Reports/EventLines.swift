import WeirAnalysis
import WeirTrace

/// The output of `weir events`: one line per event.
package struct EventLines: Sendable {
    private let definitions: TraceDefinitions
    private let phrases: EventPhrases
    private let timeScale: TimeScale
    private let style: Style

    /// Lines with the names from `definitions`.
    package init(_ definitions: TraceDefinitions, timeScale: TimeScale, style: Style = .plain) {
        self.definitions = definitions
        phrases = EventPhrases(definitions, style: style)
        self.timeScale = timeScale
        self.style = style
    }

    /// One line: the event's id, its time, what happened, and the event that caused it.
    ///
    /// The time is in microseconds since the start; '~' marks an event without a stamp, which happened no earlier. The text
    /// is indented by depth. The phrase for a hop names its cause itself.
    package func text(_ event: TraceEvent) -> String {
        let time =
            (event.isStamped ? "" : "~")
            + Figures.microseconds(nanoseconds: timeScale.nanosecondsSinceStart(event.ticks))
        let indent = String(repeating: "  ", count: max(0, min(level(event), Self.deepestIndent)))
        // The phrase for a hop already names its cause, which is not an enclosing event.
        let cause = event.kind == .hopBegan ? "" : event.cause.map { "  ← \($0)" } ?? ""
        return style(
            .faint, Self.padded(event.id.description, 8, left: false) + Self.padded(time, 13, left: true))
            + "  " + indent + phrases.phrase(event) + style(.faint, cause)
    }

    /// The event for a program; 'What the command prints as JSON' lists the fields.
    package func json(_ event: TraceEvent) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("id", .string(event.id.description))
        add("kind", .string(event.kind.name))
        add("nanoseconds", .unsigned(timeScale.nanosecondsSinceStart(event.ticks)))
        add("stamped", .bool(event.isStamped))
        add("depth", .signed(Int64(event.depth)))
        if let cause = event.cause { add("cause", .string(cause.description)) }
        addExecutor(event.id, add)
        switch event.kind {
        case .emitted:
            addNode(event.subject, add)
            addValue(event.value, add)
            add("delivers", .bool(event.delivers))
            add("replayed", .bool(event.isReplayed))
        case .suppressed:
            addNode(event.subject, add)
            add("reason", .string(SuppressionReason.jsonName(event.reason)))
        case .written:
            addNode(event.subject, add)
            if let site = definitions.writeSite(of: event) { members += WriteSiteWords.json(site) }
        case .completed, .failed:
            addNode(event.subject, add)
            if event.kind == .failed {
                addValue(event.value, add)
            }
            add("delivers", .bool(event.delivers))
        case .deliveryBegan: addDelivery(event, add)
        case .deliveryNext:
            addDelivery(event, add)
            add("endedSubscription", .unsigned(UInt64(event.endedSubscription)))
        case .deliveryEnded:
            add("endedSubscription", .unsigned(UInt64(event.endedSubscription)))
            if let source = definitions.subscriptions[event.endedSubscription]?.source {
                addNode(source, add)
            }
        case .hopScheduled:
            addSubscription(event.subject, add)
            add("toMain", .bool(event.count == 1))
        case .subscriptionStarted: addSubscription(event.subject, add)
        case .subscriptionEnded:
            addSubscription(event.subject, add)
            add("reason", .string(SubscriptionEndReason.jsonName(event.reason)))
        case .nodeCreated, .nodeReleased: addNode(event.subject, add)
        case .eventsLost: add("count", .unsigned(event.count))
        case .stimulusBegan, .checkpoint: add("text", .string(event.text))
        case .objectTracked, .objectReleased, .objectExpected: addObject(event.subject, add)
        case .snapshotTaken:
            add("snapshot", .unsigned(UInt64(event.subject)))
            if event.count > 0 { add("pauseNanoseconds", .unsigned(event.count)) }
        case .hopBegan:
            if event.subject != 0 { addNode(event.subject, add) }
            if event.scheduledBy != 0 {
                add("scheduledBy", .unsigned(UInt64(event.scheduledBy)))
                let site = definitions.subscriptions[event.scheduledBy]?.site
                if let site { add("scheduledAt", .string(site.description)) }
            }
        case .context, .stimulusEnded, .hopEnded, .batchBegan, .batchEnded, .frame: break
        }
        return .object(members)
    }

    /// A delivery is drawn between its emission and the events that it caused, whose depths are consecutive.
    private func level(_ event: TraceEvent) -> Int {
        switch event.kind {
        case .deliveryBegan, .deliveryNext, .deliveryEnded: 2 * event.depth - 1
        default: 2 * event.depth
        }
    }

    private func addValue(_ value: TraceValue, _ add: (String, JSONValue) -> Void) {
        add("value", value.json)
        add("valueForm", .string(value.formName))
        if let number = value.fingerprint {
            add("valueFingerprint", .string(TraceValue.fingerprint(number).description))
        }
    }

    private func addNode(_ id: UInt32, _ add: (String, JSONValue) -> Void) {
        add("node", .unsigned(UInt64(id)))
        add("name", .string(definitions.name(ofNode: id)))
        guard let node = definitions.nodes[id] else { return }
        if node.technique != .weir { add("technique", .string(node.technique.jsonName)) }
        if let strategy = node.strategy { add("strategy", .string(strategy.jsonName)) }
        if let owner = node.owner { add("owner", .unsigned(UInt64(owner))) }
        if let intentions = definitions.intentions[id] {
            add("intended", .array(intentions.map { .string($0.rule) }))
        }
    }

    /// The executor that ran the thread at an event; nothing if the thread ran work of its own.
    private func addExecutor(_ id: EventID, _ add: (String, JSONValue) -> Void) {
        guard let span = definitions.executorSpan(at: id), let runner = definitions.runners[span.number] else { return }
        add("executor", .unsigned(UInt64(span.number)))
        switch runner {
        case .main: add("executorKind", "main")
        case .actor(let type):
            add("executorKind", "actor")
            if let type { add("executorType", .string(type)) }
        }
    }

    private func addDelivery(_ event: TraceEvent, _ add: (String, JSONValue) -> Void) {
        guard !event.isSettling else { return add("settling", true) }
        addSubscription(event.subject, add)
        if event.deliversEnd { add("ofEnd", true) }
    }

    private func addSubscription(_ id: UInt32, _ add: (String, JSONValue) -> Void) {
        add("subscription", .unsigned(UInt64(id)))
        guard let subscription = definitions.subscriptions[id] else { return }
        addNode(subscription.source, add)
        if let owner = subscription.owner { add("subscriptionOwner", .unsigned(UInt64(owner))) }
        if let target = subscription.target {
            add("target", .unsigned(UInt64(target)))
            add("targetName", .string(definitions.name(ofNode: target)))
        }
        add("internal", .bool(subscription.isInternal))
        if let site = subscription.site { add("site", .string(site.description)) }
    }

    private func addObject(_ id: UInt32, _ add: (String, JSONValue) -> Void) {
        add("object", .unsigned(UInt64(id)))
        guard let object = definitions.objects[id] else { return }
        add("type", object.type.map(JSONValue.string) ?? .null)
        add("label", object.label.map(JSONValue.string) ?? .null)
    }

    // Deeper nesting stays at this column to keep lines readable.
    private static let deepestIndent = 24

    private static func padded(_ text: String, _ width: Int, left: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.utf8.count))
        return left ? padding + text : text + padding
    }
}
