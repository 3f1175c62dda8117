import OpenCombine
import Weir

extension Workload {
    /// An event to one subscriber.
    static let subject = Workload(
        name: "subject", batch: 10_000, goals: (off: 0.22, traced: 0.35),
        make: { side, tally in makeSubject(side, tally, subscribers: 1) }, expected: { $0 })

    /// An event to a hundred subscribers.
    static let subjectFanOut = Workload(
        name: "subject-to-100", batch: 100, goals: (off: 0.05, traced: 0.13),
        make: { side, tally in makeSubject(side, tally, subscribers: 100) }, expected: { $0 * 100 })
}

private func makeSubject(_ side: Side, _ tally: Tally, subscribers: Int) -> (Int) -> Void {
    if side == .openCombine {
        let subject = PassthroughSubject<Int, Never>()
        let subscriptions = (0..<subscribers).map { _ in subject.sink { tally.add($0) } }
        return { operations in
            for value in 0..<operations { subject.send(value) }
            withExtendedLifetime(subscriptions) {}
        }
    }
    let emitter = Emitter<Int>()
    let subscriptions = (0..<subscribers).map { _ in emitter.subscribe { tally.add($0) } }
    return { operations in
        for value in 0..<operations { emitter.emit(value) }
        withExtendedLifetime(subscriptions) {}
    }
}
