import Dispatch
import Foundation
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

@Observable
private class Titled {
    var title = ""
}

@Observable
private final class LoginModel: Titled {
    var name = ""
    var password = ""
    var attempts = 0
    var rows: [Int] = []
    var echo = "" { didSet { attempts += 1 } }
    var child: LoginChild? = LoginChild()
    @ObservationIgnored var ignored = 0
    private var kept = 0
    var stored: Int {
        get { kept }
        set { kept = newValue }
    }
    var isValid: Bool { name.count >= 6 && password.count >= 6 }
    var summary: String { "\(rows.count) \(attempts)" }
}

@Observable
private final class LoginChild {
    var name = "child"
    var box: AnyObject?
}

@Observable
private final class Holder<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

@Observable
private final class Counter: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    var number = 0
    func add() {
        lock.wait()
        number += 1
        lock.signal()
    }
}

/// A model that a closure on another thread uses.
private struct Unchecked: @unchecked Sendable {
    let model: LoginModel
    init(_ model: LoginModel) { self.model = model }
}

extension Everything {
    @MainActor @Suite struct ObservationTests {
        // MARK: Without a turn of the main queue

        @Test func `A script that never turns the main queue still records what an observed property computed`() throws
        {
            let model = LoginModel()
            let recording = try record {
                Trace.observe(model, \.name, \.password, \.isValid)
                Trace.stimulus("type") {
                    model.name = "Maruko"
                    model.password = "secret"
                }
            }
            #expect(recording.emissions(of: "LoginModel.isValid") == [.bool(true)])
            #expect(recording.causes(ofLastEmission: "LoginModel.isValid").last == "type")
        }

        @Test func `Without a stimulus, too, once the recording stops`() throws {
            let model = LoginModel()
            let recording = try record {
                Trace.observe(model, \.name, \.password, \.isValid)
                model.name = "Maruko"
                model.password = "secret"
            }
            #expect(recording.emissions(of: "LoginModel.isValid") == [.bool(true)])
        }

        // MARK: wrap

        @Test func `A write through the wrapper is an emission by the property's name, or suppressed as equal`() throws
        {
            let model = LoginModel()
            let recording = try record {
                let form = Trace.wrap(model)
                form.name = "Maruko"
                form.name = "Maruko"
                form.rows.append(1)
                form.title = "Login"
                Trace.wrap(model).name = "Mar"
            }
            #expect(model.name == "Mar" && model.rows == [1] && model.title == "Login")
            #expect(recording.emissions(of: "LoginModel.name") == [.string("Maruko"), .string("Mar")])
            #expect(recording.emissions(of: "LoginModel.title") == [.string("Login")])
            #expect(recording.story.filter { $0.contains("suppressed") } == ["LoginModel.name suppressed: equal"])
            #expect(recording.definitions.nodes.values.filter { $0.label == "LoginModel.name" }.count == 1)
            #expect(recording.definitions.nodes.values.first { $0.label == "LoginModel.name" }?.value == .string(""))
        }

        @Test func `What runs inside of a write through the wrapper is caused by it`() throws {
            let model = LoginModel()
            let recording = try record {
                Trace.observe(model, \.attempts, on: VirtualScheduler())
                Trace.wrap(model).echo = "x"
            }
            let echo = recording.events.first { recording.name($0.subject) == "LoginModel.echo" && $0.kind == .emitted }
            let attempts = recording.events.first {
                recording.name($0.subject) == "LoginModel.attempts" && $0.kind == .emitted
            }
            #expect(echo != nil && attempts?.cause == echo?.id)
            #expect(recording.emissions(of: "LoginModel.attempts") == [.signed(1)])
        }

        @Test func `The name that adoption gives holds, before and after`() throws {
            let (first, second) = (LoginModel(), LoginModel())
            let recording = try record {
                Trace.adopt(first, as: "First")
                Trace.wrap(first).name = "a"
                if let child = first.child { Trace.wrap(child).name = "b" }
                let form = Trace.wrap(second)
                form.name = "c"
                Trace.adopt(second, as: "Second")
                form.name = "d"
            }
            #expect(recording.emissions(of: "First.name") == [.string("a")])
            #expect(recording.emissions(of: "First.child.name") == [.string("b")])
            #expect(recording.emissions(of: "Second.name") == [.string("c"), .string("d")])
        }

        @Test func `Generic models and ignored properties have their names`() throws {
            let (holder, model) = (Holder([1]), LoginModel())
            let recording = try record {
                Trace.wrap(holder).value = [2]
                Trace.wrap(model).ignored = 1
            }
            let names = Set(recording.events.filter { $0.kind == .emitted }.map { recording.name($0.subject) })
            #expect(names == ["Holder<Array<Int>>.value", "LoginModel.ignored"])
        }

