import Dispatch
import OpenCombine
import Testing
import Weir
import WeirOpenCombine
import WeirTesting
import WeirTrace

private struct Offline: Error {}

extension Everything {
    @Suite struct PublisherTests {
        private func story(_ recording: Recording) -> [String] {
            Array(recording.story.drop { !$0.hasPrefix("stimulus") })
        }

        @Test func `A value is delivered inside of its emission, from one traced publisher to the next`() throws {
            let recording = try record {
                let name = PassthroughSubject<String, Never>()
                let isValid = name.traced("name").map { $0.count >= 6 }.traced("isValid")
                let cancellable = isValid.sink { _ in }
                Trace.stimulus("type") { name.send("Maruko") }
                cancellable.cancel()
            }
            #expect(
                story(recording) == [
                    "stimulus type", "  name = \"Maruko\"", "    to isValid", "    isValid = true", "      to closure",
                    "      done", "    done", "stimulusEnded", "end of isValid: disposed", "end of closure: disposed",
                    "name nodeReleased", "isValid nodeReleased",
                ])
            #expect(recording.definitions.subscriptions.count == 2)
            #expect(recording.damage.isEmpty)
        }

        @Test func `A value of a traced publisher takes nine bytes of a trace`() async throws {
            func bytes(_ count: Int) async throws -> Int {
                let numbers = PassthroughSubject<Int, Never>()
                let cancellable = numbers.traced("numbers").sink { _ in }
                defer { cancellable.cancel() }
                return try await recordedBytes { for number in 0..<count { numbers.send(number & 63) } }
            }
            #expect(try await bytes(1001) - bytes(1) == 9000)
        }

        @Test func `Two sources that are combined feed what is made of them`() throws {
            let recorded = try RecordedFile {
                let name = CurrentValueSubject<String, Never>("")
                let password = CurrentValueSubject<String, Never>("")
                let isEnabled = name.traced("name").combineLatest(password.traced("password", privacy: .private))
                    .map { !$0.isEmpty && !$1.isEmpty }.traced("isEnabled")
                let cancellable = isEnabled.sink { _ in }
                Trace.stimulus("type") { name.send("Maruko") }
                Trace.stimulus("type the password") { password.send("secret") }
                cancellable.cancel()
            }
            let graph = try recorded.weir("graph", "--format", "mermaid")
            #expect(graph.text.contains("name") && graph.status == 0, "\(graph.text)")
            let why = try recorded.weir("why", "isEnabled")
            #expect(why.text.contains("password") && why.text.contains("type the password"), "\(why.text)")
            #expect(!why.text.contains("secret"))
            let edges = try recorded.read().definitions.subscriptions.values.filter { $0.target != nil }
            #expect(edges.count == 2)
        }

        @Test func `What a handler subscribes to is no source of the publisher that calls it`() throws {
            var cancellables: Set<AnyCancellable> = []
            let recording = try record {
                let outer = CurrentValueSubject<Int, Never>(1)
                let inner = CurrentValueSubject<Int, Never>(2)
                outer.traced("outer").map { $0 }.traced("shown").sink { _ in
                    inner.traced("inner").sink { _ in }.store(in: &cancellables)
                }.store(in: &cancellables)
            }
            let targets = recording.definitions.subscriptions.values.map { known in
                "\(recording.name(known.source)) to \(known.target.map(recording.name) ?? "handler")"
            }
            #expect(targets.sorted() == ["inner to handler", "outer to shown", "shown to handler"])
        }

