import OpenCombine
import Weir

extension Workload {
    /// A subscription made and disposed.
    static let subjectSubscription = Workload(
        name: "subscribe-dispose", batch: 1_000, goals: (off: 0.20, traced: 0.25),
        make: { side, tally in
            if side == .openCombine {
                let subject = PassthroughSubject<Int, Never>()
                return { operations in
                    for _ in 0..<operations { subject.sink { tally.add($0) }.cancel() }
                }
            }
            let emitter = Emitter<Int>()
            return { operations in
                for _ in 0..<operations { emitter.subscribe { tally.add($0) }.dispose() }
            }
        }, expected: { _ in 0 })

    /// A subscription that is made, receives the current value, and is disposed.
    static let currentValueSubscription = Workload(
        name: "subscribe-to-current-value-dispose", batch: 1_000, goals: nil,
        make: { side, tally in
            if side == .openCombine {
                let subject = CurrentValueSubject<Int, Never>(1)
                return { operations in
                    for _ in 0..<operations { subject.sink { tally.add($0) }.cancel() }
                }
            }
            let observable = Observable(1)
            return { operations in
                for _ in 0..<operations { observable.subscribe(initial: true) { tally.add($0) }.dispose() }
            }
        }, expected: { $0 })
}
