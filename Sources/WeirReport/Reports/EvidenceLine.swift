import WeirAnalysis
import WeirTrace

/// Shows the causes of an event on a line: "“tap Add” → items (1:40) → subtotal (1:43) → total = 12 (1:47)".
struct EvidenceLine {
    private let definitions: TraceDefinitions
    private let phrases: EventPhrases
    private let style: Style

    // Nobody can follow more steps on one line; the middle is left out.
    private static let longest = 9

    init(_ definitions: TraceDefinitions, style: Style) {
        self.definitions = definitions
        phrases = EventPhrases(definitions, style: style, hasShortNames: true)
        self.style = style
    }

    /// The parts of the line, to be joined by ' → '.
    func parts(_ evidence: Evidence) -> [String] {
        var parts: [String] = []
        if let missing = evidence.missingCause {
            parts.append(style(.warning, "\(missing), which the trace no longer holds"))
        }
        if evidence.goesOn { parts.append("…") }
        for (place, step) in evidence.steps.enumerated() {
            if let handler = handler(step) { parts.append(handler) }
            let isLast = place == evidence.steps.count - 1
            parts.append(part(step, isLast: isLast))
        }
        guard parts.count > Self.longest else { return parts }
        let omitted = parts.count - Self.longest + 1
        return parts[..<3] + [style(.faint, "… \(Figures.count(omitted)) more …")]
            + parts.suffix(Self.longest - 4)
    }

    /// The parts on lines of about `width` columns; continuation lines are indented.
    static func wrapped(_ parts: [String], end: String, width: Int, indent: String) -> [String] {
        var lines: [String] = []
        for (place, part) in parts.enumerated() {
            let piece = (place == 0 ? "" : "→ ") + part + (place == parts.count - 1 ? end : "")
            let room = width - indent.count
            if let last = lines.last, Style.width(last) + Style.width(piece) < room {
                lines[lines.count - 1] = last + " " + piece
            } else {
                lines.append(piece)
            }
        }
        return lines.map { indent + $0 }
    }

    /// The stimulus that started it; nil: none did.
    static func origin(_ evidence: Evidence) -> TraceEvent? {
        evidence.steps.last { $0.event.kind == .stimulusBegan }?.event
    }

    /// The name of a stimulus: "“tap Add”".
    static func stimulus(_ event: TraceEvent) -> String {
        "“\(TerminalText.cut(TerminalText.escaped(event.text), to: 60))”"
    }

    private func part(_ step: Evidence.Step, isLast: Bool) -> String {
        let event = step.event
        let id = style(.faint, " (\(event.id))")
        switch event.kind {
        case .stimulusBegan: return style(.strong, "“\(TerminalText.cut(TerminalText.escaped(event.text), to: 60))”")
        case .emitted where isLast:
            return "\(name(event.subject)) = \(phrases.value(event.value, columns: 40))" + id
        case .emitted,
            .hopBegan where event.subject != 0:
            return name(event.subject) + id
        case .suppressed:
            return "\(name(event.subject)) " + style(.warning, "stops: " + phrases.reason(event)) + id
        case .hopBegan: return "hop" + id
        case .batchBegan: return "batch" + id
        case .deliveryBegan,
            .deliveryNext where !event.isSettling:
            return subscriber(event.subject) + id
        default: return phrases.phrase(event) + id
        }
    }

    /// The handler in which a step happened; nil: the step is not in a handler.
    private func handler(_ step: Evidence.Step) -> String? {
        guard case .delivery(_, let id) = step.way, let subscription = definitions.subscriptions[id],
            !subscription.isInternal, step.event.kind != .deliveryBegan, step.event.kind != .deliveryNext,
            subscription.target != step.event.subject || !step.event.isOfNode
        else { return nil }
        return subscriber(id)
    }

    private func subscriber(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id] else { return "subscription \(id)" }
        // In full: an observer often has the same name as the emitter that it observes.
        if let target = subscription.target { return name(definitions.name(ofNode: target)) }
        let site = subscription.site.map { " " + style(.faint, TerminalText.escaped($0.shortDescription)) } ?? ""
        return "handler" + site
    }

    /// The name without the owner, which findings name once.
    private func name(_ id: UInt32) -> String {
        let label = definitions.nodes[id]?.label?.split(separator: ".").last.map(String.init)
        return name(label ?? definitions.name(ofNode: id))
    }

    private func name(_ text: String) -> String { style(.name, TerminalText.cut(TerminalText.escaped(text), to: 60)) }
}

extension Evidence {
    /// Whether a hop is between the stimulus and the event.
    var isInHop: Bool { steps.last { [.hopBegan, .stimulusBegan].contains($0.event.kind) }?.event.kind == .hopBegan }
}

/// Names the parts of the program that make the writes of a burst, where a batch belongs.
struct BurstScenes {
    private let definitions: TraceDefinitions

    /// How many parts are named.
    private static let mostNames = 3

    init(_ definitions: TraceDefinitions) { self.definitions = definitions }

    /// "of “tap”", "in the handler at Cart/CartView.swift:30"; the last one may represent several.
    func names(_ finding: Finding, _ evidence: (EventID) -> Evidence?) -> [String] {
        let shown = finding.tallies.prefix(Finding.talliesShown)
        let pairs =
            finding.rule == .burst
            ? shown.flatMap(\.examples).map { ($0.first, $0.next) }
            : shown.compactMap { tally in tally.counterpart.map { (tally.example, $0) } }
        let all = pairs.compactMap { pair -> String? in
            guard let first = evidence(pair.0), let next = evidence(pair.1) else { return nil }
            return name(first, next)
        }
        let different = all.enumerated().filter { all.firstIndex(of: $1) == $0 }.map(\.element)
        if different.count <= Self.mostNames { return different }
        return different.prefix(Self.mostNames - 1) + ["in \(different.count - Self.mostNames + 1) other places"]
    }

    /// The innermost handler, hop or stimulus around two events; nil: none is known.
    private func name(_ first: Evidence, _ next: Evidence) -> String? {
        let shared = zip(first.steps, next.steps).prefix { $0.event.id == $1.event.id }.count
        let stimulus = first.steps.prefix(shared).last { $0.event.kind == .stimulusBegan }.map(\.event)
        for place in (0..<shared).reversed() {
            switch first.steps[place].event.kind {
            case .stimulusBegan: return "of \(EvidenceLine.stimulus(first.steps[place].event))"
            case .hopBegan: return stimulus.map { "in the work that \(EvidenceLine.stimulus($0)) began" }
            default:
                guard place + 1 < first.steps.count, place + 1 < next.steps.count,
                    case .delivery(_, let id) = first.steps[place + 1].way,
                    first.steps[place + 1].way == next.steps[place + 1].way,
                    let handler = definitions.subscriptions[id], !handler.isInternal
                else { continue }
                return handler.site.map { "in the handler at \(TerminalText.escaped($0.description))" }
            }
        }
        return nil
    }
}
