import Testing
import Weir
import WeirTesting

extension Everything {
    /// `multicast(through:)`: its connection, its source's subscriptions, and its ownership.
    @MainActor @Suite struct MulticastTests {
        /// A source whose subscriptions are counted.
        private struct Counted {
            let emitter = Emitter<Int>()
            let begun = Locked(0)
            let ended = Locked(0)

            var signal: Signal<Int> {
                let (begun, ended) = (begun, ended)
                return emitter.onEvent(
                    subscribed: { begun.change { $0 += 1 } }, disposed: { ended.change { $0 += 1 } }
                ) { event in
                    if case .next = event {} else { ended.change { $0 += 1 } }
                }
            }
        }

        @Test func `While connected, connect gives the connection that there is`() {
            let source = Counted()
            let shared = source.signal.multicast(through: Emitter())
            let (first, second) = (shared.connect(), shared.connect())
            #expect(first === second && source.begun.value == 1)
        }

        @Test func `Disposed, it can be connected anew; subscribers stay`() {
            let source = Counted()
            let shared = source.signal.multicast(through: Emitter())
            let log = Log()
            log.hear(shared)
            let connection = shared.connect()
            source.emitter.emit(1)
            connection.dispose()
            source.emitter.emit(2)
            #expect(source.ended.value == 1)
            shared.connect()
            source.emitter.emit(3)
            #expect(log.text == "1 3" && source.begun.value == 2 && source.ended.value == 1)
        }

        @Test func `The end of the source ends the subject, the subscription once, and further connections`() {
            for ending in [Event<Int>.completed, .failed(Refusal())] {
                let source = Counted()
                let subject = Emitter<Int>()
                let shared = source.signal.multicast(through: subject)
                let log = Log()
                log.hear(shared)
                let connection = shared.connect()
                if case .completed = ending { source.emitter.complete() } else { source.emitter.fail(Refusal()) }
                connection.dispose()
                shared.connect()
                subject.emit(1)
                #expect(log.text == (ending == .completed ? "|" : "#"))
                #expect(source.begun.value == 1 && source.ended.value == 1)
                log.hear(shared)
                #expect(log.text == (ending == .completed ? "| |" : "# #"))
            }
        }

        @Test func `The subject may be fed by others, too`() {
            let subject = Emitter<Int>()
            let shared = Signal([1, 2]).concat(.never()).multicast(through: subject)
            let log = Log()
            log.hear(shared)
            subject.emit(0)
            shared.connect()
            #expect(log.text == "0 1 2")
        }

        @Test func `A synchronous source that never ends stops once its subject has ended`() {
            let subject = Emitter<Int>()
            let shared = Signal(1...).multicast(through: subject)
            let log = Log()
            log.hear(shared)
            subject.subscribe { if $0 == 3 { subject.complete() } }
            shared.connect()
            #expect(log.text == "1 2 3 |")
        }

        @Test func `Nothing is left when all is dropped`() {
            weak var source: Emitter<Int>?
            weak var subject: Emitter<Int>?
            weak var shared: ConnectableSignal<Int>?
            do {
                let (numbers, relay) = (Emitter<Int>(), Emitter<Int>())
                let connectable = numbers.map { $0 }.multicast(through: relay)
                (source, subject, shared) = (numbers, relay, connectable)
                connectable.subscribe { _ in }
                connectable.connect()
                numbers.emit(1)
            }
            #expect(source == nil && subject == nil && shared == nil)
        }

        @Test func `A connection holds the source until it is disposed`() {
            weak var source: Emitter<Int>?
            let connection: Disposable
            do {
                let numbers = Emitter<Int>()
                source = numbers
                connection = numbers.multicast(through: Emitter()).connect()
            }
            #expect(source != nil)
            connection.dispose()
            #expect(source == nil)
        }

        @Test func `It can be retried and listened to again by other operators`() {
            let source = Emitter<Int>()
            let shared = source.multicast(through: Emitter())
            let log = Log()
            log.hear(shared.concat(shared.map { -$0 }))
            log.hear(shared.retry(1).take(1))
            shared.connect()
            source.emit(1)
            source.complete()
            #expect(log.text == "1 1 | |")
        }
    }
}
