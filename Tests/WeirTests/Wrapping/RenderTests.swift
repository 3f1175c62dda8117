import Observation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

@Observable
private final class FormModel {
    var name = ""
    var note = ""
    var count = 0
    var isLong: Bool { name.count >= 6 }
}

extension Everything {
    /// Bodies that run again because of an observable model, and their traces.
    @MainActor @Suite struct RenderTests {
        private func findings(_ body: (VirtualScheduler, VirtualClock) -> Void) throws -> [Finding] {
            let file = try TemporaryTrace()
            let clock = VirtualClock()
            try Trace.start(writingTo: file.path, clock: clock, snapshots: .none)
            body(VirtualScheduler(clock: clock), clock)
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let definitions = try reader.definitions()
            return Findings(RedundancyPass(reader, Topology(definitions)), definitions).found
        }

        @Test func `A render says what it reads and which property made it run again`() throws {
            let (model, time) = (FormModel(), VirtualScheduler())
            let recording = try record {
                Trace.adopt(model)
                let rendering = Trace.render("FormView.body", on: time) {
                    model.name.isEmpty ? "" : model.name + model.note
                }
                Trace.stimulus("type") { model.name = "M" }
                time.runUntilIdle()
                Trace.stimulus("note") {
                    model.note = "!"
                    model.name = "Ma"
                }
                model.count = 1
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.emissions(of: "FormView.body") == ["", "M", "Ma!"].map(TraceValue.string))
            let causes = recording.events.filter { $0.kind == .hopBegan }.map { hop in
                recording.events.first { $0.id == hop.cause }.map { recording.name($0.subject) }
            }
            #expect(causes == ["FormModel.name", "FormModel.note"])
        }

        private final class Counter {
            let count = Observable(0)
            let step = Observable(1)
            @Traced var title = ""
        }

        @Test func `A render over observables of Weir is fed by them, and a write causes its next run`() throws {
            let (model, time) = (Counter(), VirtualScheduler())
            let recording = try record {
                Trace.adopt(model)
                let rendering = Trace.render("Body", on: time) {
                    "\(model.title) \(model.count.value + model.step.value)"
                }
                Trace.stimulus("count") { model.count.value = 1 }
                time.runUntilIdle()
                Trace.stimulus("both") {
                    model.step.value = 2
                    model.title = "a"
                }
                time.runUntilIdle()
                Trace.stimulus("batch") { batch { model.count.value = 5 } }
                time.runUntilIdle()
                rendering.dispose()
                model.count.value = 6
            }
            #expect(recording.emissions(of: "Body") == [" 1", " 2", "a 3", "a 7"].map(TraceValue.string))
            let causes = recording.events.filter { $0.kind == .hopBegan }.map { hop in
                recording.events.first { $0.id == hop.cause }.map { recording.name($0.subject) }
            }
            #expect(causes == ["Counter.count", "Counter.step", "Counter.count"])
            let body = try #require(recording.definitions.nodes.values.first { $0.name == "Body" }).id
            let sources = recording.definitions.subscriptions.values.filter { $0.target == body }
                .map { recording.name($0.source) }
            #expect(sources.sorted() == ["Counter.count", "Counter.step", "Counter.title"])
            #expect(recording.definitions.nodes.count == 4)
            #expect(recording.events.last?.kind == .emitted, "after the disposal nothing hears a write")
        }

        /// A model that is being moved from Weir's observables to Observation.
        @Observable
        fileprivate final class HalfMoved {
            @ObservationIgnored let password = Observable("", privacy: .private)
            @ObservationIgnored let count = Observable(0)
            var step = 1
            var sum: Int { count.value + step + 0 * count.value }
            var masked: String { password.value.map { _ in "*" }.joined() }
            var isLong: Bool { password.value.count > 2 }
        }

