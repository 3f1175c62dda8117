import WeirAnalysis
import WeirTrace

/// The text of a report about a finding: plain text, escaped for a terminal.
package struct FindingStory: Sendable {
    /// A step of the causal chain, or of the path that holds an object.
    struct Step: Sendable {
        let text: String
        let site: TraceSite?
    }

    /// The sentence that says what was found, without a full stop.
    let headline: String
    /// The same, for other modules.
    package var sentence: String { headline }
    /// The example with its causes, or the drawing.
    let lines: [String]
    /// The change that cures it; nil: none is known.
    let remedy: String?
    /// The steps to it, in order.
    let steps: [Step]
}

extension FindingStory {
    /// The story of a redundancy finding.
    init(_ finding: Finding, _ wording: FindingLines, _ evidence: Evidence?) {
        headline = wording.headline(finding)
        lines = wording.exampleLines(finding)
        remedy = wording.remedy(finding)
        steps = evidence.map { Self.steps($0, wording.definitions) } ?? []
    }

    /// The story of a leak finding.
    init(_ finding: LeakFinding, in snapshot: TraceSnapshot, _ definitions: TraceDefinitions) {
        let drawing = LeakDrawing(finding, in: snapshot, definitions)
        headline = drawing.words.headline
        // The remedy is separate.
        let remedyLine = drawing.words.remedyLine(.plain)
        lines = drawing.linesBelowHeadline(.plain).filter { $0 != remedyLine }
        remedy = drawing.words.remedy
        steps = finding.references(in: snapshot).map { reference in
            let source = snapshot.objects[Int(reference.source)]
            let label = TerminalText.escaped(reference.label)
            return Step(text: LeakSteps.name(source) + " " + label, site: reference.site ?? source.site)
        }
    }

    /// The story of a measure that exceeds a limit; `evidence` says how its example came about.
    package init(_ measure: Measure, limit: Double, _ evidence: Evidence?, _ definitions: TraceDefinitions) {
        headline = BudgetWords(measure: measure, limit: limit).headline
        let line = EvidenceLine(definitions, style: .plain)
        let parts = evidence.map { EvidenceLine.wrapped(line.parts($0), end: "", width: 112, indent: "     ") } ?? []
        lines = parts.enumerated().map { $0 == 0 ? "e.g. " + $1.dropFirst(5) : $1 }
        remedy = nil
        steps = evidence.map { Self.steps($0, definitions) } ?? []
    }

    private static func steps(_ evidence: Evidence, _ definitions: TraceDefinitions) -> [Step] {
        let phrases = EventPhrases(definitions, hasShortNames: true)
        return evidence.steps.map { step in
            let event = step.event
            let site: TraceSite? =
                switch event.kind {
                case .deliveryBegan, .deliveryNext: definitions.subscriptions[event.subject]?.site
                case .emitted, .suppressed, .completed, .failed: definitions.nodes[event.subject]?.site
                default: nil
                }
            return Step(text: phrases.phrase(event), site: site)
        }
    }
}

/// The sentence about a measure that exceeds its budget.
struct BudgetWords {
    let measure: Measure
    let limit: Double

    /// "LoginViewModel.instruction refreshed a handler 5 times in one stimulus; the budget is 4".
    var headline: String {
        let (value, limit) = (number(measure.value), number(limit))
        switch measure.metric {
        case .refreshesPerStimulus:
            return "\(name) refreshed \(handler) \(value) times in one stimulus; the budget is \(limit)"
        case .handlerMilliseconds: return "\(name) kept \(handler) busy for \(value) ms; the budget is \(limit) ms"
        case .redundantPercent: return "\(value) % of all refreshes were redundant; the budget is \(limit) %"
        case .emissionsPerTurn:
            let subject = measure.subject.names.isEmpty ? "A turn" : name
            return
                "\(subject) emitted \(value) values\(measure.subject.names.isEmpty ? "" : " in one turn"); the budget is \(limit)"
        case .liveSubscriptionsPerLine:
            return "\(value) subscriptions of one line to \(name) were alive at a time; the budget is \(limit)"
        }
    }

    private var name: String { escaped(measure.subject.names.first ?? "the program") }

    private var handler: String { measure.subject.names.count > 1 ? escaped(measure.subject.names[1]) : "a handler" }

    private func escaped(_ text: String) -> String { TerminalText.cut(TerminalText.escaped(text), to: 80) }

    /// A number with at most two decimals.
    private func number(_ number: Double) -> String {
        if let whole = UInt64(exactly: number) { return Figures.count(whole) }
        let hundredths = UInt64(exactly: (number * 100).rounded(.up)) ?? 0
        let digits = String(hundredths % 100)
        let decimals = (digits.count == 1 ? "0" : "") + digits
        return Figures.count(hundredths / 100) + "."
            + (decimals.hasSuffix("0") ? String(decimals.dropLast()) : decimals)
    }
}
