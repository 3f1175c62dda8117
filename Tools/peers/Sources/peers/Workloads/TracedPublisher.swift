import OpenCombine
import WeirOpenCombine

extension Workload {
    /// What `.traced` costs a publisher of OpenCombine: bare, traced while nothing is recorded, and recorded.
    static let tracedPublisher = Workload(
        name: "traced-publisher", batch: 5_000, goals: nil,
        make: { side, tally in
            let subject = PassthroughSubject<Int, Never>()
            let mapped = subject.map { $0 &+ 1 }
            let subscription =
                side == .openCombine
                ? mapped.sink { tally.add($0) } : mapped.traced("mapped").sink { tally.add($0) }
            return { operations in
                for value in 0..<operations { subject.send(value) }
                withExtendedLifetime(subscription) {}
            }
        }, expected: { $0 })

    /// What `.traced` costs a subscription.
    static let tracedPublisherLifetime = Workload(
        name: "traced-publisher-make-cancel", batch: 1_000, goals: nil,
        make: { side, tally in
            let subject = PassthroughSubject<Int, Never>()
            let mapped = subject.map { $0 &+ 1 }
            let traced = mapped.traced("mapped")
            return { operations in
                for _ in 0..<operations {
                    let subscription =
                        side == .openCombine ? mapped.sink { tally.add($0) } : traced.sink { tally.add($0) }
                    subscription.cancel()
                }
            }
        }, expected: { _ in 0 })
}
