import OpenCombine
import Weir

extension Workload {
    /// A value that passes three operators.
    static let chain = Workload(
        name: "map-filter-map", batch: 5_000, goals: (off: 0.25, traced: 0.45),
        make: { side, tally in
            if side == .openCombine {
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.map { $0 &+ 1 }.filter { $0 != -1 }.map { $0 &* 2 }.sink { tally.add($0) }
                return { operations in
                    for value in 0..<operations { subject.send(value) }
                    withExtendedLifetime(subscription) {}
                }
            }
            let emitter = Emitter<Int>()
            emitter.map { $0 &+ 1 }.filter { $0 != -1 }.map { $0 &* 2 }.subscribe { tally.add($0) }
            return { operations in
                for value in 0..<operations { emitter.emit(value) }
            }
        }, expected: { $0 })

    /// One source, two paths, joined: each value arrives once, without a glitch.
    static let diamond = Workload(
        name: "diamond", batch: 1_000, goals: (off: 0.08, traced: 0.10),
        make: { side, tally in
            if side == .openCombine {
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.map { $0 &+ 1 }.zip(subject.map { $0 &* 2 }).map { $0 &+ $1 }
                    .sink { tally.add($0) }
                return { operations in
                    for value in 0..<operations { subject.send(value) }
                    withExtendedLifetime(subscription) {}
                }
            }
            let source = Observable(-1)
            let left = Observable.combine(source) { $0 &+ 1 }
            let right = Observable.combine(source) { $0 &* 2 }
            let joined = Observable.combine(left, right, strategy: .settled) { $0 &+ $1 }
            joined.subscribe { tally.add($0) }
            return { operations in
                for value in 0..<operations { source.value = value }
                withExtendedLifetime(joined) {}
            }
        }, expected: { $0 })

    /// Three operators that are applied, subscribed to, disposed and released.
    static let chainLifetime = Workload(
        name: "map-filter-map-make-dispose", batch: 1_000, goals: (off: 0.20, traced: 0.25),
        make: { side, tally in
            if side == .openCombine {
                let subject = PassthroughSubject<Int, Never>()
                return { operations in
                    for _ in 0..<operations {
                        subject.map { $0 &+ 1 }.filter { $0 != -1 }.map { $0 &* 2 }.sink { tally.add($0) }.cancel()
                    }
                }
            }
            let emitter = Emitter<Int>()
            return { operations in
                for _ in 0..<operations {
                    emitter.map { $0 &+ 1 }.filter { $0 != -1 }.map { $0 &* 2 }.subscribe { tally.add($0) }.dispose()
                }
            }
        }, expected: { _ in 0 })

    /// Ten observables combined into one, one of which changes; the peer combines at most four.
    static let combineTen = Workload(
        name: "combine-ten", batch: 5_000, goals: nil, tracedGoal: 75,
        make: { _, tally in
            let x = (0..<10).map { _ in Observable(-1) }
            let changing = x[3]
            let sum = Observable.combine(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]) {
                $0 &+ $1 &+ $2 &+ $3 &+ $4 &+ $5 &+ $6 &+ $7 &+ $8 &+ $9
            }
            sum.subscribe { tally.add($0) }
            return { operations in
                for value in 0..<operations { changing.value = value }
                withExtendedLifetime(sum) {}
            }
        }, expected: { $0 })
}
