import Foundation
import OpenCombine
import Weir

/// Several threads that use one subject, or one diamond, at the same time.
///
/// OpenCombine leaves it to its users that a subscriber is not called on two threads at once; therefore each `send` holds a
/// lock. It is recursive, as a handler may send. Weir delivers one value at a time by itself.
struct Contention {
    /// The send function of one side, callable from any thread, and the number of calls of its handler.
    struct Subject: Sendable {
        let send: @Sendable (Int) -> Void
        let calls: @Sendable () -> Int
    }

    struct Workload: Sendable {
        let name: String
        let threads: Int
        let make: @Sendable (_ isPeer: Bool) -> Subject
    }

    static let workloads = [2, 8].flatMap { threads in
        [
            Workload(name: "subject, \(threads) threads", threads: threads) { $0 ? peerSubject() : subject() },
            Workload(name: "diamond, \(threads) threads", threads: threads) { $0 ? peerDiamond() : diamond() },
        ]
    }

    let directory: TemporaryDirectory
    let isQuick: Bool

    private var operations: Int { isQuick ? 40_000 : 200_000 }
    private var rounds: Int { isQuick ? 5 : 31 }

    /// A row for each workload: nanoseconds of wall time for each value, of all threads together.
    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Several threads at once, OpenCombine under a lock, medians")
        for workload in Self.workloads { section.rows.append(try row(workload)) }
        return section
    }

    private func row(_ workload: Workload) throws -> Report.Row {
        let (peer, weir) = (workload.make(true), workload.make(false))
        var (locked, off, traced) = (Sample(), Sample(), Sample())
        var (peerHeard, heard) = (Sample(), Sample())
        for _ in 0..<rounds {
            let (peerCalls, calls) = (peer.calls(), weir.calls())
            locked.add(nanoseconds(workload.threads, peer))
            off.add(nanoseconds(workload.threads, weir))
            peerHeard.add(Double(peer.calls() - peerCalls) / Double(operations))
            heard.add(Double(weir.calls() - calls) / Double(operations))
            try Trace.start(writingTo: directory.path("contended.weir"), limit: .none, snapshots: .none)
            // At the start of a trace, not timed: names are defined.
            _ = nanoseconds(workload.threads, weir)
            traced.add(nanoseconds(workload.threads, weir))
            guard Trace.stop() == 0 else { throw BenchmarkError("events were lost; is the disk full?") }
        }
        return Report.Row(
            name: workload.name,
            figures: [
                Figure("OpenCombine", locked.median, "ns"), Figure("off", off.median, "ns"),
                Figure("traced", traced.median, "ns"),
                Figure("off/OC", off.median / locked.median, ""),
                Figure("traced/OC", traced.median / locked.median, ""),
                // States that are superseded before their delivery are skipped; events never are.
                Figure("heard, OC", peerHeard.median, ""), Figure("heard, off", heard.median, ""),
            ])
    }

    private func nanoseconds(_ threads: Int, _ subject: Subject) -> Double {
        let share = operations / threads
        let (ready, start, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        for thread in 0..<threads {
            done.enter()
            Thread.detachNewThread {
                ready.signal()
                start.wait()
                for number in 0..<share { subject.send(number &* threads &+ thread) }
                done.leave()
            }
        }
        for _ in 0..<threads { ready.wait() }
        return Stopwatch.nanoseconds {
            for _ in 0..<threads { start.signal() }
            done.wait()
        } / Double(share * threads)
    }
}

// MARK: - The sides

/// Counts the values that a handler receives.
///
/// `@unchecked Sendable`: a handler is never called on two threads at once, and the count is read after all threads have
/// ended. A core that breaks this rule loses counts, which the reported share shows.
private final class HandlerTally: @unchecked Sendable {
    @exclusivity(unchecked) private(set) var calls = 0
    @exclusivity(unchecked) private var sum = 0

    func add(_ value: Int) {
        calls &+= 1
        sum &+= value
    }
}

/// A peer's subject under a lock, and its subscription.
///
/// `@unchecked Sendable`: the subject is used inside the lock only.
private final class LockedSubject: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let subject: PassthroughSubject<Int, Never>
    private let subscription: AnyCancellable

    init(_ subject: PassthroughSubject<Int, Never>, _ subscription: AnyCancellable) {
        self.subject = subject
        self.subscription = subscription
    }

    func send(_ value: Int) {
        lock.lock()
        subject.send(value)
        lock.unlock()
    }
}

extension Contention {
    private static func peerSubject() -> Subject {
        let (subject, tally) = (PassthroughSubject<Int, Never>(), HandlerTally())
        let locked = LockedSubject(subject, subject.sink { tally.add($0) })
        return Subject(send: { locked.send($0) }, calls: { tally.calls })
    }

    private static func subject() -> Subject {
        let (emitter, tally) = (Emitter<Int>(), HandlerTally())
        emitter.subscribe { tally.add($0) }
        return Subject(send: { emitter.emit($0) }, calls: { tally.calls })
    }

    private static func peerDiamond() -> Subject {
        let (subject, tally) = (PassthroughSubject<Int, Never>(), HandlerTally())
        let joined = subject.map { $0 &+ 1 }.zip(subject.map { $0 &* 2 }).map { $0 &+ $1 }
        let locked = LockedSubject(subject, joined.sink { tally.add($0) })
        return Subject(send: { locked.send($0) }, calls: { tally.calls })
    }

    private static func diamond() -> Subject {
        let (source, tally) = (Observable(-1), HandlerTally())
        let left = Observable.combine(source) { $0 &+ 1 }
        let right = Observable.combine(source) { $0 &* 2 }
        let joined = Observable.combine(left, right, strategy: .settled) { $0 &+ $1 }
        joined.subscribe { tally.add($0) }
        return Subject(send: { source.value = $0 }, calls: { withExtendedLifetime(joined) { tally.calls } })
    }
}