        @Test func `A private property has its name too, where it feeds a computed one`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.stored, on: time)
                Trace.wrap(model).stored = 1
            }
            let edges = recording.definitions.subscriptions.values.compactMap { edge in
                edge.target.map { "\(recording.name(edge.source)) → \(recording.name($0))" }
            }
            #expect(edges == ["LoginModel.kept → LoginModel.stored"])
            #expect(recording.emissions(of: "LoginModel.stored") == [.signed(1)])
        }

        // MARK: observe

        @Test func `Writes anywhere are recorded with their values and what caused them`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.name, \.title, on: time)
                Trace.observe(model, \.name, on: time)
                Trace.stimulus("type") {
                    model.name = "M"
                    model.name = "Ma"
                }
                withTracing("load") { model.title = "Login" }
                time.runUntilIdle()
                model.name = "Mar"
            }
            #expect(recording.emissions(of: "LoginModel.name") == ["M", "Ma", "Mar"].map(TraceValue.string))
            let stimulus = recording.events.first { $0.kind == .stimulusBegan }
            let name = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "LoginModel.name" }
            #expect(name?.cause == stimulus?.id)
            let load = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "load" }
            let hop = recording.events.first { $0.kind == .hopBegan }
            #expect(load != nil && hop?.cause == load?.id)
            let title = recording.events.first {
                recording.name($0.subject) == "LoginModel.title" && $0.kind == .emitted
            }
            #expect(title?.cause == hop?.id && title?.value == .string("Login"))
        }

        @Test func `A write in a stimulus is recorded in it, also after an unsettled one before it`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.name, on: time)
                model.name = "before"
                Trace.stimulus("type") { model.name = "inside" }
                time.runUntilIdle()
            }
            let stimulus = recording.events.first { $0.kind == .stimulusBegan }
            let writes = recording.events.filter {
                $0.kind == .emitted && recording.name($0.subject) == "LoginModel.name"
            }
            #expect(writes.map(\.value) == [.string("before"), .string("inside")])
            // In the stimulus itself, not in a hop from it.
            #expect(stimulus != nil && writes.last?.cause == stimulus?.id)
        }

        @Test func `A write through the wrapper of an observed property is recorded once`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.name, on: time)
                let form = Trace.wrap(model)
                form.name = "a"
                model.name = "b"
                form.name = "c"
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "LoginModel.name") == ["a", "b", "c"].map(TraceValue.string))
        }

        @Test func `A computed property is fed by what it reads, and reported as changed or equal`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.isValid, private: \.password, on: time)
                for name in ["Maru", "Maruko"] {
                    model.name = name
                    time.runUntilIdle()
                }
                model.password = "secret"
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "LoginModel.isValid") == [.bool(true)])
            #expect(recording.story.filter { $0.contains("isValid suppressed: equal") }.count == 2)
            let edges = recording.definitions.subscriptions.values.compactMap { edge in
                edge.target.map { "\(recording.name(edge.source)) → \(recording.name($0))" }
            }
            #expect(
                edges.sorted() == ["LoginModel.name → LoginModel.isValid", "LoginModel.password → LoginModel.isValid"])
        }

        @Test func `A change in place is not read while it is being made`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.rows, \.attempts, \.summary, on: time)
                func change(_ rows: inout [Int]) {
                    rows.append(1)
                    Trace.stimulus("inside") { model.attempts += 1 }
                    model.attempts += 1
                    rows.append(2)
                }
                change(&model.rows)
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "LoginModel.attempts") == [.signed(1), .signed(2)])
            #expect(recording.emissions(of: "LoginModel.rows").count == 1)
            #expect(recording.emissions(of: "LoginModel.summary") == [.string("2 2")])
        }

        // MARK: Privacy

        @Test func `A private value never reaches the trace`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let secret = "extremely secret"
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, values: .described(), snapshots: .none)
            Trace.wrap(model).password = "public"
            let form = Trace.wrap(model, private: \.password)
            let rendering = Trace.render("body", on: time) { model.password + form.password }
            form.password = secret
            time.runUntilIdle()
            model.password = secret + "!"
            time.runUntilIdle()
            Trace.observe(model, \.password, on: time)
            model.password = secret + "?"
            rendering.dispose()
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.emissions(of: "LoginModel.password").suffix(3) == [.withheld, .withheld, .withheld])
            let reported =
                recording.events.map { "\($0.value)" } + recording.definitions.nodes.values.map { "\($0.value)" }
            #expect(!reported.contains { $0.contains(secret) })
            #expect(recording.emissions(of: "body").last == .withheld)
        }

        // MARK: Threads, lifetimes, recordings

        @Test nonisolated func `A write on another thread has its value and its cause`() throws {
            let (counter, time) = (Counter(), VirtualScheduler())
            let recording = try record {
                Trace.observe(counter, \.number, on: time)
                let group = DispatchGroup()
                DispatchQueue.global().async(group: group) { withTracing("load") { counter.add() } }
                group.wait()
                time.runUntilIdle()
            }
            let load = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "load" }
            #expect(load != nil && recording.events.first { $0.kind == .hopBegan }?.cause == load?.id)
            #expect(recording.emissions(of: "Counter.number") == [.signed(1)])
        }

        @Test func `A model that is changed inside of its own observation breaks nothing`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.name, \.attempts, on: time)
                withObservationTracking {
                    _ = model.name
                } onChange: { [unchecked = Unchecked(model)] in
                    // The Observation module calls it again for its own writes.
                    guard unchecked.model.ignored == 1 else { return }
                    unchecked.model.ignored = 2
                    unchecked.model.name = "inner"
                    unchecked.model.attempts += 1
                }
                model.ignored = 1
                Trace.wrap(model).name = "outer"
                time.runUntilIdle()
            }
            #expect(model.name == "outer" && model.ignored == 2)
            #expect(recording.emissions(of: "LoginModel.name").last == .string("outer"))
            #expect(recording.emissions(of: "LoginModel.attempts").last == .signed(Int64(model.attempts)))
        }

        @Test func `The nodes of a model are released with it`() throws {
            let recording = try record {
                let model = LoginModel()
                Trace.observe(model, \.title, on: VirtualScheduler())
                Trace.wrap(model).name = "a"
            }
            #expect(recording.story.filter { $0.contains("nodeReleased") }.count == 2)
        }

        @Test nonisolated func `Writes of several threads break nothing and lose no value`() throws {
            let (counter, time) = (Counter(), VirtualScheduler())
            let recording = try record {
                Trace.observe(counter, \.number, on: time)
                let rendering = Trace.render("body", on: time) { counter.number }
                DispatchQueue.concurrentPerform(iterations: 4) { _ in
                    for _ in 0..<100 { counter.add() }
                }
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(counter.number == 400)
            #expect(recording.damage.isEmpty)
            #expect(recording.emissions(of: "Counter.number").last == .signed(400))
            #expect(recording.emissions(of: "body").last == .signed(400))
        }

        @Test func `Nothing holds the model, and what was made for it goes with it`() throws {
            let time = VirtualScheduler()
            func use() {
                let model = LoginModel()
                let form = Trace.wrap(model)
                Trace.observe(model, \.name, \.isValid, \.child, on: time)
                Trace.render("body", on: time) { [weak model] in model?.name ?? "" }
                form.name = "Maruko"
                model.name = "M"
                model.child?.box = model.child.map { Trace.wrap($0).model }
                model.child?.box = nil
                time.runUntilIdle()
            }
            expectNoLeaks { use() }
            _ = try record { expectNoLeaks { use() } }
        }

        @Test func `A recording that begins or ends in the middle loses no render and no later write`() throws {
            let (model, time) = (LoginModel(), VirtualScheduler())
            var shown: [String] = []
            Trace.observe(model, \.title, on: time)
            let rendering = Trace.render("body", on: time) {
                shown.append(model.name)
                return model.name
            }
            model.name = "a"
            model.title = "1"
            time.runUntilIdle()
            for name in ["b", "d"] {
                let recording = try record {
                    model.name = name
                    model.title = name
                    time.runUntilIdle()
                    model.name = name + "!"
                    time.runUntilIdle()
                    model.name = name + "!!"
                }
                #expect(recording.emissions(of: "LoginModel.title") == [.string(name)])
                #expect(recording.emissions(of: "body") == [.string(name), .string(name + "!")])
                #expect(recording.damage.isEmpty)
                time.runUntilIdle()
            }
            rendering.dispose()
            model.name = "e"
            time.runUntilIdle()
            #expect(shown == ["", "a", "b", "b!", "b!!", "d", "d!", "d!!"])
        }

        @Test func `Another thread may begin and end recordings while the main thread writes`() async throws {
            let (model, file, isOver) = (LoginModel(), try TemporaryTrace(), Locked(false))
            Trace.observe(model)
            let (path, rounds) = (file.path, Locked(0))
            Thread.detachNewThread {
                for _ in 0..<80 {
                    if (try? Trace.start(writingTo: path, snapshots: .none)) != nil { rounds.change { $0 += 1 } }
                    Thread.sleep(forTimeInterval: 0.001)
                    Trace.stop()
                }
                isOver.change { $0 = true }
            }
            var writes = 0
            while !isOver.value {
                model.attempts += 1
                model.name = "\(writes)"
                model.child = writes % 7 == 0 ? LoginChild() : model.child
                model.child?.name = "\(writes)"
                writes += 1
                await Task.yield()
            }
            #expect(rounds.value == 80 && model.attempts == writes)
            #expect(try Recording(reading: path).damage.isEmpty)
            let recording = try record {
                Trace.stimulus("type") { model.name = "end" }
            }
            #expect(recording.emissions(of: "LoginModel.name").last == .string("end"))
        }
    }
}
