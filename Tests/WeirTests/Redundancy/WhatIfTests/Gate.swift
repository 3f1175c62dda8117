import Foundation
import Synchronization

/// Holds the jobs of its actors until the program runs them, on the program's thread.
private final class HeldJobs: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: UnownedJob) { jobs.withLock { $0.append(job) } }

    func run() {
        for job in jobs.withLock({
            let all = $0; $0 = []; return all
        }) {
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}

/// An actor to whose handlers values get only when the program lets them through.
actor Gate {
    private nonisolated let jobs = HeldJobs()
    private nonisolated let sent = Atomic(0)
    private nonisolated let received = Atomic(0)
    nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

    /// Runs `body` in the actor's isolation, now.
    nonisolated func run(_ body: @escaping @Sendable (isolated Gate) -> Void) {
        let done = Flag()
        Task.detached {
            await self.perform(body)
            done.set()
        }
        wait { done.isSet }
    }

    private func perform(_ body: @Sendable (isolated Gate) -> Void) { body(self) }

    /// Notes a value that is on its way to a handler of the actor, or that has arrived, which only a handler of the actor can say.
    nonisolated func send() { sent.add(1, ordering: .relaxed) }
    func receive() { received.add(1, ordering: .relaxed) }

    /// Lets all values through.
    nonisolated func open() {
        wait { sent.load(ordering: .relaxed) == received.load(ordering: .relaxed) }
    }

    private nonisolated func wait(until isOver: () -> Bool) {
        while !isOver() {
            jobs.run()
            Thread.sleep(forTimeInterval: 0.000_02)
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
