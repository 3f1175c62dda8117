import Foundation
import OpenCombine

/// Combine's `combineLatest`, which OpenCombine 0.14 lacks; demand is not divided.
struct CombineLatest<First: Publisher, Second: Publisher>: Publisher where First.Failure == Second.Failure {
    typealias Output = (First.Output, Second.Output)
    typealias Failure = First.Failure

    let first: First
    let second: Second

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let link = Link(subscriber)
        first.subscribe(Side<First.Output>(link) { link.first = $0 })
        second.subscribe(Side<Second.Output>(link) { link.second = $0 })
        subscriber.receive(subscription: link)
    }

    private class AnyLink: Subscription {
        let lock = NSRecursiveLock()
        var upstream: [any Subscription] = []
        var completions = 0

        func update() {}
        func finish(_ completion: Subscribers.Completion<Failure>) {}
        func request(_ demand: Subscribers.Demand) { for subscription in upstream { subscription.request(.unlimited) } }

        func cancel() {
            lock.lock()
            let ended = upstream
            upstream = []
            lock.unlock()
            for subscription in ended { subscription.cancel() }
        }
    }

    private final class Link<Downstream: Subscriber>: AnyLink
    where Downstream.Input == Output, Downstream.Failure == Failure {
        var first: First.Output?
        var second: Second.Output?
        private var downstream: Downstream?

        init(_ downstream: Downstream) { self.downstream = downstream }

        override func update() {
            if let first, let second { _ = downstream?.receive((first, second)) }
        }

        override func finish(_ completion: Subscribers.Completion<Failure>) {
            completions += 1
            if case .finished = completion, completions < 2 { return }
            let ended = downstream
            downstream = nil
            ended?.receive(completion: completion)
        }

        override func cancel() {
            super.cancel()
            downstream = nil
        }
    }

    private struct Side<Input>: Subscriber {
        let link: AnyLink
        let store: (Input) -> Void
        let combineIdentifier = CombineIdentifier()

        init(_ link: AnyLink, _ store: @escaping (Input) -> Void) {
            self.link = link
            self.store = store
        }

        func receive(subscription: any Subscription) { link.upstream.append(subscription) }

        func receive(_ input: Input) -> Subscribers.Demand {
            link.lock.lock()
            defer { link.lock.unlock() }
            store(input)
            link.update()
            return .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            link.lock.lock()
            defer { link.lock.unlock() }
            link.finish(completion)
        }
    }
}

extension Publisher {
    func combineLatest<Other: Publisher>(_ other: Other) -> CombineLatest<Self, Other> where Other.Failure == Failure {
        CombineLatest(first: self, second: other)
    }
}
