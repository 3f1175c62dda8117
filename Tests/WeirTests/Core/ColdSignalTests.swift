import Dispatch
import Testing
import Weir

private struct Broken: Error {}

/// A counter for any thread.
final class LockedCounter: @unchecked Sendable {
    private let queue = DispatchQueue(label: "counter")
    private var count = 0
    func increment() { queue.sync { count += 1 } }
    var value: Int { queue.sync { count } }
}

/// Keeps the subscribers of a signal, so that the test can drive them.
@MainActor private final class Stage<Value: Sendable> {
    var subscribers: [Subscriber<Value>] = []
    var cleanups = 0
    var signal: Signal<Value> {
        Signal { [weak self] subscriber in
            MainActor.assumeIsolated { self?.subscribers.append(subscriber) }
            return Disposable { @MainActor [weak self] in self?.cleanups += 1 }
        }
    }
}

extension Everything {
    @MainActor @Suite struct ColdSignalTests {
        @Test func `Its closure runs once for every subscription, and not before`() {
            nonisolated(unsafe) var runs = 0
            let signal = Signal<Int> { subscriber in
                runs += 1
                subscriber.next(runs)
                subscriber.complete()
                return nil
            }
            #expect(runs == 0)
            var heard: [String] = []
            signal.subscribeEvents { heard.append("a \($0)") }
            signal.subscribeEvents { heard.append("b \($0)") }
            #expect(heard == ["a next(1)", "a completed", "b next(2)", "b completed"])
        }

        enum Step: CaseIterable { case complete, fail, dispose }

        @Test(arguments: Step.allCases, Step.allCases)
        func `Cleanup is disposed once, in every order of ends`(first: Step, second: Step) {
            let stage = Stage<Int>()
            var ends = 0
            let subscription = stage.signal.subscribeEvents { if case .next = $0 {} else { ends += 1 } }
            func perform(_ step: Step) {
                switch step {
                case .complete: stage.subscribers[0].complete()
                case .fail: stage.subscribers[0].fail(Broken())
                case .dispose: subscription.dispose()
                }
            }
            #expect(stage.cleanups == 0)
            #expect(!stage.subscribers[0].isDisposed)
            perform(first)
            #expect(stage.cleanups == 1)
            #expect(stage.subscribers[0].isDisposed)
            perform(second)
            stage.subscribers[0].next(1)
            #expect(stage.cleanups == 1)
            #expect(ends == (first == .dispose ? 0 : 1))
        }

        @Test(arguments: [true, false])
        func `Cleanup is disposed once when the signal ends before its closure returns`(fails: Bool) {
            nonisolated(unsafe) var cleanups = 0
            let signal = Signal<Int> { subscriber in
                if fails { subscriber.fail(Broken()) } else { subscriber.complete() }
                subscriber.next(3)
                return Disposable { cleanups += 1 }
            }
            var heard = 0
            let subscription = signal.subscribe { _ in heard += 1 }
            #expect(cleanups == 1)
            subscription.dispose()
            #expect(cleanups == 1)
            #expect(heard == 0)
        }

        @Test func `A handler that disposes its own subscription hears nothing more`() {
            let stage = Stage<Int>()
            var heard: [Int] = []
            var subscription: Disposable?
            subscription = stage.signal.subscribe {
                heard.append($0)
                subscription?.dispose()
            }
            stage.subscribers[0].next(1)
            stage.subscribers[0].next(2)
            #expect(heard == [1])
            #expect(stage.cleanups == 1)
        }

        @Test func `Dropping the subscription ends nothing`() {
            let stage = Stage<Int>()
            var heard: [Int] = []
            stage.signal.subscribe { heard.append($0) }
            stage.subscribers[0].next(1)
            #expect(heard == [1])
            #expect(stage.cleanups == 0)
        }

        private final class Token {}

        @Test(arguments: [true, false])
        func `Once it has ended nothing holds the handler, even if the subscription is kept`(cleansUp: Bool) {
            nonisolated(unsafe) var subscriber: Subscriber<Int>?
            weak var held: Token?
            let subscription: Disposable
            do {
                let token = Token()
                held = token
                let signal = Signal<Int> {
                    subscriber = $0
                    return cleansUp ? Disposable {} : nil
                }
                subscription = signal.subscribe { _ in _ = token }
            }
            #expect(held != nil)
            subscriber?.complete()
            subscriber = nil
            #expect(held == nil)
            subscription.dispose()
        }

        @Test func `A signal that ended while subscribing leaves nothing behind`() {
            weak var held: Token?
            let subscription: Disposable
            do {
                let token = Token()
                held = token
                let signal = Signal<Int> {
                    $0.complete()
                    return nil
                }
                subscription = signal.subscribe { _ in _ = token }
            }
            #expect(held == nil)
            subscription.dispose()
        }

        @Test func `A subscription that is dropped with its source leaks nothing`() {
            weak var held: Token?
            do {
                let token = Token()
                held = token
                let emitter = Emitter<Int>()
                let signal = Signal<Int> { subscriber in emitter.subscribe { subscriber.next($0) } }
                signal.subscribe { _ in _ = token }
            }
            #expect(held == nil)
        }

        @Test func `The subscription holds what the closure subscribed to, until it is disposed`() {
            weak var source: Emitter<Int>?
            var heard: [Int] = []
            let subscription: Disposable
            do {
                let emitter = Emitter<Int>()
                source = emitter
                let signal = Signal<Int> { [weak emitter] subscriber in
                    emitter?.subscribe { subscriber.next($0) }
                }
                subscription = signal.subscribe { heard.append($0) }
            }
            source?.emit(1)
            #expect(heard == [1])
            subscription.dispose()
            #expect(source == nil)
        }

        @Test nonisolated func `Threads that end and dispose at once clean up once`() {
            for round in 0..<300 {
                let cleanups = LockedCounter()
                let ends = LockedCounter()
                nonisolated(unsafe) var subscriber: Subscriber<Int>?
                let signal = Signal<Int> {
                    subscriber = $0
                    return Disposable { cleanups.increment() }
                }
                let subscription = signal.subscribeEvents { event in
                    if case .next = event {} else { ends.increment() }
                }
                DispatchQueue.concurrentPerform(iterations: 3) { index in
                    switch (index + round) % 3 {
                    case 0: subscriber?.complete()
                    case 1: subscription.dispose()
                    default: for number in 0..<20 { subscriber?.next(number) }
                    }
                }
                #expect(cleanups.value == 1)
                #expect(ends.value <= 1)
            }
        }

        @Test nonisolated func `Values from another thread arrive, and none after the end`() {
            let group = DispatchGroup()
            let signal = Signal<Int> { subscriber in
                DispatchQueue.global().async(group: group) {
                    subscriber.next(1)
                    subscriber.complete()
                    subscriber.next(2)
                }
                return nil
            }
            nonisolated(unsafe) var heard: [Event<Int>] = []
            signal.subscribeEvents { heard.append($0) }
            group.wait()
            #expect(heard == [.next(1), .completed])
        }

        @Test func `A trace says why a late value was dropped`() throws {
            let recording = try record {
                let ended = Stage<Int>()
                ended.signal.subscribe { _ in }
                ended.subscribers[0].complete()
                ended.subscribers[0].next(1)
                let disposed = Stage<Int>()
                disposed.signal.subscribe { _ in }.dispose()
                disposed.subscribers[0].next(1)
                disposed.subscribers[0].complete()
            }
            let reasons = recording.events.compactMap(\.suppressionReason).map { "\($0)" }
            #expect(reasons == ["afterCompletion", "disposed", "disposed"])
        }
    }
}
