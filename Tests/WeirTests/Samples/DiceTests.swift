import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirDice

extension Everything {
    @MainActor @Suite struct DiceTests {
        /// A model that rolls `numbers`, one after the other.
        private func model(rolling numbers: [Int]) -> DiceModel {
            var rest = numbers[...]
            return DiceModel { rest.removeFirst() }
        }

        @Test func `Each roll updates the number`() {
            let model = model(rolling: [3, 6, 2])
            var heard: [Int] = []
            model.num.subscribe(initial: true) { heard.append($0) }
            for _ in 1...3 { model.roll() }
            #expect(heard == [1, 3, 6, 2])
        }

        @Test func `Rolling the same number again is no change`() {
            let model = model(rolling: [4, 4, 1])
            var heard: [Int] = []
            model.num.subscribe { heard.append($0) }
            for _ in 1...3 { model.roll() }
            #expect(heard == [4, 1])
        }

        @Test(arguments: [(35, 0), (36, 1), (37, 2)])
        func `The emitter fires with every roll from a sum of 36 on`(sum: Int, firings: Int) {
            let model = model(rolling: Array(repeating: 5, count: 7) + Array(repeating: 1, count: sum - 35))
            var count = 0
            model.thirtySix.subscribe { count += 1 }
            for _ in 0..<(7 + sum - 35) { model.roll() }
            #expect(count == firings)
        }

        @Test func `The label starts with the current number, the shout with the first roll`() {
            let model = model(rolling: [5])
            let view = DiceView()
            view.bind(to: model, on: .immediate)
            #expect(view.shown == "[1] ")
            view.tapRoll()
            #expect(view.shown == "[5] 5!!!")
        }

        @Test func `The screen is updated on its scheduler`() {
            let time = VirtualScheduler()
            let model = model(rolling: [5])
            let view = DiceView()
            view.bind(to: model, on: time)
            view.tapRoll()
            #expect(model.num.value == 5)
            #expect(view.shown == "[] ")
            time.runUntilIdle()
            #expect(view.shown == "[5] 5!!!")
        }

        @Test func `The demo shows this`() {
            var lines: [String] = []
            DiceDemo.use(on: .immediate) { lines.append($0) }
            #expect(
                lines == [
                    "[1] ", "[5] 5!!!", "[5] 5!!!", "[4] 4!!!", "[5] 5!!!", "[6] 6!!!", "[3] 3!!!", "[6] 6!!!",
                    "[4] 4!!! <36!>", "[4] 4!!!", "[3] 3!!! <36!>",
                ])
        }

        @Test func `A seeded die rolls every number, and the same ones again`() {
            let (one, two) = (DiceDemo.seededDie(7), DiceDemo.seededDie(7))
            let rolls = (1...600).map { _ in one() }
            #expect(rolls == (1...600).map { _ in two() })
            for number in 1...6 { #expect((70...130).contains(rolls.filter { $0 == number }.count)) }
            #expect(Set(rolls) == Set(1...6))
        }

        @Test func `Model and view leak nothing`() {
            weak var model: DiceModel?
            weak var view: DiceView?
            do {
                let (madeModel, madeView) = (self.model(rolling: [6]), DiceView())
                madeView.bind(to: madeModel, on: .immediate)
                madeView.tapRoll()
                (model, view) = (madeModel, madeView)
                #expect(model != nil && view != nil)
            }
            #expect(model == nil)
            #expect(view == nil)
        }

        @Test func `A trace tells how a roll reaches the label, and that an equal one does not`() throws {
            let recording = try record { DiceDemo.use(on: .immediate) }
            #expect(recording.emissions(of: "DiceModel.num") == [1, 5, 4, 5, 6, 3, 6, 4, 3].map(TraceValue.signed))
            #expect(recording.emissions(of: "DiceModel.thirtySix").count == 2)
            let taps = recording.story.split(separator: "stimulus tap Roll", omittingEmptySubsequences: false)
            #expect(taps.count == 10)
            let emitted = taps[1].filter { $0.contains(" = ") }.map { $0.drop { $0 == " " } }
            let named = emitted.filter { $0.hasPrefix("Dice") }
            #expect(named == ["DiceView.rollButtonTouched = ()", "DiceModel.num = 5"])
            // The number, on its way through the operators to label and shout.
            let values = emitted.compactMap { $0.split(separator: " ").last }
            #expect(values == ["()", "5", "5", "\"5\"", "\"5\"", "\"5!!!\"", "\"5!!!\""])
            #expect(
                taps[2].prefix(6) == [
                    "  DiceView.rollButtonTouched = ()", "    to closure", "    DiceModel.num suppressed: equal",
                    "    done", "stimulusEnded", "frame",
                ])
        }
    }
}
