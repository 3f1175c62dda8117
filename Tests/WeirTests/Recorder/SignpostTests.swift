import CWeir
import Dispatch
import Foundation
import Observation
import Testing
import WeirTrace

@testable import Weir

/// The intervals of a recording, as Instruments would receive them.
private final class SeenIntervals: SignpostSink, @unchecked Sendable {  // The lock guards the state.
    private final class State {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private let lock = NSLock()
    private let isRead: Bool
    private var lines: [String] = []
    private var open: [Int: String] = [:]
    private var count = 0
    private var faults: [String] = []

    init(isRead: Bool = true) { self.isRead = isRead }

    var isEnabled: Bool { isRead }

    func began(_ kind: SignpostKind, _ name: String, cause: String?) -> AnyObject {
        lock.withLock {
            count += 1
            let text = "\(kind) \(name)" + (cause.map { " ← \($0)" } ?? "")
            lines.append("+ " + text)
            open[count] = text
            return State(count)
        }
    }

    func ended(_ kind: SignpostKind, _ state: AnyObject, unchanged: Bool) {
        lock.withLock {
            guard let number = (state as? State)?.number, let text = open.removeValue(forKey: number),
                text.hasPrefix("\(kind) ")
            else { return faults.append("ended an interval that is not open") }
            lines.append("- " + text + (unchanged ? " (unchanged)" : ""))
        }
    }

    /// What began and ended, in order.
    var story: [String] { lock.withLock { lines } }
    /// Intervals that have not ended, and what was ended wrongly.
    var unbalanced: [String] { lock.withLock { faults + open.values } }
}

@Observable
private final class CounterModel {
    var number = 0
}

private final class LoginModel {
    let name = Observable("")
    let password = Observable("", privacy: .private)
}

private func start(_ sink: SeenIntervals?, modules: [String] = [], clock: VirtualClock? = VirtualClock()) throws
    -> TemporaryTrace
{
    let file = try TemporaryTrace()
    try Trace.begin(
        path: file.path, clock: clock, snapshots: .none, modules: ModuleChoice(modules), signposts: sink)
    return file
}

extension Everything {
    @Suite struct SignpostTests {
        @Test func `A stimulus is a turn, and each handler a refresh in it`() throws {
            let (model, sink) = (LoginModel(), SeenIntervals())
            let label = Observer<String> { _ in }
            let file = try start(sink)
            Trace.adopt(model)
            label.subscribe(to: model.name)
            Trace.stimulus("type") { model.name.value = "Maruko" }
            model.name.value = "Momoko"
            Trace.stop()
            #expect(sink.unbalanced == [])
            let refresh = "refresh observer SignpostTests.swift:76 ← LoginModel.name"
            #expect(
                sink.story == [
                    "+ turn type", "+ " + refresh, "- " + refresh, "- turn type",
                    "+ turn LoginModel.name", "+ " + refresh, "- " + refresh, "- turn LoginModel.name",
                ])
            withExtendedLifetime(file) {}
        }

