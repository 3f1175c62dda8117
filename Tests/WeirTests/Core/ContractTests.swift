import Dispatch
import Foundation
import Testing
import Weir
import WeirTesting

/// Tests the promises and pictures of 'What happens when' and 'Privacy'; the pictures are the output of `weir events`.
extension Everything {
    @MainActor @Suite struct ContractTests {
        /// Fails unless the page shows the output of a run.
        private func expectPicture(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
            let pictures = try ["WhatHappens", "Privacy"].flatMap {
                try DocumentationPage("Sources/Weir/Weir.docc/\($0).md").pictures
            }
            #expect(
                pictures.contains(lines), "not on the pages:\n\(lines.joined(separator: "\n"))",
                sourceLocation: sourceLocation)
        }

        private final class Model {
            let level = Observable(0)
            let steps = Emitter<Int>()
            let secret = Observable("", privacy: .private)
        }

        // MARK: Writing while a value is delivered

        @Test func `A write inside a handler overtakes the delivery it interrupts`() throws {
            var heard: [Int] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    let level = model.level
                    level.subscribe(file: "View.swift", line: 1) { if $0 == 1 { level.value = 2 } }
                    level.subscribe(file: "View.swift", line: 2) { heard.append($0) }
                    Trace.stimulus("set 1") { level.value = 1 }
                    level.value = 3
                }.through("stimulus ended"))
            #expect(heard == [2, 3])
        }

        @Test func `An event that a handler emits reaches each subscriber after the event at hand`() throws {
            var heard: [Int] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    let steps = model.steps
                    steps.subscribe(file: "View.swift", line: 1) { if $0 == 1 { steps.emit(2) } }
                    steps.subscribe(file: "View.swift", line: 2) { heard.append($0) }
                    Trace.stimulus("emit 1") { steps.emit(1) }
                    steps.emit(3)
                }.through("stimulus ended"))
            #expect(heard == [1, 2, 3])
        }

        // MARK: Subscribing and disposing while a value is delivered

        @Test func `Who is disposed during a delivery is passed over, who subscribes waits for the next`() throws {
            var heard: [String] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    let steps = model.steps
                    var second: Disposable?
                    steps.subscribe(file: "View.swift", line: 1) { step in
                        guard step == 1 else { return }
                        second?.dispose()
                        steps.subscribe(file: "View.swift", line: 3) { heard.append("third \($0)") }
                    }
                    second = steps.subscribe(file: "View.swift", line: 2) { heard.append("second \($0)") }
                    Trace.stimulus("emit 1") { steps.emit(1) }
                    steps.emit(2)
                }.through("stimulus ended"))
            #expect(heard == ["third 2"])
        }

        // MARK: Threads

        @Test(.timeLimit(.minutes(15)))
        nonisolated func `While a handler does not return, other threads write, subscribe and dispose`() throws {
            let isInside = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
            let hasLeft = DispatchSemaphore(value: 0)
            let heard = Locked<[Int]>([])
            let witnessed = Locked<[Int]>([])
            let level = Observable(0)
            let recording = try record {
                level.subscribe { value in
                    guard value == 1 else { return }
                    isInside.signal()
                    mayLeave.wait()
                }
                level.subscribe { value in witnessed.change { $0.append(value) } }
                DispatchQueue(label: "stuck").async {
                    level.value = 1
                    hasLeft.signal()
                }
                isInside.wait()
                let later = level.subscribe { value in heard.change { $0.append(value) } }
                level.value = 2
                later.dispose()
                level.value = 3
                #expect(level.value == 3)
            }
            mayLeave.signal()
            hasLeft.wait()
            #expect(heard.value.isEmpty, "it was disposed before the thread that delivers could call it")
            #expect(
                witnessed.value == [3],
                "the last value reaches the others when the handler has returned; 2 is superseded")
            // One delivery began during the recording, and none has ended.
            #expect(recording.count(.deliveryBegan) == 1)
            #expect(recording.count(.deliveryEnded) == 0)
        }

        // MARK: Ends

        @Test func `What comes after the end is dropped, and who comes after it hears the end`() throws {
            var heard: [Event<Int>] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    model.steps.subscribeEvents(file: "View.swift", line: 1) { heard.append($0) }
                    Trace.stimulus("finish") {
                        model.steps.emit(1)
                        model.steps.complete()
                        model.steps.emit(2)
                        model.steps.subscribeEvents(file: "View.swift", line: 2) { heard.append($0) }
                    }
                }.through("stimulus ended"))
            #expect(heard == [.next(1), .completed, .completed])
        }

        @Test func `The release of a source ends the subscription, and no handler is called`() throws {
            var heard: [Event<Int>] = []
            nonisolated(unsafe) var isOver = false
            try expectPicture(
                try eventLines {
                    var model: Model? = Model()
                    if let model { Trace.adopt(model) }
                    _ = model?.steps.onEvent(disposed: { isOver = true }, file: "Model.swift", line: 1) { _ in }
                        .subscribeEvents(file: "View.swift", line: 1) { heard.append($0) }
                    Trace.stimulus("close") { model = nil }
                }.filter { !$0.contains("Model.level") && !$0.contains("Model.secret") }.through("stimulus ended"))
            #expect(heard.isEmpty)
            #expect(isOver)
        }

        @Test func `A failure that no handler receives ends the subscription, and a trace says so`() throws {
            struct Offline: Error {}
            var heard: [Int] = []
            try expectPicture(
                try eventLines(values: .described(limit: 100)) {
                    let model = Model()
                    Trace.adopt(model)
                    model.steps.map(file: "Model.swift", line: 1) { step in
                        if step == 2 { throw Offline() }
                        return step
                    }.subscribe(file: "View.swift", line: 1) { heard.append($0) }
                    Trace.stimulus("load") { model.steps.emit(2) }
                    model.steps.emit(3)
                }.through("stimulus ended"))
            #expect(heard.isEmpty)
        }

        // MARK: Ownership

        @Test func `A handler that captures the owner of its Disposable strongly closes a cycle until it is disposed`()
        {
            final class Screen {
                let bag = DisposeBag()
                func show(_ value: Int) {}
            }
            for isWeak in [true, false] {
                let level = Observable(0)
                var screen: Screen? = Screen()
                weak let watched = screen
                if let screen {
                    if isWeak {
                        level.subscribe { [weak screen] in screen?.show($0) }.disposed(by: screen.bag)
                    } else {
                        level.subscribe { screen.show($0) }.disposed(by: screen.bag)
                    }
                }
                screen = nil
                #expect((watched == nil) == isWeak)
                watched?.bag.dispose()
                #expect(watched == nil)
            }
        }

        // MARK: Turns

        private final class Basket {
            let count = Observable(0)
            let net: Combiner<Int>
            let tax: Combiner<Int>
            let total: Combiner<Int>

            init(_ strategy: CombineStrategy) {
                net = Observable.combine(count, file: "Model.swift", line: 1) { $0 * 100 }
                tax = Observable.combine(count, file: "Model.swift", line: 2) { $0 * 7 }
                total = Observable.combine(net, tax, strategy: strategy, file: "Model.swift", line: 3) { $0 + $1 }
            }
        }

        @Test func `What is settled is computed once, after everything that it depends on`() throws {
            var shown: [Int] = []
            try expectPicture(
                try eventLines {
                    let basket = Basket(.settled)
                    Trace.adopt(basket)
                    basket.total.subscribe(file: "View.swift", line: 1) { shown.append($0) }
                    Trace.stimulus("add") { basket.count.value = 1 }
                }.through("stimulus ended"))
            #expect(shown == [107])
        }

        @Test func `What answers every update shows a total that was never true`() throws {
            var shown: [Int] = []
            let basket = Basket(.every)
            basket.total.subscribe { shown.append($0) }
            basket.count.value = 1
            #expect(shown == [100, 107])
        }

        @Test func `A batch is one turn: each value goes out once, at its end`() throws {
            var heard: [Int] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    model.level.subscribe(file: "View.swift", line: 1) { heard.append($0) }
                    Trace.stimulus("reset") {
                        batch {
                            model.level.value = 1
                            #expect(model.level.value == 1)
                            model.level.value = 2
                            model.steps.emit(1)
                        }
                    }
                }.through("stimulus ended"))
            #expect(heard == [2])
        }

        @Test func `What a scheduler runs is a turn of its own, with its cause`() throws {
            let scheduler = VirtualScheduler()
            var heard: [Int] = []
            try expectPicture(
                try eventLines {
                    let model = Model()
                    Trace.adopt(model)
                    model.level.deliver(on: scheduler, file: "Model.swift", line: 1)
                        .subscribe(file: "View.swift", line: 1) { heard.append($0) }
                    Trace.stimulus("set 1") { model.level.value = 1 }
                    #expect(heard.isEmpty)
                    scheduler.runUntilIdle()
                }.through("hop ended"))
            #expect(heard == [1])
        }

        // MARK: Privacy

        @Test func `What is made of a private value is private, until it is disclosed`() throws {
            let lines = try eventLines {
                let model = Model()
                Trace.adopt(model)
                let count = Observable.combine(model.secret, file: "Model.swift", line: 1) { $0.count }
                let copy = Observable("", file: "Model.swift", line: 2)
                model.secret.bind(to: copy, file: "Model.swift", line: 3)
                model.secret.map(file: "Model.swift", line: 4) { $0.count }
                    .subscribe(file: "View.swift", line: 1) { _ in }
                model.secret.map(file: "Model.swift", line: 5) { $0.count >= 8 }
                    .disclosed(file: "Model.swift", line: 6).subscribe(file: "View.swift", line: 2) { _ in }
                Trace.stimulus("type") { model.secret.value = "open sesame" }
                withExtendedLifetime(count) {}
            }.through("stimulus ended")
            try expectPicture(lines)
        }

        @Test func `A private signal's error stays out of a trace, and what several sources make is private if one is`()
            throws
        {
            struct Refused: Error { let password: String }
            let recording = try record(values: .described(limit: 100)) {
                let secret = Emitter<String>(privacy: .private)
                let open = Emitter<String>()
                open.merge(secret).subscribe { _ in }
                open.flatMap(.merge) { _ in secret }.subscribe { _ in }
                open.takeUntil(secret).subscribe { _ in }
                let scheduler = VirtualScheduler()
                open.timeout(.seconds(1), on: scheduler) { secret }.subscribe { _ in }
                open.emit("open")
                scheduler.advance(by: .seconds(1))
                secret.emit("sesame")
                secret.fail(Refused(password: "sesame"))
            }
            let values = recording.events.filter { [.emitted, .failed].contains($0.kind) }.map { "\($0.value)" }
            #expect(!values.contains { $0.contains("sesame") })
            // The values of `open`; of `takeUntil`, which the secret only ends; and of `timeout`, until the secret takes over.
            #expect(values.filter { $0.contains("open") }.count == 3)
        }
    }
}

extension [String] {
    /// The lines up to and including `last`.
    fileprivate func through(_ last: String) -> [String] { firstIndex(of: last).map { Array(self[...$0]) } ?? [] }
}
