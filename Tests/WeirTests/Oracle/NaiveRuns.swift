import WeirTrace

@testable import WeirAnalysis

/// The runs of cold nodes, found by looking back at how their subscriptions began.
extension NaiveInterpreter {
    /// The inputs that belong to the run of an event of a cold node.
    enum RunInputs {
        /// All inputs of the node: it has no runs, or only one.
        case all
        case some([TraceSubscription], output: UInt32?)
        case unknown
    }

    func hasRuns(_ node: UInt32) -> Bool {
        guard let kind = definitions.nodes[node]?.kind else { return false }
        return kind.rawValue >= NodeKind.map.rawValue && ![.share, .multicast].contains(kind)
    }

    /// The subscription that a delivery or hop around an event belongs to, if it feeds the node of the event.
    func inputBehind(_ position: Int) -> TraceSubscription? {
        let place = places[position]
        guard let id = place.subscription.flatMap({ $0 == 0 ? nil : $0 }) ?? place.hop else { return nil }
        let subscription = definitions.subscriptions[id]
        return subscription?.target == events[position].subject ? subscription : nil
    }

    func runInputs(at position: Int) -> RunInputs {
        let node = events[position].subject
        guard hasRuns(node) else { return .all }
        let (inputs, outputs) = (subscriptions(feeding: node), subscriptions(to: node))
        let origins = Set(inputs.map(origin))
        let isLate = subscribesLate(node)
        let behind = inputBehind(position)
        if outputs.count < 2 {
            let isOlder = inputs.first.map { first in outputs.allSatisfy { first.id < $0.id } } ?? false
            return isOlder && origins.count < inputs.count && !isLate ? .unknown : .all
        }
        if hasOneSource(node), let behind {
            return .some([behind], output: areRunsKnown(of: node) ? run(of: behind) : nil)
        }
        guard areRunsKnown(of: node), let behind, let run = run(of: behind) else { return .unknown }
        return .some(inputs.filter { self.run(of: $0) == run }, output: run)
    }

    /// The source, or the observable whose current value and changes it gives.
    private func origin(_ subscription: TraceSubscription) -> UInt32 {
        guard definitions.nodes[subscription.source]?.kind == .current else { return subscription.source }
        return subscriptions(feeding: subscription.source).first?.source ?? subscription.source
    }

    private func hasOneSource(_ node: UInt32) -> Bool {
        let joining: [NodeKind?] = [
            .combineLatest, .zip, .merge, .withLatest, .takeUntil, .skipUntil, .sample, .race,
        ]
        return !subscribesLate(node) && !joining.contains(definitions.nodes[node]?.kind)
    }

    func subscribesLate(_ node: UInt32) -> Bool {
        let kinds: [NodeKind?] = [.flatMap, .concat, .catch, .timeout]
        return kinds.contains(definitions.nodes[node]?.kind)
    }

    private func start(of subscription: TraceSubscription) -> Int? {
        events.firstIndex { $0.kind == .subscriptionStarted && $0.subject == subscription.id }
    }

    /// Whether all runs of a node began during the recording, and subscribed to the same sources.
    private func areRunsKnown(of node: UInt32) -> Bool {
        let (inputs, outputs) = (subscriptions(feeding: node), subscriptions(to: node))
        guard (inputs + outputs).allSatisfy({ start(of: $0) != nil }) else { return false }
        if subscribesLate(node) { return true }
        let lists = outputs.map { output in inputs.filter { run(of: $0) == output.id }.map(origin) }
        let longest = lists.max { $0.count < $1.count } ?? []
        let isDistinct = Set(longest).count == longest.count
        return lists.allSatisfy { $0 == longest || isDistinct && longest.starts(with: $0) }
    }

    /// The output that began the run of an input: the last one that began before it, unless it began in a delivery to its node.
    private func run(of input: TraceSubscription) -> UInt32? {
        guard let node = input.target, let start = start(of: input) else { return nil }
        let around = places[start].subscription.flatMap { $0 == 0 ? nil : $0 } ?? places[start].hop
        if let around, let other = definitions.subscriptions[around], other.target == node { return run(of: other) }
        let outputs = Set(subscriptions(to: node).map(\.id))
        return events[..<start].last { $0.kind == .subscriptionStarted && outputs.contains($0.subject) }?.subject
    }

    // MARK: Zips

    /// The positions of the deliveries that wait in each input of a run of a zip before an event; nil: unknown.
    func waiting(in inputs: [TraceSubscription], at position: Int) -> [UInt32: [Int]] {
        var queues: [UInt32: [Int]] = [:]
        for earlier in 0..<position {
            let event = events[earlier]
            if event.kind == .subscriptionStarted, inputs.contains(where: { $0.id == event.subject }) {
                queues[event.subject] = []
            } else if deliversValue(earlier) {
                queues[event.subject]?.append(earlier)
            } else if event.subject == inputs[0].target, event.kind == .emitted && !event.isReplayed {
                let input = inputBehind(earlier)
                if let input, !inputs.contains(where: { $0.id == input.id }) { continue }
                for lane in inputs { if queues[lane.id]?.isEmpty == false { queues[lane.id]?.removeFirst() } }
                if let input, places[earlier].subscription == input.id { queues[input.id] = [] }
            } else if event.subject == inputs[0].target, event.suppressionReason == .waiting, inputs.count == 2,
                let input = inputBehind(earlier), places[earlier].subscription == input.id,
                inputs.contains(where: { $0.id == input.id })
            {
                for lane in inputs where lane.id != input.id { queues[lane.id] = [] }
            }
        }
        return queues
    }
}