        @Test func `A refresh with the former value is marked, unless that is private or an event`() throws {
            let (model, sink, taps) = (LoginModel(), SeenIntervals(), Emitter<Int>())
            let file = try start(sink)
            Trace.adopt(model)
            let (bag, tap) = (DisposeBag(), Observer<Int> { _ in })
            let (shown, hidden) = (Observer<Bool> { _ in }, Observer<Bool> { _ in })
            shown.subscribe(to: model.name.map { $0.isEmpty }).disposed(by: bag)
            hidden.subscribe(to: model.password.map { $0.isEmpty }).disposed(by: bag)
            tap.subscribe(to: taps).disposed(by: bag)
            for text in ["a", "ab", "abc"] {
                model.name.value = text
                model.password.value = text
                taps.emit(777)
            }
            Trace.stop()
            bag.dispose()
            #expect(sink.unbalanced == [])
            let refreshes = sink.story.filter { $0.hasPrefix("- refresh") }
            #expect(refreshes.count >= 9)
            let marked = refreshes.filter { $0.hasSuffix("(unchanged)") }
            #expect(marked.count == 2 && Set(marked).count == 1, "\(sink.story)")
            #expect(marked.allSatisfy { $0.contains("← map SignpostTests.swift:99") }, "\(marked)")
            // Names only: no value is in any of them.
            #expect(!sink.story.contains { $0.contains("abc") || $0.contains("777") })
            withExtendedLifetime(file) {}
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test @MainActor func `The body of a view is a refresh, marked where nothing that it reads has changed`() throws
        {
            let (model, sink) = (CounterModel(), SeenIntervals())
            let file = try start(sink)
            Trace.observe(model)
            func body() { Trace.body("CounterView", state: 7) { _ = model.number } }
            body()
            Trace.stimulus("tap") { model.number = 1 }
            body()
            Trace.stimulus("render") { body() }
            Trace.stop()
            #expect(sink.unbalanced == [])
            let ends = sink.story.filter { $0.hasPrefix("- refresh") }
            let name = "- refresh CounterView"
            #expect(ends == [name, name, name + " (unchanged)"])
            // The second run is a hop from the tap.
            #expect(sink.story.contains("+ turn hop ← tap"))
            withExtendedLifetime(file) {}
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @Test @MainActor func `A render with the former result is marked`() throws {
            let (model, sink) = (CounterModel(), SeenIntervals())
            let file = try start(sink)
            let counter = Trace.wrap(model)
            let rendering = Trace.render("Badge", on: .immediate) { [weak model] in (model?.number ?? 0) > 0 }
            counter.number = 1
            counter.number = 2
            rendering.dispose()
            Trace.stop()
            #expect(sink.unbalanced == [])
            let ends = sink.story.filter { $0.hasPrefix("- refresh") }
            #expect(ends == ["- refresh Badge", "- refresh Badge", "- refresh Badge (unchanged)"], "\(sink.story)")
            withExtendedLifetime(file) {}
        }

        @Test(.timeLimit(.minutes(9))) func `What a hop and a task cause has the stimulus as its cause`() async throws {
            let (sink, done) = (SeenIntervals(), DispatchSemaphore(value: 0))
            let (first, second) = (Emitter<Int>(), Observable(0))
            let file = try start(sink, clock: nil)
            let bag = DisposeBag()
            first.deliver(on: QueueScheduler(DispatchQueue(label: "one"))).delay(
                .nanoseconds(0), on: QueueScheduler(.global())
            )
            .subscribe { number in
                second.value = number
                done.signal()
            }.disposed(by: bag)
            Trace.stimulus("tap") { first.emit(1) }
            await wait(for: done)
            await Trace.stimulus("save") {
                await Task.yield()
                await Task { second.value = 2 }.value
            }
            Trace.stop()
            bag.dispose()
            let turns = sink.story.filter { $0.contains(" turn ") }
            #expect(turns.filter { $0 == "+ turn hop ← tap" }.count == 2, "\(turns)")
            // Its interval lasts until its work is done, on whatever thread.
            let save = turns.filter { $0.hasSuffix("save") }
            #expect(save == ["+ turn save", "+ turn hop ← save", "- turn hop ← save", "- turn save"], "\(turns)")
            withExtendedLifetime(file) {}
        }

        private func wait(for semaphore: DispatchSemaphore) async {
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    semaphore.wait()
                    done.resume()
                }
            }
        }

        @Test func `Each interval ends once, also where the recording is stopped or replaced inside of it`() throws {
            let model = LoginModel()
            let (sink, other) = (SeenIntervals(), SeenIntervals())
            var files = [try start(sink)]
            let action = Locked<() throws -> Void>({})
            let subscription = model.name.subscribe { _ in try? action.value() }
            action.change { $0 = { Trace.stop() } }
            Trace.stimulus("stop inside") { model.name.value = "a" }
            #expect(sink.unbalanced == [] && sink.story.count == 4)

            files.append(try start(sink))
            let kept = Locked<[TemporaryTrace]>([])
            action.change {
                $0 = {
                    Trace.stop()
                    let file = try start(other)
                    kept.change { $0.append(file) }
                    Trace.stimulus("of the second") {}
                }
            }
            Trace.stimulus("replace inside") { model.name.value = "b" }
            Trace.stop()
            #expect(sink.unbalanced == [] && other.unbalanced == [])
            #expect(other.story == ["+ turn of the second", "- turn of the second"])

            // The second recording has no signposts, and ends those of the first.
            files.append(try start(sink))
            let before = other.story
            action.change {
                $0 = {
                    Trace.stop()
                    let file = try start(nil)
                    kept.change { $0.append(file) }
                }
            }
            Trace.stimulus("go on without") { model.name.value = "c" }
            Trace.stop()
            #expect(sink.unbalanced == [] && other.story == before)
            subscription.dispose()
            withExtendedLifetime((files, kept)) {}
        }

        @Test func `Threads that emit while recordings come and go leave no interval open`() throws {
            let sinks = (0..<20).map { _ in SeenIntervals() }
            let isOver = Locked(false)
            let group = DispatchGroup()
            for number in 0..<3 {
                let shared = Observable(0)
                DispatchQueue.global().async(group: group) {
                    let own = Emitter<Int>()
                    let bag = DisposeBag()
                    own.map { $0 / 3 }.subscribe { shared.value = $0 }.disposed(by: bag)
                    shared.subscribe { _ in withTracing("callback") {} }.disposed(by: bag)
                    var value = number
                    while !isOver.value {
                        value += 1
                        Trace.stimulus("thread \(number)") { batch { own.emit(value) } }
                        own.emit(value)
                    }
                    bag.dispose()
                }
            }
            for sink in sinks {
                let file = try start(sink, clock: nil)
                while sink.story.count < 200 {}
                Trace.stop()
                withExtendedLifetime(file) {}
            }
            isOver.change { $0 = true }
            group.wait()
            #expect(sinks.map(\.unbalanced) == sinks.map { _ in [] })
        }

