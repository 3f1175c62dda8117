import WeirAnalysis
import WeirTrace

/// Phrases for events, with the names from the trace's definitions.
package struct EventPhrases: Sendable {
    private let definitions: TraceDefinitions
    private let style: Style
    private let hasShortNames: Bool
    /// Names shared by several nodes, shown with the id of the node.
    private let repeatedNames: Set<String>

    /// Phrases with the names from `definitions`; short names omit the owner and the module.
    package init(_ definitions: TraceDefinitions, style: Style = .plain, hasShortNames: Bool = false) {
        self.definitions = definitions
        self.style = style
        self.hasShortNames = hasShortNames
        repeatedNames = hasShortNames ? [] : NodeRow.repeated(definitions.nodes.values.lazy.map(\.name))
    }

    /// The sentence for an event: "LoginViewModel.username emitted "Maruko"".
    package func phrase(_ event: TraceEvent) -> String {
        switch event.kind {
        case .emitted:
            let verb = event.isReplayed ? "replayed" : "emitted"
            return "\(node(event.subject)) \(verb) \(value(of: event))"
        case .suppressed:
            return "\(node(event.subject)) "
                + style(.warning, "suppressed: " + reason(event))
        case .written:
            let place = definitions.writeSite(of: event).map { " " + WriteSiteWords.place($0) } ?? ""
            return "\(node(event.subject)) written" + place
        case .completed: return "\(node(event.subject)) completed"
        case .failed:
            return "\(node(event.subject)) " + style(.warning, "failed") + ": \(value(of: event))"
        case .deliveryBegan, .deliveryNext:
            if event.isSettling { return "settling" }
            return event.deliversEnd ? "notified \(listener(event.subject))" : delivery(event.subject)
        case .deliveryEnded:
            guard let source = definitions.subscriptions[event.endedSubscription]?.source else {
                return "deliveries ended"
            }
            return "deliveries of \(node(source)) ended"
        case .subscriptionStarted: return subscription(event.subject, "subscribed to")
        case .subscriptionEnded:
            return subscription(event.subject, "no longer subscribed to") + ": "
                + SubscriptionEndReason.phrase(event.reason)
        case .nodeCreated: return created(event.subject)
        case .nodeReleased: return "\(node(event.subject)) released"
        case .context: return "context of a chunk"
        case .eventsLost: return style(.warning, Figures.count(event.count, "event") + " lost here")
        case .stimulusBegan: return "stimulus “\(text(event.text))”"
        case .stimulusEnded: return "stimulus ended"
        case .hopBegan: return "hop" + hop(event)
        case .hopEnded: return "hop ended"
        case .hopScheduled:
            return "\(listener(event.subject)) waits for \(event.count == 1 ? "the main actor" : "its actor")"
        case .batchBegan: return "batch begins"
        case .batchEnded: return "batch ends"
        case .frame: return "frame shown"
        case .checkpoint: return "checkpoint “\(text(event.text))”"
        case .objectTracked: return "\(object(event.subject)) tracked"
        case .objectReleased: return "\(object(event.subject)) released"
        case .objectExpected: return "\(object(event.subject)) should be gone by the next checkpoint"
        case .snapshotTaken:
            let pause = event.count > 0 ? "; its thread waited \(Figures.duration(nanoseconds: event.count))" : ""
            return "snapshot \(event.subject) of the heap" + pause
        }
    }

    /// Why a value went no further, as the end of a sentence.
    func reason(_ event: TraceEvent) -> String {
        guard event.suppressionReason == .waiting else { return SuppressionReason.phrase(event.reason) }
        return WaitingWords.fact(of: definitions.nodes[event.subject])
    }

    /// The name of a node, in its colour; with its id if other nodes share the name and names are not short.
    package func node(_ id: UInt32) -> String {
        let name = hasShortNames ? shortName(id) : definitions.name(ofNode: id)
        return style(.name, TerminalText.escaped(name) + (repeatedNames.contains(name) ? " #\(id)" : ""))
    }

    /// The value that an event carries; the type's name if the trace has no form of the value.
    func value(of event: TraceEvent, unlike other: TraceValue? = nil) -> String {
        event.kind == .emitted ? value(event.value, ofNode: event.subject, unlike: other) : value(event.value)
    }

    /// A value of a node; the type's name if the trace has no form of the value.
    func value(_ value: TraceValue, ofNode id: UInt32, unlike other: TraceValue? = nil) -> String {
        guard value == .opaque, let type = definitions.nodes[id]?.valueType else {
            return self.value(value, unlike: other)
        }
        return style(.value, TerminalText.cut("‹" + TerminalText.escaped(type) + "›", to: 60))
    }

    /// A recorded value, in its colour, cut to fit a line; strings are written as Swift literals.
    ///
    /// - Parameter other: a different value. If both begin alike for longer than fits, the common beginning is omitted.
    package func value(_ value: TraceValue, columns: Int = 60, unlike other: TraceValue? = nil) -> String {
        let text = Self.plain(value)
        guard let other = other.map(Self.plain), other != text,
            TerminalText.cut(other, to: columns) == TerminalText.cut(text, to: columns)
        else { return style(.value, TerminalText.cut(text, to: columns)) }
        let same = zip(text, other).prefix { $0 == $1 }.count
        return style(.value, TerminalText.cut("…" + text.dropFirst(same - min(same, columns / 3)), to: columns))
    }

    /// "isLoading false → true, user.name "Maruko" → "Momoko"": the fields in which two descriptions differ; nil: unknown.
    package func changes(from before: TraceValue, to after: TraceValue) -> String? {
        guard let found = DescribedChanges(from: before, to: after)?.changes else {
            return before.hidesChange(to: after) ? "none of the recorded fields changed" : nil
        }
        let shown = found.prefix(4).map { change in
            let values = [change.before, change.after].map { text in
                text.map { style(.value, TerminalText.cut(TerminalText.escaped($0), to: 40)) }
            }
            let path = TerminalText.escaped(change.path)
            if change.isOfFingerprints { return "\(path) changed" }
            switch (values[0], values[1]) {
            case (let before?, let after?): return "\(path) \(before) → \(after)"
            case (let before?, nil): return "\(path) \(before) removed"
            case (nil, let after): return "\(path) \(after ?? "") added"
            }
        }
        let rest = found.count - shown.count
        return (shown + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])).joined(separator: ", ")
    }

    private static func plain(_ value: TraceValue) -> String {
        switch value {
        case .string(let text): TerminalText.quoted(text)
        case .cutString(let text, _): TerminalText.quoted(text, end: "…") + " (cut)"
        default: TerminalText.escaped(DescribedChanges.cleaned(value.description))
        }
    }

    /// The subscriber of a subscription: the node that it feeds, else the call site.
    package func subscriber(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id] else { return "subscription \(id)" }
        if let target = subscription.target { return node(target) }
        // Only `Trace.observe` and its like watch without a handler or a node.
        let kind = subscription.isInternal ? "observation" : "handler"
        return subscription.site.map { "the \(kind) at " + site($0) } ?? "subscription \(id)"
    }

    /// The known details of a hop: ": delay Search.swift:12, caused by 1:42".
    func hop(_ event: TraceEvent, withCause: Bool = true) -> String {
        let name = event.subject == 0 ? "" : ": " + node(event.subject)
        guard withCause, let cause = event.cause else { return name }
        return "\(name), caused by \(cause)"
    }

    private func shortName(_ id: UInt32) -> String {
        guard let label = definitions.nodes[id]?.label else { return definitions.name(ofNode: id) }
        return label.split(separator: ".").last.map(String.init) ?? label
    }

    /// The subscriber that receives a completion or failure.
    private func listener(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id], subscription.target == nil else {
            return subscriber(id)
        }
        return subscription.site.map(site) ?? "subscription \(id)"
    }

    private func delivery(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id] else {
            return "delivered to subscription \(id)"
        }
        if subscription.isTiming { return "triggered \(subscriber(id))" }
        if subscription.isInternal {
            return (subscription.target == nil ? "noticed by " : "fed ") + subscriber(id)
        }
        guard subscription.target == nil else { return style(.strong, "reached") + " \(subscriber(id))" }
        return style(.strong, "refreshed") + " " + (subscription.site.map(site) ?? "subscription \(id)")
    }

    private func subscription(_ id: UInt32, _ verb: String) -> String {
        guard let subscription = definitions.subscriptions[id] else {
            return "subscription \(id) \(verb) an unknown node"
        }
        // A subscriber without a node is named by its call site, which is not repeated.
        let place = subscription.target == nil ? "" : subscription.site.map { " at " + site($0) } ?? ""
        return "\(subscriber(id)) \(verb) \(node(subscription.source))\(place)"
    }

    private func created(_ id: UInt32) -> String {
        guard let node = definitions.nodes[id] else { return "node \(id) created" }
        let kind = node.kind?.name ?? "node"
        let place = node.site.map { " at " + site($0) } ?? ""
        guard node.label != nil else {
            let number = repeatedNames.contains(node.name) ? " #\(id)" : ""
            return "\(kind)\(number) created\(place)"
        }
        return "\(kind) \(self.node(id)) created\(place)"
    }

    private func object(_ id: UInt32) -> String {
        guard let object = definitions.objects[id], object.label ?? object.type != nil else {
            return "object \(id)"
        }
        return "object " + style(.name, text(object.name))
    }

    private func site(_ site: TraceSite) -> String {
        style(.faint, TerminalText.escaped(hasShortNames ? site.shortDescription : site.description))
    }

    private func text(_ text: String) -> String { TerminalText.escaped(text) }
}

extension EventPhrases {
    /// The event that opened a frame, in words, and the subscriber that is receiving its value.
    package func phrase(_ frame: OpenFrame) -> String {
        switch frame.opener {
        case .stimulusBegan: "stimulus “\(TerminalText.escaped(frame.text))”"
        case .hopBegan: frame.node == 0 ? "hop" : "hop: \(node(frame.node))"
        case .batchBegan: "batch"
        case .completed: "\(node(frame.node)) completed" + delivery(frame)
        case .failed: "\(node(frame.node)) failed" + delivery(frame)
        default: "\(node(frame.node)) emitted \(value(frame.value, ofNode: frame.node))" + delivery(frame)
        }
    }

    /// "LoginViewModel.username is "Maruko"", if the state knows the value.
    package func phrase(node id: UInt32, in state: TraceState) -> String {
        guard let node = state.node(id), node.value != .notRecorded || node.lastChange != nil else {
            return "\(self.node(id)) has no value"
        }
        return "\(self.node(id)) is \(value(node.value, ofNode: id))"
    }

    private func delivery(_ frame: OpenFrame) -> String {
        frame.subscription == 0 ? "" : " → \(subscriber(frame.subscription))"
    }
}