        @Test func `A computed property over observables of Weir is fed by them, and hides what is private`() throws {
            let (model, time) = (HalfMoved(), VirtualScheduler())
            let recording = try record {
                Trace.adopt(model)
                Trace.observe(model, \.sum, \.masked, \.isLong, on: time)
                Trace.stimulus("first") { model.count.value = 1 }
                time.runUntilIdle()
                let form = Trace.wrap(model)
                let rendering = Trace.render("Body", on: time) { form.sum }
                Trace.stimulus("count") { model.count.value = 2 }
                time.runUntilIdle()
                Trace.stimulus("type") { model.password.value = "secret" }
                time.runUntilIdle()
                rendering.dispose()
                model.count.value = 3
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "HalfMoved.sum") == [2, 3, 4].map(TraceValue.signed))
            #expect(recording.emissions(of: "Body") == [2, 3].map(TraceValue.signed))
            #expect(recording.emissions(of: "HalfMoved.masked") == [.withheld])
            #expect(recording.emissions(of: "HalfMoved.isLong") == [.bool(true)])
            let targets = Dictionary(
                grouping: recording.definitions.subscriptions.values, by: { recording.name($0.target ?? 0) }
            ).mapValues { Set($0.map { recording.name($0.source) }) }
            #expect(targets["HalfMoved.sum"] == ["HalfMoved.count", "HalfMoved.step"])
            #expect(targets["HalfMoved.masked"] == ["HalfMoved.password"])
            #expect(targets["Body"] == ["HalfMoved.sum"])
            let inputs = recording.definitions.subscriptions.values.filter {
                $0.target.map(recording.name) == "HalfMoved.sum"
            }
            #expect(inputs.count == 2, "one for each input, though one is read twice")
            let causes = recording.events.filter { $0.kind == .hopBegan }.map { hop in
                recording.events.first { $0.id == hop.cause }.map { recording.name($0.subject) }
            }
            #expect(Set(causes) == ["HalfMoved.count", "HalfMoved.password"])
        }

        @Test func `A render that reads a combiner does not keep it, nor does it after the recording`() throws {
            let (input, time) = (Observable(1), VirtualScheduler())
            var double: Combiner<Int>? = .combine(input) { $0 * 2 }
            weak let released = double
            var rendering: Disposable?
            _ = try record {
                rendering = Trace.render("Body", on: time) { [weak double] in double?.value ?? 0 }
                input.value = 2
                time.runUntilIdle()
                double = nil
                #expect(released == nil)
            }
            let later = try record {
                input.value = 3
                time.runUntilIdle()
            }
            #expect(later.events.map(\.kind) == [.emitted])
            rendering?.dispose()
        }

        /// How long the first run of a body took by a clock that advances at each look.
        private func durationOfFirstRun(_ body: @escaping (FormModel) -> Int) throws -> UInt64 {
            let model = FormModel()
            let recording = try record {
                Trace.adopt(model)
                Trace.render("FormView.body") { body(model) }.dispose()
            }
            let began = try #require(recording.events.first { $0.kind == .deliveryBegan })
            let ended = try #require(recording.events.first { $0.kind == .deliveryEnded })
            return ended.ticks - began.ticks
        }

        @Test func `The time of a run is that of its body, without what Weir does to follow what it reads`() throws {
            let alone = try durationOfFirstRun { _ in 1 }
            let reading = try durationOfFirstRun { $0.name.count + $0.note.count + $0.count }
            #expect(alone > 0 && alone == reading)
        }

        @Test func `A run is not caused by what was written before the run before it, or in that`() throws {
            let (model, time) = (FormModel(), VirtualScheduler())
            let recording = try record {
                Trace.adopt(model)
                Trace.observe(model, \.name, \.note, \.count, on: time)
                let rendering = Trace.render("FormView.body", on: time) {
                    model.count += 1
                    // The note is first read in the run that its write caused.
                    return model.name.isEmpty ? "" : model.name + model.note
                }
                time.runUntilIdle()
                model.name = "M"
                model.note = "!"
                time.runUntilIdle()
                Trace.stimulus("type") { model.name = "Ma" }
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.emissions(of: "FormView.body") == ["", "M!", "Ma!"].map(TraceValue.string))
            let events = Dictionary(recording.events.map { ($0.id, $0) }) { first, _ in first }
            var event = recording.events.last { $0.kind == .emitted && recording.name($0.subject) == "FormView.body" }
            var causes: [String] = []
            while let current = event {
                if current.kind == .emitted { causes.append(recording.name(current.subject)) }
                if current.kind == .stimulusBegan { causes.append(current.text) }
                event = current.cause.flatMap { events[$0] }
            }
            #expect(causes == ["FormView.body", "FormModel.name", "type"])
        }

        @Test func `A run that shows what was shown before is a redundant refresh`() throws {
            let model = FormModel()
            let findings = try findings { time, clock in
                Trace.adopt(model)
                Trace.render("FormView.title", on: time) { model.isLong ? "long" : "short" }
                for name in ["M", "Ma", "Maruko", "Maruko!"] {
                    clock.advance(nanoseconds: 100_000_000)
                    Trace.stimulus("type") { model.name = name }
                    time.runUntilIdle()
                }
            }
            #expect(findings.map(\.rule) == [.repeatedValue])
            #expect(findings.first?.count == 3)
        }

