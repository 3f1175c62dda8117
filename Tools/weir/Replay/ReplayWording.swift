import WeirAnalysis
import WeirReport
import WeirTrace

extension Wording {
    /// The error in an expression, and its position.
    static func problem(_ error: ExpressionError) -> String {
        let place = " at character \(error.column)"
        func quoted(_ text: String) -> String { "'" + TerminalText.cut(TerminalText.escaped(text), to: 40) + "'" }
        return switch error.problem {
        case .endsTooEarly: "it ends where a value should come"
        case .noValue(let text): "\(quoted(text))\(place) stands where a value should"
        case .superfluous(let text): "\(quoted(text))\(place) is more than it can take"
        case .notClosed: "the parenthesis\(place) is not closed"
        case .stringWithoutEnd: "the string\(place) has no end"
        case .nameWithoutEnd: "the name\(place) has no end, or is empty"
        case .unknownEscape(let text): "\(quoted(text))\(place) is no escape of a string"
        case .badNumber(let text): "\(quoted(text))\(place) is no number that fits 64 bits"
        case .singleOperator(let text): "\(quoted(text))\(place) must be doubled"
        case .chainedComparison(let text): "\(quoted(text))\(place) follows another comparison; join the two by &&"
        case .nodeExpected(let function): "\(function) needs a node\(place)"
        case .tooDeep: "it is nested too deeply\(place)"
        case .tooLong: "it has too many operands\(place)"
        }
    }

    /// Why a trace has no such moment, in a few words.
    static func problem(_ error: MomentError, _ text: String) -> String {
        let text = TerminalText.cut(TerminalText.escaped(text), to: 40)
        return switch error {
        case .timeOutside(let last): "\(text) is behind the end, which is at \(Figures.duration(nanoseconds: last))"
        case .noSuchEvent: "there is no event \(text)"
        case .noSuchStimulus: "there is no stimulus '\(text)'"
        }
    }

    /// Which of several stimuli a moment belongs to; nil if there is only one.
    static func chosen(_ stimulus: MomentPass.ChosenStimulus) -> String? {
        stimulus.matches > 1 ? "the last of \(Figures.count(stimulus.matches)) such stimuli" : nil
    }

    /// Why the trace does not determine the value of an expression.
    static func reason(_ unknown: Judgement.Unknown, _ definitions: TraceDefinitions) -> String {
        let name = unknown.node.map { TerminalText.escaped(definitions.name(ofNode: $0)) } ?? "a value"
        return switch unknown.reason {
        case .noValueYet: "\(name) has no value yet"
        case .notRecorded: "the values of \(name) are not recorded"
        case .isPrivate: "\(name) is private"
        case .notRecordable: "the trace does not hold the values of \(name)"
        case .isCut: "the value of \(name) was cut, and the rest decides"
        case .notATruth: "\(name) is neither true nor false"
        case .notComparable: "what \(name) is compared with has no order with it"
        }
    }

    /// The truth of a condition that never became true, over time.
    enum Course { case trueAtFirst, falseThroughout, other }

    /// The sentence for a break that was never hit; `nodes` are the final values of its nodes, and `scope` limits the sentence.
    static func neverTrue(
        _ text: String, _ course: Course, _ judgement: Judgement, nodes: String, scope: String,
        _ definitions: TraceDefinitions
    ) -> String {
        let text = TerminalText.escaped(text)
        let end = nodes.isEmpty ? "" : " At the end, \(nodes)."
        switch (course, judgement) {
        case (.trueAtFirst, _): return "\(text): was true from the beginning and never became true again\(scope).\(end)"
        case (.falseThroughout, _): return "\(text): never true\(scope); it was false throughout.\(end)"
        case (.other, .value): return "\(text): never true\(scope); it is false at the end.\(end)"
        case (.other, .unknown(let unknown)):
            return "\(text): never true\(scope); at the end it is unknown: \(reason(unknown, definitions))."
        }
    }

    /// Says that an expression could not be judged at some moments.
    static func notJudged(
        _ text: String, _ unknown: Judgement.Unknown, _ moments: UInt64, _ definitions: TraceDefinitions
    ) -> String {
        "'\(TerminalText.escaped(text))' could not be judged at \(Figures.count(moments, "moment")): "
            + reason(unknown, definitions) + "."
    }
}
