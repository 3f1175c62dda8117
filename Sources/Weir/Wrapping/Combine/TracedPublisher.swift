#if canImport(Combine)
import Combine

extension Publisher {
    /// The same publisher, whose subscriptions, values, ends and cancellations are recorded under `name`.
    ///
    /// ```swift
    /// isEnabled = $name.traced("name")
    ///     .map { $0.count >= 6 }.traced("isValid")
    ///     .sink { button.isEnabled = $0 }
    /// ```
    /// A value is delivered inside its emission, so downstream effects are caused by it: 'isValid' by 'name'. The graph has
    /// an edge from one traced publisher to the next one downstream, if that subscribes to it at once. All do, except those
    /// that wait for a value (`flatMap`, `switchToLatest`, `append`); others are handlers, whose calls are refreshes. A hop
    /// to another queue loses the cause, unless its scheduler is a ``TracedScheduler``.
    ///
    /// Demand passes through unchanged; nothing is buffered, no lock is held, and ownership stays the same. A released
    /// `AnyCancellable` cancels, so a trace shows both as 'disposed'. Any thread may use it. Cost: three allocations for a
    /// publisher's subscription; for a value, while nothing is recorded, one predictable branch.
    ///
    /// - Parameter privacy: `.private` keeps values and failures out of every trace.
    public func traced(
        _ name: String, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> TracedPublisher<Self> {
        TracedPublisher(
            upstream: self,
            probe: TraceProbe(name, of: Output.self, technique: .combine, privacy: privacy, file: file, line: line),
            file: file, line: line)
    }
}

/// A publisher whose subscriptions are recorded; see `traced`.
public struct TracedPublisher<Upstream: Publisher>: Publisher {
    /// The output of the recorded publisher.
    public typealias Output = Upstream.Output
    /// The failure of the recorded publisher.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let probe: TraceProbe
    let file: StaticString
    let line: UInt

    /// Subscribes `subscriber` to the recorded publisher.
    public func receive<Downstream: Combine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let subscription = probe.subscribed(feeding: Subscribing.probe, file: file, line: line)
        Subscribing.$probe.withValue(probe) {
            upstream.subscribe(TracedSubscriber(downstream: subscriber, subscription: subscription))
        }
    }
}

extension TracedPublisher: Sendable where Upstream: Sendable {}

/// The traced publisher that is currently subscribing to its upstream.
private enum Subscribing {
    @TaskLocal static var probe: TraceProbe?
}

/// The receiver of upstream's deliveries. Constant, like the subscriptions of Combine's own `map`, so it needs no lock.
private struct TracedSubscriber<Downstream: Combine.Subscriber>: Combine.Subscriber {
    let downstream: Downstream
    let subscription: TraceProbe.Subscription
    let combineIdentifier = CombineIdentifier()

    func receive(subscription upstream: any Combine.Subscription) {
        // Upstream may deliver the demanded values at once, and their receiver may subscribe to another publisher.
        Subscribing.$probe.withValue(nil) {
            downstream.receive(subscription: TracedSubscription(upstream: upstream, subscription: subscription))
        }
    }

    func receive(_ value: Downstream.Input) -> Subscribers.Demand {
        subscription.emitted(value) { downstream.receive(value) }
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        switch completion {
        case .finished: subscription.completed { downstream.receive(completion: completion) }
        case .failure(let error): subscription.failed(error) { downstream.receive(completion: completion) }
        }
    }
}

/// The subscription by which downstream demands and cancels.
private final class TracedSubscription: Combine.Subscription {
    private let upstream: any Combine.Subscription
    private let subscription: TraceProbe.Subscription

    init(upstream: any Combine.Subscription, subscription: TraceProbe.Subscription) {
        self.upstream = upstream
        self.subscription = subscription
    }

    func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

    func cancel() {
        upstream.cancel()
        subscription.disposed()
    }
}
#endif