        @Test func `A body that writes what it has read is reported as feedback, and is not run again`() throws {
            for isAtOnce in [true, false] {
                let model = FormModel()
                var runs = 0
                let findings = try findings { time, clock in
                    let form = Trace.wrap(model)
                    let scheduler: any Scheduler = isAtOnce ? .immediate : time
                    Trace.render("FormView.body", on: scheduler) {
                        runs += 1
                        if form.count < 10 { form.count += 1 }
                        return form.count
                    }
                    clock.advance(nanoseconds: 100_000_000)
                    form.count = 5
                    time.runUntilIdle()
                }
                #expect(model.count == 6 && runs == 2)
                #expect(findings.contains { $0.rule == .feedback }, "at once: \(isAtOnce)")
            }
        }

        @Test func `A body that writes an observable of Weir that it has read is reported as feedback`() throws {
            for isTraced in [true, false] {
                let (form, counter) = (FormModel(), Counter())
                let findings = try findings { time, clock in
                    Trace.adopt(form)
                    Trace.observe(form, \.count, on: time)
                    Trace.render("Body", on: time) {
                        if isTraced {
                            let title = String(repeating: "a", count: form.count)
                            if counter.title != title { counter.title = title }
                            return counter.title.count
                        }
                        if counter.count.value != form.count { counter.count.value = form.count }
                        return counter.count.value
                    }
                    for count in 1...2 {
                        clock.advance(nanoseconds: 100_000_000)
                        Trace.stimulus("type") { form.count = count }
                        time.runUntilIdle()
                    }
                }
                #expect(findings.contains { $0.rule == .feedback && $0.count == 2 }, "traced: \(isTraced)")
            }
        }

        @Test func `A body that writes elsewhere than through a wrapper what it has read is reported as feedback, too`()
            throws
        {
            let model = FormModel()
            let findings = try findings { time, clock in
                Trace.adopt(model)
                Trace.observe(model, \.name, on: time)
                Trace.render("FormView.body", on: time) {
                    model.count += 1
                    return model.name
                }
                for name in ["M", "Ma"] {
                    clock.advance(nanoseconds: 100_000_000)
                    Trace.stimulus("type") { model.name = name }
                    time.runUntilIdle()
                }
            }
            #expect(model.count == 3)
            #expect(findings.map(\.rule) == [.feedback] && findings.first?.count == 2)
        }

        @Test
        func
            `A computed property that is read before its turn is reported under the stimulus that it was computed for`()
            throws
        {
            let (model, time) = (FormModel(), VirtualScheduler())
            let recording = try record {
                Trace.observe(model, \.isLong, on: time)
                let form = Trace.wrap(model)
                Trace.stimulus("first") {
                    model.name = "M"
                    _ = form.isLong
                }
                time.runUntilIdle()
                Trace.stimulus("second") { model.name = "Ma" }
                time.runUntilIdle()
            }
            let events = Dictionary(recording.events.map { ($0.id, $0) }) { first, _ in first }
            let stimuli = recording.events.filter { $0.suppressionReason == .equal }.map { event in
                sequence(first: event) { $0.cause.flatMap { events[$0] } }.first { $0.kind == .stimulusBegan }?.text
            }
            #expect(stimuli == ["first", "second"])
        }

        @Test func `At once means when the value is stored, recorded or not`() throws {
            let model = FormModel()
            var shown: [String] = []
            func use() {
                let form = Trace.wrap(model)
                let rendering = Trace.render("FormView.body", on: .immediate) { shown.append(form.name) }
                form.name = "a"
                form.name.append("b")
                rendering.dispose()
                form.name = ""
            }
            use()
            _ = try record { use() }
            #expect(shown == ["", "a", "ab", "", "a", "ab"])
        }

        @Test func `A computed property that is read through the wrapper stands between`() throws {
            let (model, time) = (FormModel(), VirtualScheduler())
            let recording = try record {
                let form = Trace.wrap(model)
                Trace.render("FormView.body", on: time) { form.isLong }
                form.name = "Maruko"
                time.runUntilIdle()
            }
            let edges = recording.definitions.subscriptions.values.compactMap { edge in
                edge.target.map { "\(recording.name(edge.source)) → \(recording.name($0))" }
            }
            #expect(edges.sorted() == ["FormModel.isLong → FormView.body", "FormModel.name → FormModel.isLong"])
            #expect(recording.emissions(of: "FormModel.isLong") == [.bool(true)])
            #expect(recording.emissions(of: "FormView.body") == [.bool(false), .bool(true)])
        }

        @Test func `A model that nobody has announced to Weir is named by its type`() throws {
            let (model, time) = (FormModel(), VirtualScheduler())
            let recording = try record {
                let rendering = Trace.render("FormView.body", on: time) { model.name }
                model.name = "M"
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.emissions(of: "FormView.body") == [.string(""), .string("M")])
            #expect(recording.definitions.nodes.values.contains { $0.label == "FormModel.name" })
        }
    }
}
