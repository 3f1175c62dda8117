import WeirAnalysis
import WeirTrace

/// The words for what an operator waits for that received a value and emitted none.
struct WaitingWords {
    let definitions: TraceDefinitions
    let phrases: EventPhrases

    /// The words for a value that a node suppressed as 'waiting': the fact as the end of a sentence, and a remedy.
    func words(_ step: CauseStep) -> (fact: String, remedy: String)? {
        let node = step.event.subject
        let name = phrases.node(node)
        let source = names(step.inputs.filter { $0.role == .triggered }.map(\.source))
        let others = names(step.inputs.filter { $0.role != .triggered }.map(\.source))
        switch (definitions.nodes[node]?.kind, source, others) {
        case (.buffer, let source?, _):
            return (
                "waits for more values",
                "\(source) would have to give out more values until \(name) is full, or to complete."
            )
        case (.reduce, let source?, _), (.collect, let source?, _), (.last, let source?, _):
            return (
                "waits for the completion of \(source)",
                "\(source) would have to complete: \(name) gives out its result only then."
            )
        case (.sample, _, let others?):
            return ("waits for \(others)", "\(others) would have to give out a value after that.")
        case (.flatMap, _, _):
            return (
                "waits for the completion of an earlier signal",
                "The signal that \(name) runs now would have to complete."
            )
        // Their inputs always have values: they wait for the end of the turn.
        case (.observable, _, _), (.combiner, _, _), (.observer, _, _), (.foreign, _, _), (nil, _, _): return nil
        default: break
        }
        let missing = step.inputs.filter { $0.role == .tookPart }.map(\.source)
        guard let names = names(missing) else { return nil }
        return ("waits for \(names)", "\(name) waits for \(names): give \(missing.count > 1 ? "these" : "it") a value.")
    }

    /// The words for a node that received a value through a subscription, and neither emitted nor suppressed one.
    func words(of node: UInt32, fedBy id: UInt32) -> (fact: String, remedy: String)? {
        guard let kind = definitions.nodes[node]?.kind, let feeding = definitions.subscriptions[id] else { return nil }
        let feeder = phrases.node(feeding.source)
        let others = definitions.subscriptions.values.filter {
            $0.isInternal && $0.target == node && $0.source != feeding.source
        }
        guard let source = names(Set(others.map(\.source)).sorted()) else { return nil }
        switch kind {
        // A value of the signal that these sample or open would have been emitted, or suppressed as 'waiting'.
        case .sample:
            return (
                "was asked for a value by \(feeder), and had none",
                "\(source) would have to give out a value before \(feeder) does."
            )
        case .skipUntil:
            return (
                "was opened by \(feeder), and received no value after that",
                "\(source) would have to give out a value after \(feeder) does."
            )
        case .withLatest:
            return (
                "keeps the value of \(feeder) until it receives one of \(source)",
                "\(source) would have to give out a value."
            )
        default: return nil
        }
    }

    /// "a, b and 3 more"; nil: there are none.
    private func names(_ nodes: [UInt32]) -> String? {
        guard !nodes.isEmpty else { return nil }
        let names = nodes.prefix(4).map { phrases.node($0) }
        return names.joined(separator: ", ") + (nodes.count > 4 ? " and \(nodes.count - 4) more" : "")
    }
}
