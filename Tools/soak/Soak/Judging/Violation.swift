/// A way in which a run has broken the delivery contract.
package struct Violation: Sendable, Equatable, CustomStringConvertible {
    package enum Rule: String, Sendable, CaseIterable {
        case overlappingCalls = "a subscriber was called on two threads at once"
        case calledAfterDispose = "a subscriber was called after it was disposed"
        case calledAfterEnd = "a subscriber was called after its signal had ended"
        case lostEvent = "an event was lost or repeated"
        case eventOrder = "events arrived in another order than that of their emission"
        case stateOrder = "values arrived in another order than that of their storage"
        case unknownValue = "a value arrived that was never written"
        case staleSubscriber = "when all was quiet, a subscriber had last heard another value than the one held"
        case staleCombiner = "when all was quiet, a combiner held another value than its function of its inputs"
        case staleBinding = "when all was quiet, a bound observable held another value than its source"
        case wrongCount = "take(n) did not deliver n values and end"
        case notDepthFirst = "a handler's write to the observable that was being delivered was not delivered at once"
        case glitch = "a settled combiner showed a value that no turn ended with"
        case deadlock = "no thread can go on"
        case endless = "the program does not come to rest"
    }

    package let rule: Rule
    package let detail: String

    package init(_ rule: Rule, _ detail: String = "") {
        self.rule = rule
        self.detail = detail
    }

    package var description: String { detail.isEmpty ? rule.rawValue : "\(rule.rawValue): \(detail)" }
}
