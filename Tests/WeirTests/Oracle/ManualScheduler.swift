import Dispatch
import Foundation
import Weir

/// Keeps work until a test runs it, on the test's thread; a serial scheduler of virtual time.
final class ManualScheduler: Scheduler, @unchecked Sendable {
    private struct Work {
        let time: UInt64
        let number: Int
        let body: @Sendable () -> Void
        var isOver = false
    }

    private let lock = NSLock()
    private var clock: UInt64 = 0
    private var waiting: [Work] = []
    private var made = 0

    var now: UInt64 { lock.withLock { clock } }

    func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable { schedule(after: .nanoseconds(0), work) }

    func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
        guard case .nanoseconds(let count) = delay else {
            return schedule(after: .nanoseconds(Self.count(delay)), work)
        }
        let number = lock.withLock {
            made += 1
            waiting.append(Work(time: clock + UInt64(max(0, count)), number: made, body: work))
            return made
        }
        return Disposable { [weak self] in self?.cancel(number) }
    }

    /// Runs up to `limit` pieces of work that are due within `nanoseconds` from now.
    func advance(by nanoseconds: UInt64, limit: Int = 40) {
        let end = lock.withLock { clock + nanoseconds }
        for _ in 0..<limit {
            guard let work = next(upTo: end) else { break }
            work()
        }
        lock.withLock { clock = max(clock, end) }
    }

    private func next(upTo end: UInt64) -> (@Sendable () -> Void)? {
        lock.withLock {
            let due = waiting.filter { $0.time <= end }.min { ($0.time, $0.number) < ($1.time, $1.number) }
            guard let due else { return nil }
            clock = max(clock, due.time)
            waiting.removeAll { $0.number == due.number }
            return due.body
        }
    }

    private func cancel(_ number: Int) { lock.withLock { waiting.removeAll { $0.number == number } } }

    private static func count(_ delay: DispatchTimeInterval) -> Int {
        switch delay {
        case .seconds(let count): count * 1_000_000_000
        case .milliseconds(let count): count * 1_000_000
        case .microseconds(let count): count * 1000
        case .nanoseconds(let count): count
        default: Int.max / 4
        }
    }
}
