import WeirAnalysis
import WeirTrace

/// Writes the steps of a chain of causes, a few lines each.
struct CauseLines {
    private let definitions: TraceDefinitions
    private let phrases: EventPhrases
    private let timeScale: TimeScale
    private let style: Style

    init(_ definitions: TraceDefinitions, timeScale: TimeScale, style: Style) {
        self.definitions = definitions
        phrases = EventPhrases(definitions, style: style)
        self.timeScale = timeScale
        self.style = style
    }

    /// The lines of a chain: each step with its id, time and site, and between steps how one led to the next.
    func lines(_ chain: Explanation.Chain) -> [String] {
        var lines: [String] = []
        var previous: CauseStep?
        for (number, step) in chain.steps.enumerated() {
            if let bridge = bridge(to: step, from: previous) { lines.append(Self.indent + style(.faint, bridge)) }
            let following = number + 1 < chain.steps.count ? chain.steps[number + 1].event : nil
            let isHeld = step.event.suppressionReason == .batched && following?.subject == step.event.subject
            lines.append(
                line(step, isHeld ? "\(phrases.node(step.event.subject)) written; the batch holds it back" : fact(step))
            )
            if let writeSite = step.writeSite {
                lines.append(Self.indent + style(.faint, "    written " + WriteSiteWords.place(writeSite)))
            }
            lines += inputs(step).map { Self.indent + "    " + $0 }
            previous = step
        }
        return lines
    }

    /// The fact that a step records: "LoginViewModel.username = "Maruko"".
    func fact(_ step: CauseStep) -> String {
        let event = step.event
        if event.suppressionReason == .waiting,
            let words = WaitingWords(definitions: definitions, phrases: phrases).words(step)
        {
            return "\(phrases.node(event.subject)) " + style(.warning, "suppressed: " + words.fact)
        }
        guard event.kind == .emitted, !event.isReplayed else {
            return event.kind == .hopBegan ? "hop" + phrases.hop(event, withCause: false) : phrases.phrase(event)
        }
        if let fields = step.previous.flatMap({ phrases.changes(from: $0, to: event.value) }) {
            return "\(phrases.node(event.subject)): \(fields)"
        }
        let before = step.previous.map { style(.faint, ", before ") + phrases.value($0) } ?? ""
        return "\(phrases.node(event.subject)) = \(phrases.value(of: event))\(before)"
    }

    private static let indent = String(repeating: " ", count: 24)

    private func line(_ step: CauseStep, _ fact: String) -> String {
        let event = step.event
        let time =
            (event.isStamped ? "" : "~")
            + Figures.microseconds(nanoseconds: timeScale.nanosecondsSinceStart(event.ticks))
        let site = event.isOfNode ? definitions.nodes[event.subject]?.site : nil
        // A node that is named by its site needs no second one.
        let isNamedByPlace = definitions.nodes[event.subject]?.label == nil
        let place = isNamedByPlace ? nil : site.map { "  " + TerminalText.escaped($0.description) }
        return style(.faint, Self.padded(event.id.description, 8, left: false) + Self.padded(time, 13, left: true))
            + "  " + fact + style(.faint, place ?? "")
    }

    /// How the previous step led to this one, if the two steps alone do not make that clear.
    private func bridge(to step: CauseStep, from previous: CauseStep?) -> String? {
        if let previous, previous.event.suppressionReason == .batched, previous.event.subject == step.event.subject {
            return "↓ when the batch ended"
        }
        switch step.way {
        case .root, .within: return nil
        case .settling: return "↓ when that had reached everyone: the turn settled"
        case .scheduled: return hop(step.event, from: previous?.event)
        case .delivery(_, let id):
            guard let subscription = definitions.subscriptions[id] else { return "↓ through subscription \(id)" }
            let place = subscription.site.map { " " + TerminalText.escaped($0.description) } ?? ""
            if let target = subscription.target, target == step.event.subject {
                return subscription.isTiming ? "↓ triggers" : nil
            }
            guard let target = subscription.target else { return "↓ in the handler at" + place }
            let name = TerminalText.escaped(definitions.name(ofNode: target))
            return subscription.isInternal
                ? "↓ while it was delivered to \(name)" : "↓ in the handler of \(name), subscribed at" + place
        }
    }

