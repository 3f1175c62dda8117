import Weir
import WeirTesting

/// Makes cold sources, and counts their subscriptions and clean-ups.
final class CleanupStage: Sendable {
    /// The behaviour of a source after it is subscribed to.
    enum Source: Sendable {
        /// The stage keeps the `Subscriber` and sends when the test asks for it.
        case kept
        /// Nobody keeps the `Subscriber`, so nothing can ever arrive.
        case forgotten
        /// Sends 1, 2, 3 and the completion before the subscription is made.
        case completingAtOnce
        /// The same with a failure, for the first runs only; otherwise `retry()` would never end.
        case failingAtOnce
    }

    struct Refusal: Error {}

    /// Captured by operators, sources and handlers; it must be released with them.
    final class Token: Sendable {}

    private struct Run {
        var subscriber: Subscriber<Int>?
        var cleanups = 0
        /// Whether the stage has completed or failed it.
        var isEnded = false
    }

    let time = VirtualScheduler()
    private let mode: Source
    private let runs = Locked<[Run]>([])

    init(_ mode: Source) { self.mode = mode }

    /// A cold source whose subscriptions are counted.
    func source(holding token: Token) -> Signal<Int> {
        Signal { [self] subscriber in
            let number = runs.change {
                $0.append(Run())
                return $0.count - 1
            }
            perform(subscriber, number)
            return Disposable { [self] in
                withExtendedLifetime(token) { runs.change { $0[number].cleanups += 1 } }
            }
        }
    }

    private func perform(_ subscriber: Subscriber<Int>, _ number: Int) {
        switch mode {
        case .kept: runs.change { $0[number].subscriber = subscriber }
        case .forgotten: break
        case .completingAtOnce:
            for value in 1...3 { subscriber.next(value) }
            subscriber.complete()
        case .failingAtOnce:
            for value in 1...3 { subscriber.next(value) }
            if number < 20 { subscriber.fail(Refusal()) } else { subscriber.complete() }
        }
    }

    // MARK: Driving

    /// Sends 1 to 5 to all subscribers, with some time in between.
    func sendValues() {
        for value in 1...5 {
            for (_, subscriber) in open { subscriber.next(value) }
            time.advance(by: .milliseconds(250))
        }
        time.advance(by: .seconds(3))
    }

    /// Ends all subscriptions, and up to a bound also those that are made in consequence.
    func endAll(failing: Bool) {
        for _ in 0..<20 {
            for (number, subscriber) in open {
                runs.change { $0[number].isEnded = true }
                if failing { subscriber.fail(Refusal()) } else { subscriber.complete() }
            }
            time.advance(by: .seconds(3))
            if open.isEmpty { return }
        }
    }

    private var open: [(Int, Subscriber<Int>)] {
        runs.value.enumerated().compactMap { number, run in
            guard !run.isEnded, let subscriber = run.subscriber, !subscriber.isDisposed else { return nil }
            return (number, subscriber)
        }
    }

    /// Drops the subscribers, which hold the downstream operators.
    func forget() {
        // Released outside of the lock, because this may clean up.
        let former = runs.change { runs in
            defer { for number in runs.indices { runs[number].subscriber = nil } }
            return runs.map(\.subscriber)
        }
        withExtendedLifetime(former) {}
    }

    // MARK: Counts

    /// The number of subscriptions so far.
    var count: Int { runs.value.count }

    /// The problem with the clean-ups of the first `count` subscriptions (by default of all), if any.
    func problem(first count: Int? = nil) -> String? {
        let runs = runs.value.prefix(count ?? .max)
        if runs.isEmpty { return "never subscribed" }
        let (missing, repeated) = (runs.count { $0.cleanups == 0 }, runs.count { $0.cleanups > 1 })
        let listening = runs.count { $0.subscriber?.isDisposed == false }
        if missing > 0 { return "\(missing) of \(runs.count) not cleaned up" }
        if repeated > 0 { return "\(repeated) of \(runs.count) cleaned up twice" }
        return listening > 0 ? "\(listening) of \(runs.count) not disposed for the source" : nil
    }
}