        @Test func `Completion, failure and cancellation end a subscription, each in its way`() throws {
            let recording = try record {
                let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Offline>())
                var heard: [String] = []
                func hear(_ something: Any) { heard.append("\(something)") }
                let one = first.traced("first").sink(receiveCompletion: hear, receiveValue: hear)
                let two = second.traced("second").sink(receiveCompletion: hear, receiveValue: hear)
                Trace.stimulus("end") {
                    first.send(1)
                    first.send(completion: .finished)
                    second.send(completion: .failure(Offline()))
                }
                #expect(heard.count == 3 && heard.starts(with: ["1", "finished"]) && heard[2].hasPrefix("failure"))
                one.cancel()
                two.cancel()
                var third: AnyCancellable? = first.traced("third").sink { _ in }
                third = nil
                _ = third
            }
            #expect(recording.count(.completed) == 2 && recording.count(.failed) == 1)
            let ends = recording.events.filter { $0.kind == .subscriptionEnded }.compactMap(\.endReason)
            #expect(ends == [.completed, .failed, .completed])
        }

        /// An endless publisher of numbers that records the demands it receives.
        private struct Numbers: Publisher {
            typealias Output = Int
            typealias Failure = Never
            let noted: Notes

            final class Notes { var lines: [String] = [] }

            func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
            where Downstream.Input == Int, Downstream.Failure == Never {
                subscriber.receive(subscription: Counter(subscriber, noted))
            }

            final class Counter<Downstream: OpenCombine.Subscriber>: Subscription where Downstream.Input == Int {
                private var downstream: Downstream?
                private let noted: Notes
                private var next = 0
                private var wanted = Subscribers.Demand.none
                private var isSending = false

                init(_ downstream: Downstream, _ noted: Notes) {
                    self.downstream = downstream
                    self.noted = noted
                }

                func request(_ demand: Subscribers.Demand) {
                    noted.lines.append("asked for \(demand)")
                    wanted += demand
                    guard !isSending else { return }
                    isSending = true
                    while wanted > 0, let downstream, next < 100 {
                        wanted -= 1
                        next += 1
                        let more = downstream.receive(next)
                        noted.lines.append("sent \(next), asked for \(more)")
                        wanted += more
                    }
                    isSending = false
                }

                func cancel() {
                    noted.lines.append("cancelled")
                    downstream = nil
                }
            }
        }

        /// Requests two values, one more at each odd number, and three through its subscription at the fourth.
        private final class Sipping: OpenCombine.Subscriber {
            private var subscription: (any Subscription)?
            var heard: [Int] = []

            func receive(subscription: any Subscription) {
                self.subscription = subscription
                subscription.request(.max(2))
            }

            func receive(_ input: Int) -> Subscribers.Demand {
                heard.append(input)
                if input == 4 { subscription?.request(.max(3)) }
                if input == 6 { subscription?.cancel() }
                return input.isMultiple(of: 2) ? .none : .max(1)
            }

            func receive(completion: Subscribers.Completion<Never>) {}
        }

        @Test(arguments: [false, true]) func `Demand passes through as it is`(isRecording: Bool) throws {
            func lines(_ publisher: (Numbers) -> AnyPublisher<Int, Never>) -> [String] {
                let noted = Numbers.Notes()
                let subscriber = Sipping()
                publisher(Numbers(noted: noted)).subscribe(subscriber)
                return noted.lines + ["\(subscriber.heard)"]
            }
            let bare = lines { $0.eraseToAnyPublisher() }
            var traced: [String] = []
            func run() { traced = lines { $0.traced("numbers").traced("again").eraseToAnyPublisher() } }
            if isRecording { _ = try record { run() } } else { run() }
            #expect(bare.count > 7 && bare.contains("cancelled"))
            #expect(traced == bare)
        }

        @Test func `Nothing outlives its end: not after a completion, and not after a cancellation`() {
            expectNoLeaks {
                final class Screen { var text = "" }
                weak var ended: PassthroughSubject<String, Never>?
                weak var cancelled: PassthroughSubject<String, Never>?
                var cancellables: [AnyCancellable] = []
                do {
                    let (one, two) = (PassthroughSubject<String, Never>(), PassthroughSubject<String, Never>())
                    let screen = Screen()
                    (ended, cancelled) = (one, two)
                    cancellables = [one, two].map { $0.traced("outer").traced("inner").sink { screen.text = $0 } }
                    one.send("1")
                    one.send(completion: .finished)
                    cancellables[1].cancel()
                }
                // The cancellables still exist.
                #expect(ended == nil && cancelled == nil && cancellables.count == 2)
            }
        }

        @Test func `A handler may send, cancel and subscribe again inside of its own delivery`() throws {
            let recording = try record {
                let subject = PassthroughSubject<Int, Never>()
                let traced = subject.traced("number")
                var (heard, cancellables): ([Int], [AnyCancellable]) = ([], [])
                cancellables.append(
                    traced.sink { value in
                        heard.append(value)
                        if value == 1 { subject.send(2) }
                        if value == 2 { cancellables.append(traced.sink { heard.append($0 * 10) }) }
                        if value == 3 { cancellables[0].cancel() }
                    })
                for value in [1, 3, 4] { subject.send(value) }
                #expect(heard.sorted() == [1, 2, 3, 30, 40])
            }
            #expect(recording.events.filter { $0.kind == .emitted && $0.cause != nil }.map(\.value) == [.signed(2)])
            #expect(recording.count(.deliveryEnded) == recording.count(.emitted))
            #expect(recording.damage.isEmpty)
        }

        @Test func `Several threads send, one cancels: nothing is lost, all of it is recorded`() throws {
            // Both are thread-safe, but not declared so.
            nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
            nonisolated(unsafe) let traced = subject.traced("number")
            let heard = Locked(0)
            let steady = traced.sink { _ in heard.change { $0 += 1 } }
            let recording = try record {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for step in 0..<200 {
                        if thread == 3 {
                            traced.sink { _ in }.cancel()
                        } else {
                            subject.send(thread * 1000 + step)
                        }
                    }
                }
            }
            steady.cancel()
            #expect(heard.value == 600)
            #expect(recording.emissions(of: "number").count >= 600)
            #expect(recording.count(.deliveryEnded) == recording.count(.emitted))
            #expect(recording.damage.isEmpty)
        }

        @Test func `A private publisher tells no value and no failure`() throws {
            let recording = try record {
                let subject = PassthroughSubject<String, Offline>()
                let cancellable = subject.traced("password", privacy: .private)
                    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
                subject.send("swordfish")
                subject.send(completion: .failure(Offline()))
                cancellable.cancel()
            }
            #expect(recording.emissions(of: "password") == [.withheld])
            #expect(recording.events.first { $0.kind == .failed }?.value == .withheld)
        }

        @Test func `A recording that begins and ends inside of a delivery leaves nothing open`() throws {
            let subject = PassthroughSubject<Int, Never>()
            let file = try TemporaryTrace()
            let cancellable = subject.traced("number").sink { value in
                if value == 1 { try? Trace.start(writingTo: file.path, snapshots: .none) }
                if value == 2 { Trace.stop() }
            }
            for value in [0, 1, 2, 3] { subject.send(value) }
            let recording = try record { subject.send(4) }
            #expect(recording.emissions(of: "number") == [.signed(4)])
            #expect(recording.count(.deliveryEnded) == 1)
            cancellable.cancel()
        }

        @Test func `A hop loses the cause, and keeps it with a traced scheduler`() throws {
            func causes(_ isTraced: Bool) throws -> [String?] {
                let recording = try record {
                    let (query, scheduler) = (PassthroughSubject<String, Never>(), ManualScheduler())
                    let typed = query.traced("query")
                    let settled =
                        isTraced
                        ? typed.debounce(for: 3, scheduler: scheduler.traced).eraseToAnyPublisher()
                        : typed.debounce(for: 3, scheduler: scheduler).eraseToAnyPublisher()
                    let cancellable = settled.traced("settled").sink { _ in }
                    Trace.stimulus("type") { query.send("swift") }
                    scheduler.run()
                    cancellable.cancel()
                }
                #expect(recording.emissions(of: "settled") == [.string("swift")])
                return recording.events.filter { $0.kind == .hopBegan || $0.kind == .emitted }.map { event in
                    event.cause.flatMap { cause in recording.events.first { $0.id == cause } }
                        .map { $0.kind == .emitted ? recording.name($0.subject) : $0.text }
                }
            }
            #expect(try causes(false) == ["type", nil])
            #expect(try causes(true) == ["type", "query", ""])
        }
    }
}