        @Test func `While nothing reads them, no interval begins`() throws {
            let (model, sink) = (LoginModel(), SeenIntervals(isRead: false))
            let file = try start(sink)
            model.name.subscribe { _ in }
            Trace.stimulus("type") { model.name.value = "Maruko" }
            Trace.stop()
            #expect(sink.story == [])
            withExtendedLifetime(file) {}
        }

        @Test func `A trace has the same bytes with and without signposts`() throws {
            func bytes(_ sink: SeenIntervals?) throws -> Data {
                let file = try start(sink)
                let model = LoginModel()
                Trace.adopt(model)
                let bag = DisposeBag()
                model.name.map { $0.count }.subscribe { _ in withTracing("shown") {} }.disposed(by: bag)
                Trace.stimulus("type") {
                    batch {
                        model.name.value = "M"
                        model.password.value = "secret"
                    }
                }
                model.name.value = "Maruko"
                let render = Trace.render("View.body") { 1 }
                render.dispose()
                bag.dispose()
                Trace.stop()
                return try Data(contentsOf: URL(fileURLWithPath: file.path))
            }
            // The first run makes what lives as long as the process.
            _ = try bytes(nil)
            let sink = SeenIntervals()
            #expect(try bytes(nil) == bytes(sink))
            #expect(sink.story.count > 10 && sink.unbalanced == [])
        }

        @Test func `A recording without signposts takes the short path again`() throws {
            // Unless a task of this process has carried a cause, which no test takes back.
            let causes = weir_takes_detour(UInt8(weir_detour_causes))
            let first = try start(SeenIntervals())
            #expect(weir_has_signposts() && weir_tasks_carry_causes())
            Trace.stop()
            let second = try start(nil)
            #expect(!weir_has_signposts() && weir_tasks_carry_causes() == causes)
            #expect(weir_takes_detour(UInt8(weir_detour_causes)) == causes)
            Trace.stop()
            withExtendedLifetime((first, second)) {}
        }

        @Test func `The environment says on or off`() throws {
            #expect(try TraceEnvironment.isOn("WEIR_SIGNPOSTS", "on"))
            for text in [nil, "", "off"] { #expect(try !TraceEnvironment.isOn("WEIR_SIGNPOSTS", text)) }
            #expect(throws: EnvironmentError.self) { try TraceEnvironment.isOn("WEIR_SIGNPOSTS", "yes") }
        }

        @Test func `The environment chooses the clock, or says what is wrong`() throws {
            #expect(try TraceEnvironment.clock("virtual") != nil)
            for text in [nil, ""] { #expect(try TraceEnvironment.clock(text) == nil) }
            #expect(throws: EnvironmentError.self) { try TraceEnvironment.clock("virtul") }
        }
    }
}

/// The part for Apple platforms, type-checked against stand-ins for the declarations of `os` that it uses.
@Suite struct SignpostTypeTests {
    #if os(Linux)
    private static let standIns = """
        public struct OSLogPrivacy: Sendable { public static var `public`: OSLogPrivacy { OSLogPrivacy() } }
        public struct OSLogInterpolation: StringInterpolationProtocol {
            public init(literalCapacity: Int, interpolationCount: Int) {}
            public mutating func appendLiteral(_ literal: String) {}
            public mutating func appendInterpolation(
                _ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy
            ) {}
        }
        public struct SignpostMetadata: ExpressibleByStringInterpolation {
            public init(stringLiteral value: String) {}
            public init(stringInterpolation: OSLogInterpolation) {}
        }
        public struct OSSignpostID: Sendable { public static let exclusive = OSSignpostID() }
        public final class OSSignpostIntervalState: Sendable { init() {} }
        public struct OSSignposter: @unchecked Sendable {
            public init(subsystem: String, category: String) {}
            public var isEnabled: Bool { true }
            public func makeSignpostID() -> OSSignpostID { OSSignpostID() }
            public func beginInterval(
                _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
            ) -> OSSignpostIntervalState { OSSignpostIntervalState() }
            public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
            public func endInterval(
                _ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata
            ) {}
        }
        """

    @Test func `What shows signposts in Instruments fits the declarations of the system`() throws {
        let system = try CompiledModule("os", Self.standIns)
        let sink = try DocumentationPage("Sources/WeirTrace/Writer/SignpostSink.swift").text
        let shown = try DocumentationPage("Sources/Weir/Wrapping/Apple/OSSignposts.swift").text
        let options = ["-D", "Recording", "-package-name", "weir"] + system.importOptions
        let compiled = try CompiledSource(sink + "\n" + shown, options: options)
        #expect(compiled.errors.isEmpty, "\(compiled.output)")
        // Nothing is hidden by a condition: a mistake is an error.
        let mistaken = try CompiledSource(
            sink + "\n" + shown.replacingOccurrences(of: "makeSignpostID", with: "makeID"), options: options)
        #expect(mistaken.errors.first == "value of type 'OSSignposter' has no member 'makeID'")
    }
    #endif
}
