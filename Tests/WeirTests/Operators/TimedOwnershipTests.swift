import Dispatch
import Testing
import Weir
import WeirTesting

/// Ownership while work is pending in a scheduler.
extension Everything {
    @MainActor @Suite struct TimedOwnershipTests {
        final class Payload: Sendable {}

        nonisolated static let short = DispatchTimeInterval.milliseconds(1)

        /// Each timed operator, applied to a signal of objects.
        nonisolated(unsafe) static let operators:
            [(name: String, apply: (Signal<Payload>, any Scheduler) -> Signal<Void>)] = [
                ("deliver", { $0.deliver(on: $1).map { _ in } }),
                ("subscribe", { $0.subscribe(on: $1).map { _ in } }),
                ("delay", { $0.delay(short, on: $1).map { _ in } }),
                ("debounce", { $0.debounce(short, on: $1).map { _ in } }),
                ("throttle", { $0.throttle(short, on: $1).map { _ in } }),
                ("timeout", { $0.timeout(short, on: $1).map { _ in } }),
                ("buffer", { $0.buffer(time: short, on: $1).map { _ in } }),
                ("sample", { $0.sample(every: short, on: $1).map { _ in } }),
            ]

        @Test func `Disposal lets go of waiting values and of the handler at once`() {
            for (name, apply) in Self.operators {
                let time = VirtualScheduler()
                let source = Emitter<Payload>()
                var heard = 0
                weak var payload: Payload?
                weak var captured: Payload?
                let subscription: Disposable
                do {
                    let (first, second, mine) = (Payload(), Payload(), Payload())
                    (payload, captured) = (second, mine)
                    subscription = apply(source, time).subscribe {
                        heard += 1
                        withExtendedLifetime(mine) {}
                    }
                    source.emit(first)
                    source.emit(second)
                }
                #expect(captured != nil, "\(name)")
                subscription.dispose()
                #expect(payload == nil && captured == nil, "\(name)")
                let before = heard
                time.runUntilIdle()
                #expect(heard == before && time.isIdle, "\(name)")
            }
        }

        @Test func `What is scheduled is cancelled by disposal, where it waits for a time`() {
            for (name, apply) in Self.operators where !["deliver", "throttle"].contains(name) {
                let time = VirtualScheduler()
                let source = Emitter<Payload>()
                let subscription = apply(source, time).subscribe {}
                source.emit(Payload())
                #expect(time.isIdle == false || name == "subscribe", "\(name)")
                subscription.dispose()
                #expect(time.isIdle, "\(name)")
            }
        }

        @Test func `A chain that is dropped with its source and its scheduler's work leaks nothing`() {
            for stops in [true, false] {
                for (name, apply) in Self.operators {
                    weak var weakSource: Emitter<Payload>?
                    weak var weakTime: VirtualScheduler?
                    weak var captured: Payload?
                    do {
                        let time = VirtualScheduler()
                        let source = Emitter<Payload>()
                        let mine = Payload()
                        (weakSource, weakTime, captured) = (source, time, mine)
                        apply(source, time).subscribe { withExtendedLifetime(mine) {} }
                        if name == "subscribe" { time.runUntilIdle() }
                        source.emit(Payload())
                        if stops { time.stop() } else { time.runUntilIdle() }
                    }
                    #expect(weakSource == nil && weakTime == nil && captured == nil, "\(name), stopped: \(stops)")
                }
            }
        }

        @Test func `A chain that has completed holds nothing, though its parts are held`() {
            for (name, apply) in Self.operators {
                let time = VirtualScheduler()
                let source = Emitter<Payload>()
                weak var captured: Payload?
                weak var payload: Payload?
                let subscription: Disposable
                do {
                    let (mine, value) = (Payload(), Payload())
                    (captured, payload) = (mine, value)
                    subscription = apply(source, time).subscribe { withExtendedLifetime(mine) {} }
                    if name == "subscribe" { time.runUntilIdle() }
                    source.emit(value)
                    source.complete()
                    time.runUntilIdle()
                }
                #expect(captured == nil, "\(name)")
                #expect(payload == nil, "\(name)")
                subscription.dispose()
                #expect(captured == nil, "\(name)")
            }
        }

        @Test func `A source that is released while values travel: they arrive, or are lost, as documented`() {
            let arriving = ["deliver", "delay", "subscribe", "timeout", "throttle"]
            for (name, apply) in Self.operators {
                let time = VirtualScheduler()
                var heard = 0
                weak var weakSource: Emitter<Payload>?
                do {
                    let source = Emitter<Payload>()
                    weakSource = source
                    apply(source, time).subscribe { heard += 1 }
                    if name == "subscribe" { time.runUntilIdle() }
                    source.emit(Payload())
                }
                #expect(weakSource == nil, "\(name)")
                time.runUntilIdle()
                #expect(heard == (arriving.contains(name) ? 1 : 0), "\(name)")
            }
        }

        @Test func `A handler may dispose its subscription while it is delivered to`() {
            for (name, apply) in Self.operators {
                let time = VirtualScheduler()
                let source = Emitter<Payload>()
                let bag = DisposeBag()
                var heard = 0
                apply(source, time).subscribe {
                    heard += 1
                    bag.dispose()
                }.disposed(by: bag)
                if name == "subscribe" { time.runUntilIdle() }
                for _ in 1...3 {
                    source.emit(Payload())
                    source.emit(Payload())
                    time.runUntilIdle()
                }
                #expect(heard == 1, "\(name)")
                #expect(time.isIdle, "\(name)")
            }
        }
    }
}
