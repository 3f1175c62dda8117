import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace

extension Everything {
    /// The rows of 'Sources', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct SourceRows {
        /// Combine's and RxSwift's closures run for each subscriber, too; that of article B's `Observation` when it is made.
        @Test func `A closure for each subscription`() {
            let runs = Locked(0)
            let clock = Signal<Int> { subscriber in
                subscriber.next(
                    runs.change {
                        $0 += 1; return $0
                    })
                return Disposable {}
            }
            #expect(Log.of(clock) == "1" && Log.of(clock) == "2")
            #expect(
                Log.of(
                    Signal<Int>.create { subscriber in
                        subscriber.complete(); return nil
                    }) == "|")
            let bag = DisposeBag()
            let observation = clock.replay(1)
            observation.subscribe { _ in }.disposed(by: bag)
            #expect(runs.value == 3)
            #expect(Log.of(observation) == "3" && Log.of(observation) == "3")
        }

        @Test func `What that closure sends to`() {
            let sent = Signal<Int> { (subscriber: Subscriber<Int>) in
                subscriber.next(1)
                subscriber.send(.next(2))
                subscriber.complete()
                subscriber.next(3)
                return nil
            }
            let failing = Signal<Int> { subscriber in
                subscriber.fail(NoNetwork())
                return nil
            }
            #expect(Log.of(sent) == "1 2 |" && Log.of(failing) == "#")
        }

        @Test func `One value`() { #expect(Log.of(Signal.just(1)) == "1 |") }

        @Test func `Nothing, then completion`() { #expect(Log.of(Signal<Int>.empty()) == "|") }

        @Test func `Nothing, and no end`() { #expect(Log.of(Signal<Int>.never()) == "") }

        @Test func `A failure`() { #expect(Log.of(Signal<Int>.failed(NoNetwork())) == "#") }

        @Test func `Made anew for each subscriber`() {
            let made = Locked(0)
            let makeRequest: @Sendable () -> Signal<Int> = {
                .just(
                    made.change {
                        $0 += 1; return $0
                    })
            }
            let deferred = Signal.just(()).flatMap(.concat) { makeRequest() }
            #expect(made.value == 0)
            #expect(Log.of(deferred) == "1 |" && Log.of(deferred) == "2 |")
        }

        @Test func `A sequence`() {
            #expect(Log.of(Signal([1, 2, 3])) == "1 2 3 |")
            #expect([1, 2, 3].map { $0 * 2 } == [2, 4, 6])
        }

        @Test func `A result`() {
            var result: Result<Int, NoNetwork> = .success(1)
            #expect(Log.of(Signal(result)) == "1 |")
            result = .failure(NoNetwork())
            #expect(Log.of(Signal(result)) == "#")
        }

        private final class File: Sendable {
            static let isOpen = Locked(0)
            let lines = Signal(["a", "b"]).concat(.never())
            init(_ path: String) { Self.isOpen.change { $0 += 1 } }
            func close() { Self.isOpen.change { $0 -= 1 } }
        }

        /// RxSwift's `using` disposes of its resource with the subscription, however that ends.
        @Test func `A resource for each subscription`() {
            let path = "lines"
            let lines = Signal<String> { subscriber in
                let file = File(path)
                let reading = file.lines.subscribeEvents { subscriber.send($0) }
                return Disposable {
                    reading.dispose()
                    file.close()
                }
            }
            let log = Log()
            let subscriptions = [log.hear(lines), log.hear(lines)]
            #expect(log.text == "a b a b" && File.isOpen.value == 2)
            for subscription in subscriptions { subscription.dispose() }
            #expect(File.isOpen.value == 0)
        }

        @Test func `An async function`() async throws {
            let runs = Locked(0)
            let count: @Sendable () async throws -> Int = {
                runs.change {
                    $0 += 1; return $0
                }
            }
            let signal = Signal { try await count() }
            #expect(runs.value == 0)
            let (first, second) = (try await signal.first, try await signal.first)
            #expect([first, second] == [1, 2])
        }

        @Test func `An async sequence`() async throws {
            let sequence = AsyncStream<Int> { continuation in
                continuation.yield(1)
                continuation.finish()
            }
            let value = try await Signal(sequence).first
            #expect(value == 1)
        }

        /// RxSwift's `timer` without a period emits once, too.
        @Test func `One event after a time`() throws {
            try marbles { m in
                let timer = Signal.timer(.milliseconds(3), on: m.scheduler).map { 1 }
                m.expect(timer, "---(1|)")
            }
        }

        /// Combine's and ReactiveSwift's timers repeat, and emit dates.
        @Test func `A number at each beat`() throws {
            try marbles { m in
                m.expect(Signal<Int>.interval(.milliseconds(2), on: m.scheduler), "--0-1-2-!")
            }
        }

        /// The peers' observing begins with the value that the property has.
        @Test func `A property of a class, by key-value observing`() {
            #if canImport(ObjectiveC)
            final class Player: NSObject { @objc dynamic var rate = 1 }
            let player = Player()
            let log = Log()
            log.hear(player.signal(for: \.rate, initial: true))
            player.rate = 2
            #expect(log.text == "1 2")
            #endif
            let rate = Observable(1)
            let heard = Log()
            heard.hear(rate.current)
            rate.value = 2
            #expect(heard.text == "1 2")
        }

        private final class Profile: Sendable {
            let name: Observable<String>
            init(_ name: String) { self.name = Observable(name) }
        }

        @Test func `A property of a replaceable object`() {
            let profile = Observable(Profile("Maruko"))
            let log = Log()
            log.hear(profile.current.flatMap(.latest) { $0.name.current })
            profile.value.name.value = "Momoko"
            profile.value = Profile("Mei")
            #expect(log.text == "Maruko Momoko Mei")
        }

        /// A minimal control with a callback: those of UIKit and AppKit, with `events(_:_:)` and `actions`, are not on Linux.
        private final class Button: Sendable {
            nonisolated(unsafe) var onTouch: (() -> Void)?
            nonisolated(unsafe) var text = ""

            var touches: Signal<Void> {
                Signal { [weak self] subscriber in
                    self?.onTouch = { subscriber.next(()) }
                    return Disposable { [weak self] in self?.onTouch = nil }
                }
            }
        }

        @Test func `Events of a control`() {
            let button = Button()
            let log = Log()
            let subscription = log.hear(button.touches)
            button.onTouch?()
            subscription.dispose()
            #expect(log.text == "()" && button.onTouch == nil)
        }

        /// RxSwift's `rx.text` and ReactiveSwift's `continuousTextValues` begin with the text that the field has; `values(of:on:)`
        /// with the first edit.
        @Test func `Text of a field`() {
            let button = Button()
            button.text = "a"
            let log = Log()
            log.hear(button.touches.map { button.text }.startWith(button.text))
            button.text = "ab"
            button.onTouch?()
            #expect(log.text == "a ab")
        }

        private final class Delegate {
            let finished = Emitter<Int>()
            func didFinish(_ code: Int) { withTracing("did finish", code) { finished.emit(code) } }
        }

        @Test func `Calls of a delegate`() throws {
            let delegate = Delegate()
            let log = Log()
            log.hear(delegate.finished)
            let recording = try record { delegate.didFinish(1) }
            #expect(log.text == "1" && recording.emissions(of: "did finish") == [.signed(1)])
        }

        private final class Page {
            let appeared = Emitter<Bool>()
            func viewDidAppear(_ animated: Bool) { withTracing("appeared", animated) { appeared.emit(animated) } }
        }

        @Test func `Calls of a selector`() throws {
            let page = Page()
            let log = Log()
            log.hear(page.appeared)
            let recording = try record { page.viewDidAppear(true) }
            #expect(log.text == "true" && recording.emissions(of: "appeared") == [.bool(true)])
        }

        private final class Cell {
            var bag = DisposeBag()
            let reused = Emitter<Void>()
            func prepareForReuse() {
                bag = DisposeBag()
                reused.emit()
            }
        }

        @Test func `A cell that is reused`() {
            let cell = Cell()
            let names = Emitter<String>()
            let log = Log()
            names.subscribe { log.note($0) }.disposed(by: cell.bag)
            log.hear(names.takeUntil(cell.reused))
            names.emit("a")
            cell.prepareForReuse()
            names.emit("b")
            #expect(log.text == "a a |")
        }

        @Test func `Notifications`() async throws {
            let name = Notification.Name("weir.migration")
            #if canImport(ObjectiveC)
            let notifications = NotificationCenter.default.notifications(named: name).map(\.name.rawValue)
            #else
            // Foundation on Linux has no such sequence of its own.
            let notifications = AsyncStream<String> { continuation in
                nonisolated(unsafe) let token = NotificationCenter.default.addObserver(
                    forName: name, object: nil, queue: nil
                ) { continuation.yield($0.name.rawValue) }
                continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token) }
            }
            #endif
            let heard = Signal(notifications).values
            let poster = Task {
                while !Task.isCancelled {
                    NotificationCenter.default.post(name: name, object: nil)
                    try await Task.sleep(nanoseconds: 1_000_000)
                }
            }
            for try await text in heard {
                #expect(text == "weir.migration")
                break
            }
            poster.cancel()
        }

        @Test func `Network requests`() async throws {
            let request: @Sendable () async throws -> [Int] = { [1, 2] }
            let answer = try await Signal { try await request() }.first
            #expect(answer == [1, 2])
        }
    }
}
