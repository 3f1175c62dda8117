import WeirAnalysis
import WeirTrace

extension CauseStep.Way {
    /// The kind of step for a program; 'What the command prints as JSON' lists the fields.
    func json(_ definitions: TraceDefinitions) -> JSONValue {
        switch self {
        case .root: ["is": "root"]
        case .within(let id): ["is": "within", "cause": .string(id.description)]
        case .settling(let id): ["is": "settling", "cause": .string(id.description)]
        case .scheduled(let id): ["is": "scheduled", "cause": .string(id.description)]
        case .delivery(let id, let subscription):
            [
                "is": "delivery", "cause": .string(id.description), "subscription": .unsigned(UInt64(subscription)),
                "site": definitions.subscriptions[subscription]?.site.map { .string($0.description) } ?? .null,
            ]
        }
    }
}
