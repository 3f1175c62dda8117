import CWeir
import Dispatch
import Weir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The result of a program's run.
package struct Outcome: Sendable {
    package var events: [History.Event]
    /// The value of each node when all is quiet.
    package var held: [Int?]
    package var switches: [Schedule.Switch] = []
    /// Whether no thread could continue.
    package var isDeadlocked = false
    /// Whether the program did not come to rest.
    package var isEndless = false

    package init(events: [History.Event], held: [Int?]) {
        self.events = events
        self.held = held
    }
}

extension SoakProgram {
    /// Whether the core has yield points, so that schedules interrupt it everywhere and not in handlers only.
    package static var hasYieldPoints: Bool { weir_yield_is_built() }

    /// Runs the program on concurrent threads.
    package func runFreely(_ history: History) -> Outcome {
        usesText ? runFreely(of: SoakText.self, history) : runFreely(of: Int.self, history)
    }

    /// Runs the program on threads that run one at a time.
    package func run(_ schedule: Schedule, _ history: History) -> Outcome {
        usesText ? run(of: SoakText.self, schedule, history) : run(of: Int.self, schedule, history)
    }

    private func runFreely<Value: SoakValue>(of type: Value.Type, _ history: History) -> Outcome {
        history.clear()
        RunningThread.take(0)
        let queues = (0..<Self.queues).map { DispatchQueue(label: "queue \($0)") }
        let run = ProgramRun<Value>(self, history, schedulers: queues.map { QueueScheduler($0) })
        run.subscribeEarly()
        let waiting = LockedBox(threads.count)
        let handles = threads.indices.map { thread in
            RunningThread.start(thread + 1) {
                // All begin together; otherwise the first would end before the last exists.
                waiting.change { $0 -= 1 }
                while waiting.value > 0 { sched_yield() }
                run.runThread(thread)
            }
        }
        for handle in handles { handle.join() }
        // Deliveries of one queue may move on to the other and back, or cause new writes.
        var events = -1
        while history.count != events {
            events = history.count
            for _ in 0..<16 { for queue in queues { queue.sync {} } }
        }
        return outcome(of: run, history)
    }

    private func run<Value: SoakValue>(of type: Value.Type, _ schedule: Schedule, _ history: History) -> Outcome {
        history.clear()
        RunningThread.take(0)
        let unfinished = LockedBox(0)
        let queues = (0..<Self.queues).map { _ in PacedQueue(unfinished: unfinished) }
        let used = usesQueues ? queues : []
        let run = ProgramRun<Value>(self, history, schedulers: queues)
        let pacer = Pacer(threads: threads.count, queues: used.count, schedule)
        run.subscribeEarly()
        var handles = threads.indices.map { thread in
            RunningThread.start(thread + 1) {
                pacer.begin(lane: thread)
                run.runThread(thread)
                pacer.finish(lane: thread)
            }
        }
        for (index, queue) in used.enumerated() {
            let lane = threads.count + index
            handles.append(
                RunningThread.start(lane + 1) {
                    pacer.begin(lane: lane)
                    queue.serve(pacer)
                    pacer.finish(lane: lane)
                })
        }
        pacer.run()
        guard !pacer.isDeadlocked else {
            // Its threads wait forever, and hold what they use.
            var outcome = Outcome(events: history.events, held: [])
            outcome.isDeadlocked = true
            outcome.switches = pacer.switches
            return outcome
        }
        for handle in handles { handle.join() }
        var outcome = outcome(of: run, history)
        outcome.switches = pacer.switches
        return outcome
    }

    private func outcome<Value>(of run: ProgramRun<Value>, _ history: History) -> Outcome {
        var outcome = Outcome(events: history.events, held: run.held)
        outcome.isEndless = history.isFull
        return outcome
    }

    private var usesQueues: Bool {
        listeners.contains { $0.operators.contains { if case .deliver = $0 { true } else { false } } }
    }
}