    /// How a cause led to work that ran later.
    private func hop(_ hop: TraceEvent, from cause: TraceEvent?) -> String {
        var later = ""
        if let cause {
            let ticks = hop.ticks &- min(cause.ticks, hop.ticks)
            later = " " + Figures.duration(nanoseconds: timeScale.nanoseconds(ticks: ticks)) + " later"
            if cause.id.thread != hop.id.thread { later += " on thread \(hop.id.thread)" }
        }
        let (node, handler) = (definitions.nodes[hop.subject], scheduler(of: hop))
        if node?.kind?.usesScheduler == true {
            return "↓ given to a scheduler" + handler + (later.isEmpty ? "" : ", ran" + later)
        }
        guard node?.technique == .asyncSequence else {
            return "↓ continued" + handler + (handler.isEmpty ? "" : ",") + later
        }
        // The elements of a plain sequence have the cause of the task that reads them; those of a traced stream, that of `yield`.
        return cause?.kind == .stimulusBegan
            ? "↓ started the loop, or yielded the element, which arrived" + later
            : "↓ the element arrived" + handler + later
    }

    /// The handler that scheduled the work of a hop; empty if it is unknown, or if a node scheduled it itself.
    private func scheduler(of hop: TraceEvent) -> String {
        guard let subscription = definitions.subscriptions[hop.scheduledBy], !subscription.isInternal,
            let site = subscription.site
        else { return "" }
        return " in the handler at " + TerminalText.escaped(site.description)
    }

    /// A line for each input of a node that has several.
    func inputs(_ step: CauseStep) -> [String] {
        guard step.inputs.count > 1 || step.inputs.first?.role == .heldBack else { return [] }
        let names = step.inputs.map { phrases.node($0.source) }
        return zip(names, step.inputs).map { name, input in
            let value = input.isTiming ? "" : " = \(phrases.value(input.value, ofNode: input.source))"
            let emission = input.emission.map { " (\($0))" } ?? ""
            switch input.role {
            case .triggered: return "← \(name)\(value)" + style(.strong, ", triggered it") + style(.faint, emission)
            case .changed: return "← \(name)\(value)" + style(.strong, ", had changed") + style(.faint, emission)
            case .written:
                return "← \(name)" + style(.strong, ", written in the batch, is yet to go out")
                    + style(.faint, emission)
            case .tookPart where input.emission == nil && (input.value == .notRecorded || input.isTiming):
                return style(.faint, "  ") + name + style(.faint, " has emitted nothing yet")
            case .heldBack:
                return style(.faint, "  ") + name
                    + style(.strong, ", written in the batch, had not gone out yet") + style(.faint, emission)
            case .tookPart where input.isOver:
                return style(.faint, "  ") + "\(name)\(value)"
                    + style(.faint, input.emission.map { ", unchanged since \($0), completed" } ?? ", completed")
            case .tookPart:
                let since = input.emission.map { ", unchanged since \($0)" } ?? ", never changed"
                return style(.faint, "  ") + "\(name)\(value)" + style(.faint, since)
            case .paired:
                return "← \(name)\(value)" + style(.strong, ", had waited for it") + style(.faint, emission)
            case .opened:
                return "← \(name)\(value)" + style(.strong, ", began the signal below") + style(.faint, emission)
            case .waiting: return style(.faint, "  ") + "\(name)\(value)" + style(.faint, ", waits, too\(emission)")
            case .missing:
                return style(.faint, "  ") + name + style(.faint, " has no value left to pair")
            case .unknown:
                return style(.faint, "  ") + name
                    + style(.faint, ", its value is not known: the trace lacks earlier events of this subscription")
            }
        }
    }

    private static func padded(_ text: String, _ width: Int, left: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.utf8.count))
        return left ? padding + text : text + padding
    }
}

extension NodeKind {
    /// Whether nodes of this kind pass values to a scheduler.
    fileprivate var usesScheduler: Bool {
        switch self {
        case .throttle, .debounce, .delay, .timeout, .buffer, .sample, .retry, .deliver, .subscribe: true
        default: false
        }
    }
}
