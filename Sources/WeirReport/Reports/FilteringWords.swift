import WeirAnalysis
import WeirTrace

/// The words for an operator that did not let a value pass.
struct FilteringWords {
    let definitions: TraceDefinitions
    let phrases: EventPhrases

    /// The fact as the end of a sentence; nil: the usual phrase.
    func fact(_ step: CauseStep) -> String? {
        if isSequence(step.event.subject) { return "its buffer was full, and dropped the element" }
        return switch definitions.nodes[step.event.subject]?.kind {
        case .skip: "skipped the value"
        case .take: "the condition of take(while:) did not hold"
        case .compactMap: "its transform returned nil"
        case .throttle: "the value came too soon after the one before"
        default: nil
        }
    }

    /// The sentence that says what would have had to be different.
    ///
    /// - Parameter earlier: how many earlier values the node did not let pass.
    func remedy(_ step: CauseStep, after earlier: UInt64) -> String {
        let node = step.event.subject
        let name = phrases.node(node) + site(node)
        if isSequence(node) { return bufferRemedy(node) }
        let value = step.inputs.first.map { phrases.value($0.value, ofNode: $0.source) } ?? "the value"
        switch definitions.nodes[node]?.kind {
        case .filter: return "The condition of \(name) would have to hold for \(value)."
        case .take: return "The condition of take(while:)\(site(node)) would have to hold for \(value)."
        case .compactMap: return "The transform of \(name) would have to return a value other than nil for \(value)."
        // skip(_:) and skip(while:) are of one kind.
        case .skip:
            let history =
                earlier == 0
                ? "this was the first one" : "it had skipped \(Figures.count(earlier, "value")) before that one"
            return "\(name) would have to skip fewer values, or only those before \(value): \(history)."
        case .throttle:
            return
                "\(value) would have to come after the interval of \(name); without `latest: false` it would follow then."
        default: return "\(name) would have to let \(value) pass."
        }
    }

    /// The sentence for an element that a stream's buffer dropped.
    func bufferRemedy(_ node: UInt32) -> String {
        "The buffer of \(phrases.node(node))\(site(node)) would have to have room: give it a larger `bufferingPolicy`, or let its loop "
            + "take elements sooner."
    }

    private func isSequence(_ node: UInt32) -> Bool { definitions.nodes[node]?.technique == .asyncSequence }

    private func site(_ node: UInt32) -> String {
        definitions.nodes[node]?.site.map { " at " + TerminalText.escaped($0.description) } ?? ""
    }
}
