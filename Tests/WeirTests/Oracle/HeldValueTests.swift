import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

extension Everything {
    /// Values that operators hold back, drop at an end, or give to nobody who comes later.
    @MainActor @Suite struct HeldValueTests {
        private final class Model {
            let tapped = Emitter<Void>()
            let asked = Emitter<Int>()
            let other = Emitter<Int>()
            let stored = Observable(1)
            let shown = Observable(0)
            let bag = DisposeBag()
        }

        private final class Device: @unchecked Sendable { var hear: ((Int) -> Void)? }

        private func model(_ body: (Model) -> Void) throws -> RecordedFile {
            try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                body(model)
            }
        }

        /// The answer without the sites of nodes.
        private func ask(_ recorded: RecordedFile, _ node: String, after stimulus: String? = nil) throws -> String {
            try recorded.whyNot(node, after: stimulus).replacing(/\ HeldValueTests\.swift:\d+( #\d+)?/, with: "")
        }

        @Test func `Values in a buffer are named at an unrelated stimulus`() throws {
            let recorded = try model { model in
                model.asked.buffer(count: 3).map(\.count).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
                Trace.stimulus("stop") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown", after: "stop")
            #expect(text.contains("For it to change, this must emit: Model.asked."), "\(text)")
            #expect(text.contains("Held back on the way, from before the stimulus:"), "\(text)")
            #expect(text.contains("  buffer waits for more values (1:"), "\(text)")
            #expect(text.contains("→ Model.asked must emit more values until buffer is full, or complete."), "\(text)")
        }

        @Test func `A buffer that has given its values away holds none`() throws {
            let recorded = try model { model in
                model.asked.buffer(count: 1).map(\.count).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
                Trace.stimulus("stop") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown", after: "stop")
            #expect(!text.contains("Held back"), "\(text)")
        }

        @Test(arguments: [
            (
                CombineStrategy.first, "evaluates only the first change of an input (strategy `.first`)",
                "Use strategy `.every` if later changes must count."
            ),
            (.all, "waits for Model.stored", "Model.stored must change too, once (strategy `.all`)."),
        ])
        func `A combiner that does not evaluate says why`(_ strategy: CombineStrategy, _ fact: String, _ remedy: String)
            throws
        {
            let recorded = try model { model in
                let sum = Observable.combine(model.shown, model.stored, strategy: strategy) { $0 + $1 }
                Trace.adopt(sum, as: "sum")
                model.shown.value = 3
                Trace.stimulus("show") { model.shown.value = 4 }
            }
            let text = try ask(recorded, "sum", after: "show")
            #expect(text.contains(fact), "\(text)")
            #expect(text.contains("→ " + remedy), "\(text)")
        }

        @Test func `The last value waits for the completion of its source, not for another value`() throws {
            let recorded = try model { model in
                model.asked.last().bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
                Trace.stimulus("ask again") { model.asked.emit(2) }
                Trace.stimulus("stop") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown", after: "stop")
            #expect(text.contains("For it to change, this must complete: Model.asked."), "\(text)")
            #expect(text.contains("  last held a value"), "\(text)")
            let again = try ask(recorded, "Model.shown", after: "ask again")
            #expect(again.contains("it keeps until its source completes"), "\(again)")
            #expect(again.contains("→ Model.asked must complete."), "\(again)")
        }

        @Test func `Concat has not subscribed to what follows a signal that never completes`() throws {
            let recorded = try model { model in
                model.stored.current.concat(model.asked).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("  concat was still subscribed to current"), "\(text)")
            #expect(text.contains("must complete: concat subscribes to its next signal only then."), "\(text)")
        }

        @Test func `A flatMap that queues its signals names the one that it runs`() throws {
            let recorded = try model { model in
                model.tapped.scan(0) { count, _ in count + 1 }.flatMap(.concat) {
                    [asked = model.asked, other = model.other] in
                    $0 == 1 ? asked : other
                }
                .bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("one") { model.tapped.emit() }
                Trace.stimulus("two") { model.tapped.emit() }
                Trace.stimulus("ask") { model.other.emit(5) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("  flatMap was still subscribed to Model.asked"), "\(text)")
            #expect(
                text.contains("→ Model.asked must complete: flatMap subscribes to its next signal only then."),
                "\(text)")
        }

        @Test func `A share gives nothing to who subscribes later`() throws {
            let recorded = try model { model in
                let shared = model.asked.share()
                shared.subscribe { _ in }.disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
                Trace.stimulus("open") { shared.bind(to: model.shown).disposed(by: model.bag) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("✗ Model.shown subscribed to share"), "\(text)")
            #expect(text.contains("Its earlier values reach no later subscriber; `.replay(1)` gives it"), "\(text)")
        }

        @Test func `A share that has emitted nothing so far is not too late`() throws {
            let recorded = try model { model in
                let shared = model.asked.share()
                Trace.stimulus("open") { shared.bind(to: model.shown).disposed(by: model.bag) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("For it to change, this must emit: Model.asked."), "\(text)")
        }

        @Test func `What a sample held is lost with the completion of its source`() throws {
            let recorded = try model { model in
                model.asked.sample(on: model.tapped).map { $0 }.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
                Trace.stimulus("end") { model.asked.complete() }
            }
            let text = try ask(recorded, "Model.shown", after: "end")
            #expect(text.contains("✗ map emitted no value: Model.asked completed"), "\(text)")
            #expect(text.contains("  sample waits for Model.tapped (1:"), "\(text)")
        }

        @Test func `What a scheduler would have sampled is lost with the completion of its source`() throws {
            let clock = VirtualScheduler()
            let recorded = try model { model in
                model.asked.sample(every: .milliseconds(5), on: clock).map { $0 }.bind(to: model.shown).disposed(
                    by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
                Trace.stimulus("end") { model.asked.complete() }
            }
            let text = try ask(recorded, "Model.shown", after: "end")
            #expect(
                text.contains("✗ sample emitted nothing: it held the value, and dropped it when Model.asked completed"),
                "\(text)")
            #expect(text.contains("→ sample must emit the value before Model.asked ends."), "\(text)")
        }

        @Test func `A chain that ended names the operator that ended it`() throws {
            let recorded = try model { model in
                model.asked.take { $0 < 9 }.map { $0 }.share().bind(to: model.shown).disposed(by: model.bag)
                model.other.takeUntil(model.tapped).map { $0 }.bind(to: model.stored).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(40) }
                Trace.stimulus("tap") { model.tapped.emit() }
            }
            let shown = try ask(recorded, "Model.shown", after: "ask")
            #expect(shown.contains("✗ take emitted nothing: the condition of take(while:) did not hold"), "\(shown)")
            let stored = try ask(recorded, "Model.stored", after: "tap")
            #expect(
                stored.contains("it completed when Model.tapped emitted a value (1:")
                    || stored.contains("takeUntil completed when Model.tapped emitted"), "\(stored)")
            #expect(stored.contains("→ Model.tapped must emit its value later."), "\(stored)")
        }

        @Test func `Who subscribed too late is named, and not the end that came after that`() throws {
            let recorded = try model { model in
                Trace.stimulus("start") {
                    model.asked.emit(1)
                    model.asked.map { $0 }.bind(to: model.shown).disposed(by: model.bag)
                    model.asked.complete()
                }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("✗ map subscribed to Model.asked, after its last value"), "\(text)")
            #expect(!text.contains("must emit a value before it completes"), "\(text)")
        }

        @Test func `Each subscription to a cold source has a run of its own`() throws {
            let recorded = try model { model in
                let device = Device()
                let cold = Signal { subscriber in
                    device.hear = { subscriber.next($0) }
                    return nil
                }
                cold.bind(to: model.shown).disposed(by: model.bag)
                cold.bind(to: model.stored).disposed(by: model.bag)
                Trace.stimulus("ping") { device.hear?(12) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("✗ Model.shown got no value from its own run of source"), "\(text)")
            #expect(text.contains("with `.share()` one run serves all."), "\(text)")
        }

        @Test func `The node that a stimulus reached may be another one than the node that was heard`() throws {
            let recorded = try RecordedFile {
                let old = Model()
                let new = Model()
                let shown = Observable(0)
                Trace.adopt(shown, as: "shown")
                old.asked.take(1).bind(to: shown).disposed(by: old.bag)
                old.asked.emit(1)
                Trace.stimulus("ask") { new.asked.emit(2) }
            }
            let text = try ask(recorded, "shown", after: "ask")
            #expect(text.contains("The stimulus reached emitter"), "\(text)")
            #expect(text.contains(", on which it depended."), "\(text)")
        }

        @Test func `An equal value at the end of a chain points to where it came from`() throws {
            let recorded = try model { model in
                model.asked.map { _ in 0 }.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("`weir why` shows where this one came from: ask for 1:"), "\(text)")
        }

        @Test func `A later emission without a cause may be that of a task, at a node upstream`() throws {
            let recorded = try model { model in
                model.asked.skip(1).bind(to: model.shown).disposed(by: model.bag)
                model.other.bind(to: model.stored).disposed(by: model.bag)
                Trace.stimulus("tap") {}
                model.asked.emit(5)
                model.other.emit(6)
            }
            let text = try ask(recorded, "Model.shown", after: "tap")
            #expect(text.contains("Model.asked emitted 5 at 1:"), "\(text)")
            #expect(
                text.contains(
                    "or a completion handler in `Trace.carryingCause`. What followed: ask with --after 1:"),
                "\(text)")
            let direct = try ask(recorded, "Model.stored", after: "tap")
            #expect(direct.contains("It became 6 at 1:"), "\(direct)")
            #expect(direct.contains(", because Model.other emitted 6 (1:"), "\(direct)")
        }

        @Test func `The observable behind an operator that is waited for begins with current`() throws {
            let recorded = try model { model in
                model.asked.skipUntil(model.stored.filter { $0 > 0 }).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(
                text.contains(
                    "→ filter must emit a value; `.current` of Model.stored begins with the value that it has."),
                "\(text)")
        }

        @Test func `The handler that wrote an equal value is named`() throws {
            let recorded = try model { model in
                model.asked.subscribe { [shown = model.shown] _ in shown.value = 0 }.disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(5) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("      written by the handler at WeirTests/HeldValueTests.swift:"), "\(text)")
        }

        @Test func `Behind the first signal of a concat, nothing is said to follow`() throws {
            let recorded = try model { model in
                model.stored.current.take(1).concat(model.asked).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("tap") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("this must emit: Model.asked"), "\(text)")
            #expect(!text.contains("Held back"), "\(text)")
        }

        @Test func `A handler whose subscription had ended waits for nothing`() throws {
            let recorded = try model { model in
                model.asked.subscribe { [shown = model.shown] in shown.value = $0 }.dispose()
                Trace.stimulus("tap") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(!text.contains("waited for"), "\(text)")
        }

        @Test func `An end that an operator waits for is no reason, but the source that has not ended`() throws {
            let recorded = try model { model in
                model.asked.takeUntil(model.tapped).merge(model.other).reduce(0) { $0 + $1 }.bind(to: model.shown)
                    .disposed(by: model.bag)
                model.asked.emit(1)
                Trace.stimulus("close") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("For it to change, this must complete: Model.other."), "\(text)")
            #expect(text.contains("  reduce waits for the completion of merge"), "\(text)")
            #expect(!text.contains("later"), "\(text)")
        }

        @Test func `A timeout whose substitute completed is named`() throws {
            let clock = VirtualScheduler()
            let recorded = try model { model in
                model.asked.timeout(.milliseconds(5), on: clock) { .just(-1) }.bind(to: model.shown).disposed(
                    by: model.bag)
                clock.advance(by: .milliseconds(9))
                Trace.stimulus("ask") { model.asked.emit(1) }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(
                text.contains("timeout gave up: no value came in time, and source, which took its place, completed"),
                "\(text)")
            #expect(text.contains("→ A value must come before timeout gives up."), "\(text)")
        }

        @Test func `A value that still waits beside the change is named`() throws {
            let recorded = try model { model in
                model.asked.sample(on: model.tapped).bind(to: model.shown).disposed(by: model.bag)
                model.asked.emit(1)
                Trace.stimulus("beat") {
                    model.tapped.emit()
                    model.asked.emit(2)
                }
            }
            let text = try ask(recorded, "Model.shown", after: "beat")
            #expect(
                text.contains("A later value of the stimulus did not arrive: sample emitted nothing at 1:"), "\(text)")
        }

        @Test func `A handler that waits for its first value until the end is named where nothing wrote`() throws {
            let recorded = try model { model in
                model.asked.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("tap") { model.tapped.emit() }
            }
            let text = try ask(recorded, "Model.shown")
            #expect(text.contains("The handler at "), "\(text)")
            #expect(text.contains(" waited for Model.asked since 1:"), "\(text)")
        }
    }
}
