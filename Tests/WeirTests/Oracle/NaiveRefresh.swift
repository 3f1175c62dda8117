import WeirTrace

@testable import WeirAnalysis

/// A delivery of a value through a terminal subscription.
struct NaiveRefresh {
    /// The position of its beginning.
    let position: Int
    let subscription: UInt32
    /// The position of the delivered emission.
    let emission: Int
    /// The position of the event that ends it; nil if none was recorded.
    let end: Int?
    /// The ticks from its beginning to its end.
    var duration: UInt64?
    /// The same without the refreshes inside it.
    var handlerTicks: UInt64 = 0

    /// All refreshes of a trace, in its order.
    static func all(of rules: NaiveRules) -> [NaiveRefresh] {
        let events = rules.events
        var found: [NaiveRefresh] = []
        for frame in rules.naive.frames.values.joined() where events[frame.opening].kind == .emitted {
            for (place, delivery) in frame.deliveries.enumerated() where rules.naive.isTerminal(delivery.subscription) {
                let isLast = place == frame.deliveries.count - 1
                let end = isLast ? frame.closing : frame.deliveries[place + 1].position
                found.append(
                    NaiveRefresh(
                        position: delivery.position, subscription: delivery.subscription, emission: frame.opening,
                        end: end == Int.max ? nil : end))
            }
        }
        found.sort { $0.position < $1.position }
        // A refresh inside another one comes after it.
        for place in found.indices.reversed() {
            let refresh = found[place]
            guard let end = refresh.end else { continue }
            let duration = events[end].ticks - events[refresh.position].ticks
            let inside = found[(place + 1)...].filter {
                $0.position < end && events[$0.position].id.thread == events[end].id.thread
            }
            found[place].duration = duration
            found[place].handlerTicks = duration - inside.reduce(0) { $0 + $1.handlerTicks }
        }
        return found
    }
}
