import WeirTrace

/// The subscriptions that an `await` of the first value of a signal makes: the program can dispose none of them.
struct Awaits {
    /// For each node, the only subscription that it feeds; nil if there are several.
    private var next: [UInt32: UInt32?] = [:]
    /// For each node, the source of a subscription that feeds it.
    private var sources: [UInt32: UInt32] = [:]
    private let definitions: TraceDefinitions
    private let isEmpty: Bool

    /// The most operators between a subscription and the `await`.
    private static let mostSteps = 16

    init(_ topology: Topology) {
        definitions = topology.definitions
        isEmpty = !topology.subscriptions.contains(where: \.isOfAwait)
        if isEmpty { return }
        for subscription in topology.subscriptions {
            next[subscription.source] = .some(next[subscription.source] == nil ? subscription.id : nil)
            if let target = subscription.target { sources[target] = subscription.source }
        }
    }

    /// The node for whose first value an `await` waits through a subscription; nil: none does.
    func node(of id: UInt32) -> UInt32? {
        guard !isEmpty, var subscription = definitions.subscriptions[id] else { return nil }
        for _ in 0..<Self.mostSteps {
            // The operator that lets one value through belongs to the await.
            if subscription.isOfAwait { return sources[subscription.source] ?? subscription.source }
            guard let target = subscription.target, case .some(.some(let id)) = next[target],
                let following = definitions.subscriptions[id]
            else { return nil }
            subscription = following
        }
        return nil
    }
}
