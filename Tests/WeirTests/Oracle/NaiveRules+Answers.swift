import WeirTrace

@testable import WeirAnalysis

extension NaiveRules {
    /// The event behind an answer, and the line that made the node of the first hop.
    private struct NaiveRequest {
        let id: EventID
        let runner: UInt32
        /// The position of the last event of its thread, up to it, outside of all frames.
        let order: Int
        let site: TraceSite?
        let node: UInt32
        var hops = 1

        func isComparable(to other: NaiveRequest) -> Bool {
            hops == other.hops && runner == other.runner && site == other.site
                && (site != nil || node == other.node)
        }

        func isLater(than other: NaiveRequest) -> Bool {
            (order, id.sequence) > (other.order, other.id.sequence)
        }
    }

    /// `stale-response`.
    mutating func judgeAnswers() {
        for subscription in Set(refreshes.map(\.subscription)) {
            let own = refreshes.filter { $0.subscription == subscription }
            let node = naive.definitions.subscriptions[subscription]?.source ?? 0
            let requests = own.map { refresh in
                emissions(around: refresh.position).contains { isFirstValue($0.opening) }
                    ? nil : request(of: refresh.position)
            }
            for (place, refresh) in own.enumerated() {
                guard let request = requests[place], events[refresh.emission].value != .void else { continue }
                let former = requests[..<place].compactMap(\.self).filter { $0.isComparable(to: request) }
                // Two nodes that one line made may hand on answers to one request.
                guard former.contains(where: { $0.isLater(than: request) }),
                    !former.contains(where: { $0.id == request.id })
                else { continue }
                if NaiveEquality(events[own[place - 1].emission].value, events[refresh.emission].value) == .equal {
                    continue
                }
                count(.staleResponse, refresh.position, node: node, subscription: subscription)
                guard options.rules.contains(.staleResponse) else { continue }
                let burst = tallies[Subject(rule: .burst, node: node, subscription: subscription)]
                if burst?.positions.contains(own[place - 1].position) == true {
                    change(.burst, node, subscription) { $0.stale += 1 }
                }
            }
        }
    }

    private func request(of position: Int) -> NaiveRequest? {
        let frames = around[position].drop { events[$0.opening].kind == .stimulusBegan }
        guard let hop = frames.first, events[hop.opening].kind == .hopBegan else { return nil }
        return request(ofHop: hop.opening)
    }

    private func request(ofHop hop: Int) -> NaiveRequest? {
        guard let cause = events[hop].cause, naive.definitions.nodes[events[hop].subject] != nil else { return nil }
        if let position = events.firstIndex(where: { $0.id == cause }) {
            let frames = (around[position] + [opened[position]].compactMap(\.self)).drop {
                events[$0.opening].kind == .stimulusBegan
            }
            if let outer = frames.first, events[outer.opening].kind == .hopBegan {
                var request = request(ofHop: outer.opening)
                request?.hops += 1
                return request
            }
        }
        let node = naive.definitions.nodes[events[hop].subject]
        let ends: [EventKind] = [.deliveryEnded, .stimulusEnded, .hopEnded, .batchEnded]
        let order = events.indices.last { position in
            let event = events[position]
            return event.id.thread == cause.thread && event.id.sequence <= cause.sequence && around[position].isEmpty
                && !ends.contains(event.kind)
        }
        return NaiveRequest(
            id: cause, runner: runner(cause), order: order ?? -1, site: node?.site, node: events[hop].subject)
    }
}
