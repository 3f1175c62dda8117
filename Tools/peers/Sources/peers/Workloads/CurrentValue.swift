import OpenCombine
import Weir

extension Workload {
    /// A new value to one subscriber.
    static let currentValue = Workload(
        name: "current-value", batch: 10_000, goals: nil,
        make: { side, tally in makeCurrentValue(side, tally, subscribers: 1) }, expected: { $0 })

    /// A new value to a hundred subscribers.
    static let currentValueFanOut = Workload(
        name: "current-value-to-100", batch: 100, goals: nil,
        make: { side, tally in makeCurrentValue(side, tally, subscribers: 100) }, expected: { $0 * 100 })
}

/// Each value differs from the last, so that none is suppressed; neither side delivers the first one to anyone.
private func makeCurrentValue(_ side: Side, _ tally: Tally, subscribers: Int) -> (Int) -> Void {
    if side == .openCombine {
        let subject = CurrentValueSubject<Int, Never>(-1)
        let subscriptions = (0..<subscribers).map { _ in
            subject.sink { if $0 >= 0 { tally.add($0) } }
        }
        return { operations in
            for value in 0..<operations { subject.value = value }
            withExtendedLifetime(subscriptions) {}
        }
    }
    let observable = Observable(-1)
    let subscriptions = (0..<subscribers).map { _ in
        observable.subscribe { if $0 >= 0 { tally.add($0) } }
    }
    return { operations in
        for value in 0..<operations { observable.value = value }
        withExtendedLifetime(subscriptions) {}
    }
}
