import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Remedies that are neither operators nor strategies, or that save evaluations only.
    @MainActor @Suite struct OtherRemediesWhatIfTests {
        /// Records the program and tries the remedies.
        private func whatIf(
            _ cures: [WhatIfExperiment.Cure], frame: UInt64 = 16_700_000, _ program: (Screen) -> Void
        ) throws -> WhatIf {
            let file = try TemporaryTrace()
            let screen = Screen()
            try Trace.start(writingTo: file.path, clock: screen.clock, snapshots: .none)
            program(screen)
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            var options = RedundancyOptions()
            options.frame = frame
            return WhatIf(reader, topology, remedies: try cures.map { try $0.remedy(topology) }, options: options)
        }

        private func tried(_ kind: Remedy.Kind) throws -> WhatIf {
            let file = try TemporaryTrace()
            let screen = Screen()
            try Trace.start(writingTo: file.path, clock: screen.clock, snapshots: .none)
            let number = Observable(0)
            number.subscribe { _ in screen.show() }
            number.value = 1
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            let remedy = Remedy(
                kind, nodes: topology.nodeIDs, subscriptions: topology.subscriptions.map(\.id), site: nil)
            return WhatIf(reader, topology, remedies: [remedy, Remedy(.settled, nodes: [99], site: nil)])
        }

        @Test(arguments: [Remedy.Kind.cutLoop, .cutLaterLoop, .dropStale, .handleFailure])
        func `of some remedies nothing can be said`(_ kind: Remedy.Kind) throws {
            let whatIf = try tried(kind)
            #expect(!whatIf.outcomes[0].isComputable)
            #expect(whatIf.outcomes[0].refreshes == 1)
            #expect(whatIf.outcomes[1] == whatIf.recorded, "ids that the trace does not define change nothing")
            #expect(whatIf.together == whatIf.recorded)
        }

        /// The reasons for which turns of a handler that writes `log` could not be computed; `others` writes besides.
        private func lightened(
            microseconds: UInt64 = 7, _ others: @escaping (_ number: Observable<Int>, _ log: Observable<Int>) -> Void
        ) throws -> [WhatIf.Reason] {
            let whatIf = try whatIf([.lightenHandler("Model.number")]) { screen in
                let (number, log) = (Observable(0), Observable(0))
                Trace.adopt(Numbered(number: number), as: "Model")
                number.subscribe { [weak log] in
                    screen.show(microseconds)
                    log?.value = $0
                }
                log.subscribe { _ in screen.show(1) }
                Trace.stimulus("set") {
                    number.value = 2
                    others(number, log)
                }
                screen.clock.advance(nanoseconds: 10_000)
                Trace.stimulus("log") { log.value = 3 }
            }
            #expect(whatIf.outcomes[0].refreshes == whatIf.recorded.refreshes)
            return whatIf.outcomes[0].uncomputed.map(\.reason)
        }

        private final class Numbered {
            let number: Observable<Int>
            init(number: Observable<Int>) { self.number = number }
        }

        @Test func `a lighter handler is called as often, whether or not what it writes comes later`() throws {
            #expect(try lightened { _, _ in } == [])
            #expect(try lightened { number, _ in number.value = 1 } == [])
        }

        @Test func `what a lighter handler writes may come too late`() throws {
            #expect(try lightened { _, log in log.value = 4 } == [.overtaken], "in the rest of the stimulus")
            #expect(try lightened(microseconds: 11) { _, _ in } == [.overtaken], "before the work is done")
            #expect(try lightened { number, _ in batch { number.value = 1 } } == [], "after the batch")
        }

        @Test func `a lighter handler that does more than write`() throws {
            let whatIf = try whatIf([.lightenHandler("observable")]) { screen in
                let (number, log) = (Observable(0), Observable(0))
                number.subscribe { [weak log] value in
                    screen.show()
                    batch { log?.value = value }
                }
                number.value = 1
                withExtendedLifetime(log) {}
            }
            #expect(whatIf.outcomes[0].uncomputed.map(\.reason) == [.delayedHandler])
        }

        @Test func `a single write to a node in a batch may come without it`() throws {
            for writes in 1...2 {
                let whatIf = try whatIf([.deliver("observable")]) { screen in
                    let count = Observable(0)
                    let handler = count.subscribe { _ in screen.show() }
                    Trace.stimulus("set") { count.value = 1 }
                    elsewhere { batch { for value in 1...writes { count.value = 1 + value } } }
                    Trace.stimulus("end") { handler.dispose() }
                }
                #expect(whatIf.outcomes[0].uncomputed.map(\.reason) == (writes == 1 ? [] : [.delayedHandler]))
            }
        }

        private func elsewhere(_ body: @escaping @Sendable () -> Void) {
            let done = DispatchSemaphore(value: 0)
            Thread {
                body()
                done.signal()
            }.start()
            done.wait()
        }

        @Test func `a value that a settling combiner waits for with others cannot come later`() throws {
            let whatIf = try whatIf([.deliver("Observed.status")]) { screen in
                let (price, status) = (Observable(0), Observable(0))
                Trace.adopt(Observed(status: status))
                let both = Observable.combine(price, status, strategy: .settled) { $0 + $1 }
                let shown = both.subscribe { _ in screen.show() }
                let handler = price.subscribe { [weak status] in
                    screen.show()
                    status?.value = $0
                }
                status.value = 1
                elsewhere { price.value = 5 }
                for subscription in [shown, handler] { subscription.dispose() }
            }
            #expect(whatIf.outcomes[0].uncomputed.map(\.reason) == [.overtaken])
        }

        @Test func `what a batch gives cannot come later`() throws {
            let whatIf = try whatIf([.deliver("emitter")]) { screen in
                let (taps, count) = (Emitter<Int>(), Observable(0))
                let handlers = [
                    taps.subscribe { [weak count] in
                        screen.show()
                        count?.value = $0
                        count?.value = $0 + 1
                    }, count.subscribe { _ in screen.show() },
                ]
                taps.emit(1)
                elsewhere { batch { taps.emit(5) } }
                for subscription in handlers { subscription.dispose() }
            }
            #expect(whatIf.outcomes[0].uncomputed.map(\.reason).contains(.delayedHandler))
        }

        private final class Observed {
            let status: Observable<Int>
            init(status: Observable<Int>) { self.status = status }
        }

        @Test func `failures that a handler receives besides change no figure`() throws {
            for isBound in [false, true] {
                var remedy: Remedy?
                let whatIf = try WhatIfExperiment { topology in
                    let handlers = topology.subscriptions.filter {
                        topology.definitions.nodes[$0.source]?.kind == .emitter
                    }
                    remedy = Remedy(.handleFailure, nodes: [], subscriptions: handlers.map(\.id), site: nil)
                    remedy?.isOfHandlers = !isBound
                    return remedy.map { [$0] } ?? []
                } program: { isCured, screen in
                    struct Offline: Error {}
                    let (price, shown) = (Emitter<Int>(), Observable(0))
                    if isBound {
                        price.bind(to: shown)
                    } else if isCured {
                        price.subscribeEvents { if case .next = $0 { screen.show() } }
                    } else {
                        price.subscribe { _ in screen.show() }
                    }
                    price.emit(1)
                    price.fail(Offline())
                }
                #expect(remedy?.isComputable == !isBound)
                if !isBound { whatIf.expectExact(saves: false) }
            }
        }

        @Test func `a throttle leaves the first refresh, and the last one of each interval`() throws {
            try WhatIfExperiment([.throttle("observable")]) { isCured, screen in
                let time = VirtualScheduler(clock: screen.clock)
                let number = Observable(0)
                let shown = isCured ? number.throttle(.microseconds(16_700), on: time) : number
                let handler = shown.subscribe { screen.show(UInt64($0)) }
                for (value, wait) in [(1, 1), (2, 3), (3, 20), (4, 2), (5, 40), (6, 40), (7, 1), (8, 60)] {
                    number.value = value
                    time.advance(by: .milliseconds(wait))
                    Trace.frame()
                }
                handler.dispose()
            }.expectExact()
        }

        @Test func `a value that waits is lost with its subscription, and comes with a completion`() throws {
            for isCompleted in [false, true] {
                try WhatIfExperiment([.throttle("emitter")]) { isCured, screen in
                    let time = VirtualScheduler(clock: screen.clock)
                    let number = Emitter<Int>()
                    let shown = isCured ? number.throttle(.microseconds(16_700), on: time) : number
                    let handler = shown.subscribe { screen.show(UInt64($0)) }
                    for value in 1...3 {
                        number.emit(value)
                        time.advance(by: .milliseconds(1))
                    }
                    if isCompleted { number.complete() } else { handler.dispose() }
                    time.advance(by: .milliseconds(100))
                }.expectExact()
            }
        }

        @Test func `the interval of a throttle is a frame of the given length`() throws {
            // At 1, 3, 6, 10 … microseconds a handler ends, and the next refresh begins.
            let whatIf = try whatIf([.throttle("observable")], frame: 5000) { screen in
                let number = Observable(0)
                number.subscribe { screen.show(UInt64($0)) }
                for value in 1...7 { number.value = value }
            }
            // They begin at 0, 1, 3, 6, 10, 15 and 21; the second one is replaced by the third.
            #expect(whatIf.recorded.refreshes == 7)
            #expect(whatIf.together.refreshes == 6)
            #expect(whatIf.together.handlerTicks == (1 + 3 + 4 + 5 + 6 + 7) * 1000)
        }

        @Test func `a handler that carries values on cannot be throttled on paper`() throws {
            let whatIf = try whatIf([.throttle("observable")]) { screen in
                let number = Observable(0)
                let copy = Emitter<Int>()
                number.subscribe {
                    screen.show()
                    copy.emit($0)
                }
                number.value = 1
                number.value = 2
            }
            #expect(whatIf.together.uncomputed.map(\.reason) == [.delayedHandler])
            #expect(whatIf.together.uncomputed.map(\.turns) == [2])
            #expect(whatIf.together.refreshes == 2, "what cannot be computed counts as it was recorded")
        }

        @Test func `what is disposed with its owner hears nothing after its release`() throws {
            final class View {
                let name: Observer<Int>
                init(_ screen: Screen, _ copy: Observable<Int>) {
                    name = Observer {
                        screen.show()
                        copy.value = $0
                    }
                }
            }
            let whatIf = try whatIf([.dispose("observable")]) { screen in
                let number = Observable(0)
                let copy = Observable(0)
                var view: View? = View(screen, copy)
                if let view {
                    Trace.adopt(view)
                    view.name.subscribe(to: number)
                }
                let double = Observable.combine(copy) { $0 * 2 }
                double.subscribe { _ in screen.show(3) }
                number.value = 1
                Trace.frame()
                view = nil
                Trace.frame()
                number.value = 2
                number.value = 3
                copy.value = 9
            }
            #expect(whatIf.recorded.refreshes == 7)
            #expect(whatIf.together.refreshes == 3)
            #expect(whatIf.together.handlerTicks == 13_000)
            #expect(whatIf.together.evaluations == 2)
            #expect(whatIf.together.uncomputed == [])
        }

        @Test func `a release counts from where it is recorded, also within a turn`() throws {
            final class View {}
            let whatIf = try whatIf([.dispose("observable")]) { screen in
                let number = Observable(0)
                for value in 1...3 {
                    do {
                        let view = View()
                        Trace.adopt(view)
                        number.subscribe(owner: view) { _ in screen.show() }
                    }
                    // Recording notices the release only when it records a delivery to the view.
                    number.value = value
                }
                let view = View()
                Trace.adopt(view)
                withExtendedLifetime(view) {
                    number.subscribe(owner: view) { _ in screen.show() }
                    number.value = 4
                }
            }
            #expect(whatIf.recorded.refreshes == 10)
            #expect(whatIf.together.refreshes == 1)
            #expect(whatIf.together.uncomputed == [])
        }

        @Test func `what is made only when it is shown is not evaluated before`() throws {
            let whatIf = try whatIf([.makeLater("combiner")]) { screen in
                let number = Observable(0)
                let double = Observable.combine(number) { $0 * 2 }
                for value in 1...4 { number.value = value }
                double.subscribe { _ in screen.show() }
                for value in 1...3 { number.value = value }
            }
            #expect(whatIf.recorded.evaluations == 7)
            #expect(whatIf.together.evaluations == 3)
            #expect(whatIf.together.refreshes == whatIf.recorded.refreshes)
        }

        @Test func `a narrowed input spares evaluations that change nothing`() throws {
            let whatIf = try whatIf([.narrowInput("combiner")]) { screen in
                let number = Observable(0)
                let isLarge = Observable.combine(number) { $0 > 2 }
                isLarge.subscribe { _ in screen.show() }
                for value in 1...5 { number.value = value }
            }
            #expect(whatIf.recorded.evaluations == 5)
            #expect(whatIf.together.evaluations == 1)
            #expect(whatIf.together.refreshes == 1)
        }

        @Test func `of several remedies each is reported for itself, and all together`() throws {
            let cures: [WhatIfExperiment.Cure] = [
                .narrowInput("combiner"), .throttle("observable"), .removeDuplicates("map"),
            ]
            let whatIf = try whatIf(cures) { screen in
                let number = Observable(0)
                number.subscribe { _ in screen.show(1) }
                let isLarge = Observable.combine(number) { $0 > 2 }
                let half = number.map { $0 / 2 }.subscribe { _ in screen.show(10) }
                for value in 1...5 { number.value = value }
                half.dispose()
                withExtendedLifetime(isLarge) {}
            }
            #expect(whatIf.recorded.refreshes == 10)
            #expect(whatIf.outcomes.map(\.refreshes) == [10, 6, 8])
            #expect(whatIf.together.refreshes == 4)
            #expect(whatIf.outcomes.map(\.evaluations) == [6, 10, 10])
            #expect(whatIf.together.handlerTicks == 31_000)
        }
    }
}
