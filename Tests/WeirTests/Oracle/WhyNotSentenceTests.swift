import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension Everything {
    /// The sentences of `weir why-not` about small programs: each names what stopped the change, and what would help.
    @Suite struct WhyNotSentenceTests {
        final class Form: @unchecked Sendable {  // For one thread.
            let source = Observable(0)
            let other = Observable(0)
            let shown = Observable(0)
            let taps = Emitter<Int>()
            let stop = Emitter<Void>()
            let clock = VirtualScheduler()
            var kept: [AnyObject] = []
            let bag = DisposeBag()
            let command = Command<Int, Int> { _ in .never() }
        }

        private struct Refused: Error {}

        /// A program, whose stimulus does not change `Form.shown`, with lines of the answer.
        struct Question: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let prepare: @Sendable (Form) -> Void
            let act: @Sendable (Form) -> Void
            let fact: String
            let remedy: String

            init(
                _ name: String, _ prepare: @escaping @Sendable (Form) -> Void,
                then act: @escaping @Sendable (Form) -> Void = { $0.taps.emit(1) }, _ fact: String, _ remedy: String
            ) {
                testDescription = name
                (self.prepare, self.act) = (prepare, act)
                (self.fact, self.remedy) = (fact, remedy)
            }
        }

        private func answer(
            _ prepare: (Form) -> Void, then act: (Form) -> Void
        ) throws -> String {
            let recorded = try RecordedFile {
                let form = Form()
                Trace.adopt(form)
                prepare(form)
                Trace.stimulus("tap") { act(form) }
            }
            return try recorded.answer("Form.shown")
        }

        static let ends: [Question] = [
            Question(
                "take",
                {
                    $0.taps.take(1).bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "Form.shown was no longer subscribed to take: take completed after its last value",
                "take must take more values."),
            Question(
                "take before a map",
                {
                    $0.taps.take(1).map { $0 }.bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "Form.shown was no longer subscribed to map: take completed after its last value",
                "take must take more values."),
            Question(
                "a take that is kept",
                { form in
                    let first = form.taps.take(1)
                    form.kept.append(first)
                    first.bind(to: form.shown)
                    form.taps.emit(0)
                },
                "take completed after its last value", "take must take more values."),
            Question(
                "take(while:)",
                {
                    $0.taps.take(while: { $0 < 3 }).bind(to: $0.shown)
                    $0.taps.emit(5)
                },
                "take completed, because its condition no longer held",
                "The condition of take must hold for 5."),
            Question(
                "takeUntil",
                {
                    $0.taps.takeUntil($0.stop).bind(to: $0.shown)
                    $0.stop.emit()
                },
                "takeUntil completed when Form.stop emitted a value",
                "Form.stop must emit its value later."),
            Question(
                "timeout",
                {
                    $0.taps.timeout(.milliseconds(5), on: $0.clock).bind(to: $0.shown)
                    $0.clock.advance(by: .milliseconds(9))
                },
                "timeout failed: no value came in time",
                "A value must come in time, or `retry` after timeout to subscribe again."),
            Question(
                "a completion by the program",
                {
                    $0.taps.bind(to: $0.shown)
                    $0.taps.complete()
                },
                "Form.shown was no longer subscribed to Form.taps: Form.taps completed (",
                "Form.taps must complete later: it emits nothing after its completion."),
            Question(
                "a completion by a handler",
                { form in
                    form.taps.bind(to: form.shown)
                    form.stop.subscribe { [taps = form.taps] _ in taps.complete() }
                    form.stop.emit()
                },
                "Form.taps completed, in the handler at LINE", "Form.taps must complete later"),
            Question(
                "a failure",
                {
                    $0.taps.map { if $0 == 0 { throw Refused() } else { $0 } }.bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "was no longer subscribed to map: map failed",
                "map must succeed, or `catch` or `retry` to handle its failure; `weir why` shows what made it "
                    + "fail: ask for ID."),
            Question(
                "race",
                {
                    $0.taps.race($0.source).bind(to: $0.shown)
                    $0.taps.emit(0)
                }, then: { $0.source.value = 1 },
                "race was no longer subscribed to Form.source: race chose Form.taps, which was first",
                "Form.source must be the first to emit a value."),
            Question(
                "flatMap(.latest)",
                { form in
                    form.taps.flatMap(.latest) { $0 == 0 ? form.source : form.other }.bind(to: form.shown)
                    form.taps.emit(0)
                    form.taps.emit(1)
                }, then: { $0.source.value = 7 },
                "flatMap was no longer subscribed to Form.source: flatMap switched to a newer signal when Form.taps emitted 1",
                "Form.taps must emit no newer value"),
            Question(
                "a disposal in a handler",
                { form in
                    let binding = form.taps.bind(to: form.shown)
                    form.stop.subscribe { _ in binding.dispose() }
                    form.stop.emit()
                },
                "Form.shown was no longer subscribed to Form.taps: disposed",
                "The subscription made at LINE must stay alive (it ended in the handler at LINE)."),
        ]

        @Test(arguments: ends) func `The operator or handler that ended a subscription is named`(
            _ question: Question
        ) throws {
            let answer = try answer(question.prepare, then: question.act)
            #expect(answer.contains(question.fact) && answer.contains("→ " + question.remedy), "\(answer)")
        }

        static let waits: [Question] = [
            Question(
                "buffer", { $0.taps.buffer(count: 2).map(\.count).bind(to: $0.shown) },
                "buffer emitted nothing: waits for more values",
                "Form.taps must emit more values until buffer is full, or to complete."),
            Question(
                "reduce", { $0.taps.reduce(0) { $0 + $1 }.bind(to: $0.shown) },
                "reduce emitted nothing: waits for the completion of Form.taps",
                "Form.taps must complete: reduce emits its result only then."),
            Question(
                "collect", { $0.taps.collect().map(\.count).bind(to: $0.shown) },
                "collect emitted nothing: waits for the completion of Form.taps", "Form.taps must complete"),
            Question(
                "last", { $0.taps.last().bind(to: $0.shown) },
                "last emitted nothing: waits for the completion of Form.taps", "Form.taps must complete"),
            Question(
                "sample without a beat", { $0.taps.sample(on: $0.stop).bind(to: $0.shown) },
                "sample emitted nothing: waits for Form.stop", "Form.stop must emit a value after that."),
            Question(
                "sample whose beat came too early",
                {
                    $0.taps.sample(on: $0.stop).bind(to: $0.shown)
                    $0.stop.emit()
                },
                "sample emitted nothing: waits for Form.stop", "Form.stop must emit a value after that."),
            Question(
                "sample without a value", { $0.taps.sample(on: $0.stop).bind(to: $0.shown) }, then: { $0.stop.emit() },
                "sample was asked for a value by Form.stop, and had none",
                "Form.taps must emit a value before Form.stop does."),
            Question(
                "skipUntil", { $0.taps.skipUntil($0.stop).bind(to: $0.shown) },
                "skipUntil emitted nothing: waits for Form.stop", "skipUntil waits for Form.stop: give it a value."),
            Question(
                "withLatest, whose other value came",
                { $0.taps.withLatest(from: $0.other) { $1 }.bind(to: $0.shown) }, then: { $0.other.value = 3 },
                "withLatest keeps the value of Form.other until it receives one of Form.taps",
                "Form.taps must emit a value."),
            Question(
                "combineLatest", { $0.taps.combineLatest($0.other) { $0 + $1 }.bind(to: $0.shown) },
                "combineLatest emitted nothing: waits for Form.other",
                "combineLatest waits for Form.other: give it a value."),
            Question(
                "flatMap(.concat)",
                { form in
                    form.taps.flatMap(.concat) { $0 == 0 ? form.source : form.other }.bind(to: form.shown)
                    form.taps.emit(0)
                },
                "flatMap emitted nothing: waits for the completion of an earlier signal",
                "The signal that flatMap runs now must complete."),
            Question(
                "flatMap(.latest) without a value of its inner signal",
                { form in
                    let answers = Emitter<Int>()
                    form.kept.append(answers)
                    form.taps.flatMap(.latest) { $0 == 0 ? form.source : answers }.bind(to: form.shown)
                    form.taps.emit(0)
                },
                "flatMap subscribed to emitter, and waits for a value of it",
                "emitter must emit a value after that."),
            Question(
                "flatMap(.merge) whose inner signal has ended",
                { form in form.taps.flatMap(.merge) { _ in Signal<Int>.empty() }.bind(to: form.shown) },
                "flatMap subscribed to source, which completed without a value",
                "source must emit a value before it completes."),
            Question(
                "flatMap(.latest) whose request failed, and the failure was caught",
                { form in
                    form.taps.flatMap(.latest) { _ in Signal<Int>.failed(Refused()).catch { _ in .empty() } }
                        .bind(to: form.shown)
                },
                "flatMap subscribed to catch, which completed without a value: source failed with Refused() (ID)",
                "source must succeed; `weir why` shows what made it fail: ask for ID."),
            Question(
                "flatMap(.latest) whose request is cancelled by a newer value",
                { form in
                    form.taps.flatMap(.latest) { $0 == 1 ? Signal<Int>.never() : .empty() }.bind(to: form.shown)
                },
                "flatMap subscribed to source, and waits for a value of it",
                "source must emit a value after that."),
            Question(
                "flatMap whose subscription ends during its request",
                { form in
                    form.taps.flatMap(.latest) { _ in Signal<Int>.never() }.bind(to: form.shown).disposed(by: form.bag)
                },
                then: { form in
                    form.taps.emit(1)
                    form.bag.dispose()
                },
                "flatMap subscribed to source, and was disposed (ID) before that emitted a value",
                "The subscription to flatMap must stay alive until source emits a value."),
            Question(
                "a command whose execution is cancelled",
                { form in
                    form.command.values.bind(to: form.shown)
                },
                then: { form in form.command.execute(1).cancel() },
                "execution was cancelled (ID) before it emitted a value",
                "The execution must go on until it emits a value."),
            Question(
                "buffer(time:)",
                { $0.taps.buffer(time: .milliseconds(5), on: $0.clock).map(\.count).bind(to: $0.shown) },
                "buffer collects values, and emitted no array so far",
                "The time of buffer must be over before the recording, the source or the subscription ends."),
            Question(
                "debounce", { $0.taps.debounce(.milliseconds(5), on: $0.clock).bind(to: $0.shown) },
                "debounce holds the value until its scheduler runs, and has emitted nothing so far",
                "The scheduler of debounce must run before the recording ends, and before the source or the subscription does."
            ),
            Question(
                "debounce that keeps an older value",
                {
                    $0.taps.debounce(.milliseconds(5), on: $0.clock).bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "debounce emitted nothing: dropped an older value for this one, which it keeps for its scheduler",
                "The scheduler of debounce must run before the recording ends, and before the source or the subscription does."
            ),
            Question(
                "sample(every:)", { $0.taps.sample(every: .milliseconds(5), on: $0.clock).bind(to: $0.shown) },
                "sample holds the value until its scheduler runs, and has emitted nothing so far",
                "The scheduler of sample must run before the recording ends, and before the source or the subscription does."
            ),
        ]

        @Test func `A disposal takes the value that waits`() throws {
            let recorded = try RecordedFile {
                let form = Form()
                Trace.adopt(form)
                form.taps.debounce(.milliseconds(5), on: form.clock).bind(to: form.shown).disposed(by: form.bag)
                form.taps.delay(.milliseconds(5), on: form.clock).map { $0 }.bind(to: form.other).disposed(by: form.bag)
                Trace.stimulus("tap") { form.taps.emit(1) }
                Trace.stimulus("close") { form.bag.dispose() }
                form.clock.advance(by: .milliseconds(9))
            }
            for (node, waits) in [("shown", "debounce"), ("other", "delay")] {
                let answer = try recorded.answer("Form.\(node)", after: "tap")
                #expect(
                    answer.contains(
                        "✗ \(waits) emitted nothing: its scheduler had not run when its subscription was disposed, "),
                    "\(answer)")
                #expect(
                    answer.contains(
                        "→ The scheduler of \(waits) must run, and the subscription must stay alive until it does."),
                    "\(answer)")
            }
        }

        static let filters: [Question] = [
            Question(
                "filter", { $0.taps.filter { $0 > 1 }.bind(to: $0.shown) },
                "filter emitted nothing: it did not let the value pass",
                "The condition of filter must hold for 1."),
            Question(
                "compactMap", { $0.taps.compactMap { $0 > 1 ? $0 : nil }.bind(to: $0.shown) },
                "compactMap emitted nothing: its transform returned nil",
                "The transform of compactMap must return a value other than nil for 1."),
            Question(
                "skip",
                {
                    $0.taps.skip(3).bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "skip emitted nothing: skipped the value",
                "skip must skip fewer values, or only those before 1: it had skipped 1 value before that one."
            ),
            Question(
                "skip(while:)", { $0.taps.skip(while: { $0 < 3 }).bind(to: $0.shown) },
                "skip emitted nothing: skipped the value",
                "skip must skip fewer values, or only those before 1: this was the first one."),
            Question(
                "throttle(latest: false)",
                {
                    $0.taps.throttle(.milliseconds(5), latest: false, on: $0.clock).bind(to: $0.shown)
                    $0.taps.emit(0)
                },
                "throttle emitted nothing: the value came too soon after the one before",
                "1 must come after the interval of throttle; without `latest: false` it would follow then."
            ),
        ]

        @Test(arguments: filters) func `An operator that let no value pass is named as what it is`(_ question: Question)
            throws
        {
            let answer = try answer(question.prepare, then: question.act)
            #expect(answer.contains("✗ " + question.fact) && answer.contains("→ " + question.remedy), "\(answer)")
        }

        // MARK: Nothing leads to the node

        private static let unwritten =
            "Nothing wrote to it in this trace: no subscription leads to it, and neither a handler nor other code set it.\n"

        @Test func `A handler that never wrote is named as called, and no cause is invented`() throws {
            let conditional = try answer(
                { form in form.source.subscribe { [weak form] in if $0 > 5 { form?.shown.value = $0 } } },
                then: { $0.source.value = 1 })
            #expect(
                conditional.contains(
                    Self.unwritten
                        + "The stimulus called the handler at LINE, which did not write to it: check its conditions.\n"),
                "\(conditional)")
            let nested = try answer(
                { form in
                    form.source.subscribe { [weak form] in form?.other.value = $0 }
                    form.other.subscribe { [weak form] in if $0 > 5 { form?.shown.value = $0 } }
                }, then: { $0.source.value = 1 })
            #expect(
                nested.contains(
                    "The stimulus called the handler at LINE, which did not write to it: check its conditions.\n"
                        + "The stimulus called handlers that write to other nodes: LINE writes to "),
                "\(nested)")
            let unconnected = try answer({ _ in }, then: { $0.source.value = 1 })
            #expect(unconnected.contains(Self.unwritten) && !unconnected.contains("called"), "\(unconnected)")
        }

        @Test func `A value that a debounce dropped for a newer one is explained by that one`() throws {
            let recorded = try RecordedFile {
                let model = Form()
                Trace.adopt(model)
                model.taps.debounce(.milliseconds(5), on: model.clock).bind(to: model.shown)
                model.taps.emit(1)
                Trace.stimulus("first") { model.taps.emit(2) }
                Trace.stimulus("second") { model.taps.emit(3) }
            }
            let reader = try TraceReader(path: recorded.file.path)
            let definitions = try reader.definitions()
            let shown = try #require(definitions.nodes.values.first { $0.label == "Form.shown" }?.id)
            let results = try ["first", "second"].map {
                try Timeline(reader).whyNot([shown], after: .stimulus(.text($0)))
            }
            let answers = results.map {
                WhyNotReport($0, Topology(definitions), timeScale: TimeScale(reader.header)).text()
            }
            #expect(
                answers[0].contains("a newer value, Form.taps = 3 ("), "\(answers[0])"
            )
            #expect(answers[0].contains("→ No newer value may arrive before the interval of debounce"), "\(answers[0])")
            #expect(answers[1].contains("dropped an older value for this one"), "\(answers[1])")
        }

        @Test func `Other code is named only if the trace holds what it wrote`() throws {
            let written = try answer({ $0.shown.value = 3 }, then: { $0.source.value = 1 })
            #expect(
                written.contains(
                    "In this trace no subscription leads to it, and no handler wrote to it. Code outside of handlers set it, such as that "
                        + "of another stimulus or a task. `weir why` shows what set it before: ask for ID.\n"),
                "\(written)")
        }

        @Test func `Code outside of handlers is named beside what feeds the node`() throws {
            let both = try answer(
                {
                    $0.taps.bind(to: $0.shown)
                    $0.shown.value = 3
                }, then: { $0.source.value = 1 })
            #expect(
                both.contains(
                    "this must emit: Form.taps; or other code must write to it.\n"),
                "\(both)")
        }

        @Test func `A command is to be executed, whatever became of its former executions`() throws {
            let answer = try answer(
                { form in
                    let command = Command<Int, Int> { [weak form] value in
                        form?.shown.value = value
                        return .just(value)
                    }
                    form.kept.append(command)
                    for value in 1...2 { command.execute(value) }
                }, then: { $0.source.value = 1 })
            #expect(answer.contains("For it to change, this must be executed: command"), "\(answer)")
            #expect(!answer.contains("✗"), "\(answer)")
        }

        @Test func `Another handler of the line that wrote is named as called`() throws {
            let answer = try answer(
                { form in
                    for signal in [form.source, form.other] {
                        signal.subscribe { [weak form] in if $0 > 0 { form?.shown.value = $0 } }
                    }
                    form.other.value = 2
                }, then: { $0.source.value = -1 })
            #expect(answer.contains("✗ The handler at LINE was called, and did not write to Form.shown"), "\(answer)")
        }

        @Test func `A changed node names the handlers that it reached, and a repeated value is none`() throws {
            let reached = try answer({ $0.shown.map { $0 + 1 }.subscribe { _ in } }, then: { $0.shown.value = 1 })
            #expect(
                reached.contains(
                    ", changed Form.shown.")
                    && reached.contains("Through other nodes, 1 handler was called because"),
                "\(reached)")
            let recorded = try RecordedFile {
                let form = Form()
                Trace.adopt(form)
                form.taps.subscribe { _ in }
                form.taps.emit(1)
                Trace.stimulus("tap") { form.taps.emit(1) }
            }
            let repeated = try recorded.answer("Form.taps")
            #expect(
                repeated.contains(", made Form.taps emit the value that it had.\nIt emitted 1 again at "), "\(repeated)"
            )
        }

        // MARK: Streams

        private func answer(
            _ stimulus: String, _ body: @escaping (Form) async throws -> Void
        ) async throws -> String {
            let recorded = try await RecordedFile.ofTask {
                let form = Form()
                Trace.adopt(form)
                try await body(form)
            }
            return try recorded.answer("Form.shown", after: stimulus)
        }

        @Test(arguments: [false, true])
        func `An element that a buffer dropped is explained after its own stimulus`(keepsNewest: Bool) async throws {
            var answers: [String] = []
            for stimulus in ["first", "second"] {
                answers += try await [
                    answer(stimulus) { form in
                        let (stream, continuation) = AsyncStream<Int>.makeTracedStream(
                            "fixes", bufferingPolicy: keepsNewest ? .bufferingNewest(1) : .bufferingOldest(1))
                        Trace.stimulus("first") { _ = continuation.yield(1) }
                        Trace.stimulus("second") { _ = continuation.yield(2) }
                        continuation.finish()
                        await stream.forEach { form.shown.value = $0 }
                    }
                ]
            }
            let dropped = keepsNewest ? 0 : 1
            #expect(
                answers[dropped].contains(
                    keepsNewest
                        ? "✗ fixes emitted nothing: its buffer dropped the element for a newer one"
                        : "✗ fixes emitted nothing: its buffer was full, and dropped the element"),
                "\(answers[dropped])")
            #expect(answers[dropped].contains("→ The buffer of fixes at "), "\(answers[dropped])")
            #expect(answers[1 - dropped].contains(", changed Form.shown."), "\(answers[1 - dropped])")
        }

        @Test func `The body of a loop may still wait at the end of the trace`() async throws {
            var task: Task<Void, Never>?
            defer { task?.cancel() }
            let recorded = try await RecordedFile.ofTask {
                let form = Form()
                Trace.adopt(form)
                let (stream, continuation) = AsyncStream<Int>.makeTracedStream("fixes")
                let (gates, gate) = AsyncStream<Void>.makeStream()
                let (begun, begin) = AsyncStream<Void>.makeStream()
                task = Task {
                    var gate = gates.makeAsyncIterator()
                    for await fix in stream {
                        begin.yield()
                        await gate.next()
                        form.shown.value = fix
                    }
                }
                var hasBegun = begun.makeAsyncIterator()
                Trace.stimulus("first") { _ = continuation.yield(1) }
                await hasBegun.next()
                gate.yield()
                Trace.stimulus("second") { _ = continuation.yield(2) }
                await hasBegun.next()
            }
            let answer = try recorded.answer("Form.shown")
            #expect(
                answer.contains(
                    "✗ The loop over fixes received the value, and had not written to Form.shown by the end of the trace"
                ),
                "\(answer)")
            #expect(
                answer.contains(
                    "→ The body of the loop over fixes must write to Form.shown before the recording ends"),
                "\(answer)")
        }

        @Test func `A change by a task without a cause is named`() async throws {
            let answer = try await answer("tap") { form in
                await Trace.stimulus("prepare") { await Task.yield() }
                let task = Trace.stimulus("tap") { Task { form.shown.value = 1 } }
                await task.value
            }
            #expect(
                answer.contains(
                    ", did not change Form.shown")
                    && answer.contains(
                        ", in a task whose cause the trace does not hold. If the stimulus started a task that did this, start that task with"
                    ),
                "\(answer)")
        }

        @Test func `A body that no longer reads a property is named as such`() throws {
            let recorded = try RecordedFile {
                let form = Form()
                Trace.adopt(form)
                let body = Trace.render("FormView.body", on: form.clock) { [form] in
                    form.source.value == 0 ? form.other.value : -1
                }
                form.source.value = 1
                form.clock.runUntilIdle()
                Trace.stimulus("tap") { form.other.value = 5 }
                form.clock.runUntilIdle()
                withExtendedLifetime(body) {}
            }
            let stopped = try recorded.answer("FormView.body")
            #expect(stopped.contains("FormView.body did not read Form.other any more when it last ran ("), "\(stopped)")
        }

        @Test func `A released node is explained by the end of its input`() throws {
            let recorded = try RecordedFile {
                let form = Form()
                Trace.adopt(form)
                form.taps.take(1).map { $0 + 1 }.bind(to: form.shown)
                form.taps.emit(0)
                Trace.stimulus("tap") { form.taps.emit(1) }
            }
            let answer = try recorded.answer { $0.kind == .map }
            #expect(answer.contains("take completed after its last value"), "\(answer)")
            #expect(!answer.contains("released"), "\(answer)")
        }

        @MainActor @Test func `A handler that waits for its actor is named`() throws {
            func onThread(_ work: @escaping @Sendable () -> Void) {
                let done = DispatchSemaphore(value: 0)
                Thread {
                    work()
                    done.signal()
                }.start()
                done.wait()
            }
            // They outlive the recordings, in which the main actor runs nothing else.
            let forms = [Form(), Form()]
            let never = try RecordedFile {
                let form = forms[0]
                Trace.adopt(form)
                form.source.subscribe { @MainActor [weak form] in form?.shown.value = $0 }
                onThread { Trace.stimulus("tap") { form.source.value = 1 } }
            }
            let text = try never.answer("Form.shown")
            #expect(
                text.contains(
                    Self.unwritten + "The handler at LINE waited for its actor until the end of the trace.\n"),
                "\(text)")
            let later = try RecordedFile {
                let form = forms[1]
                Trace.adopt(form)
                form.source.subscribe { @MainActor [weak form] in form?.shown.value = $0 }
                form.source.value = 1
                onThread { Trace.stimulus("tap") { form.source.value = 2 } }
            }
            let known = try later.answer("Form.shown")
            #expect(
                known.contains("The handler at LINE, which writes to Form.shown, waited for its actor until the end"),
                "\(known)")
            withExtendedLifetime(forms) {}
        }

        // MARK: Commands that refuse

        private final class Login {
            let submit: Command<Int, Int>

            init(enabledIf isValid: Observable<Bool>) { submit = Command(enabledIf: isValid) { .just($0) } }
        }

        @Test(arguments: [true, false], [true, false])
        func `A disabled command is named, with its line, also if it never executed`(
            _ isAdopted: Bool, _ hasExecuted: Bool
        ) throws {
            let recorded = try RecordedFile {
                let (form, isValid) = (Form(), Observable(false))
                let login = Login(enabledIf: isValid)
                Trace.adopt(form)
                if isAdopted { Trace.adopt(login) }
                login.submit.values.bind(to: form.shown)
                login.submit.isExecuting.map { $0 ? 1 : 0 }.bind(to: form.other)
                if hasExecuted {
                    isValid.value = true
                    login.submit.execute(0)
                    isValid.value = false
                }
                Trace.stimulus("tap") { login.submit.execute(1) }
            }
            let text = try recorded.answer("Form.shown")
            let command = isAdopted ? "Login.submit" : "command"
            let way = isAdopted ? "Login.submit → Login.submit.values" : "command → emitter"
            #expect(text.contains("✗ \(command) emitted nothing: disabled (ID, LINE)\n"), "\(text)")
            #expect(text.contains("on its way: \(way) → Form.shown\n"), "\(text)")
            #expect(text.contains("→ \(command) must be enabled when it is asked to run"), "\(text)")
            if isAdopted {
                let busy = try recorded.answer("Form.other")
                let way = "Login.submit → Login.submit.isExecuting → current → map → Form.other"
                #expect(busy.contains("on its way: \(way)\n"), "\(busy)")
            }
        }

        @Test func `A refusal is not named for what the command does not publish`() throws {
            let text = try answer(
                { form in
                    let isValid = Observable(false)
                    // On one line, as the command's own emitters are.
                    let load = Command<Int, Int>(enabledIf: isValid) { .just($0) }, saved = Emitter<Int>()
                    form.kept = [load, saved]
                    saved.bind(to: form.shown)
                    form.taps.subscribe { [weak load] in load?.execute($0) }
                }, then: { $0.taps.emit(1) })
            #expect(!text.contains("disabled") && text.contains("must emit: emitter"), "\(text)")
        }
    }
}

extension RecordedFile {
    /// The answer without lines, times and the ids of events.
    fileprivate func answer(_ name: String, after stimulus: String? = nil) throws -> String {
        try answer(after: stimulus) { $0.label == name }
    }

    fileprivate func answer(after stimulus: String? = nil, _ isAsked: (TraceNode) -> Bool) throws -> String {
        let occasion = stimulus.map { Timeline.Occasion.stimulus(.text($0)) } ?? .last
        let reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        let nodes = topology.definitions.nodes.values.filter(isAsked).map(\.id)
        let result = try Timeline(reader).whyNot(WhyNot.Question(nodes), after: occasion)
        if let counted = try reader.countedWhyNot(topology, WhyNot.Question(nodes), after: occasion) {
            #expect(counted == result)
        }
        return WhyNotReport(result, topology, timeScale: TimeScale(reader.header)).text()
            .replacing(#/ WhyNotSentenceTests.swift:\d+( #\d+)?/#, with: "")
            .replacing(#/WeirTests/WhyNotSentenceTests.swift:\d+/#, with: "LINE")
            .replacing(#/\d+:\d+/#, with: "ID")
    }
}
