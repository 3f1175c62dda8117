import CWeir
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs threads one at a time, and decides at their yield points which one continues.
///
/// Yield points are in the programs' handlers, between their actions and, in a build with `WEIR_YIELD`, in the core itself.
/// The decisions depend only on the schedule, so a run can be repeated.
///
/// `@unchecked Sendable`: all state belongs to the one running thread, which passes it on through semaphores.
final class Pacer: @unchecked Sendable {
    /// The points at which a thread may be interrupted. The numbers below 16 are those of CWeir's yield points.
    enum Point: Int32 {
        case enter = 0
        case blocked = 1
        case leave = 2
        case atomic = 3
        /// Waits for what may be another thread's work; checks again later.
        case wait = 4
        case none = 5
        case handler = 16
        case action = 17
        case idle = 18
    }

    /// A semaphore that the thread sanitizer supports; on Linux it does not support Dispatch's.
    private final class Turn {
        private let condition = NSCondition()
        private var count = 0

        func signal() {
            condition.withLock { count += 1 }
            condition.signal()
        }

        func wait() {
            condition.withLock {
                while count == 0 { condition.wait() }
                count -= 1
            }
        }
    }

    private struct Lane {
        var isFinished = false
        /// Whether it waits for a lock that another thread holds, or for work.
        var isBlocked = false
        var priority = 0
    }

    private var lanes: [Lane]
    /// Separate from the lanes: a thread waits for its turn while another one changes the lanes.
    private let turns: [Turn]
    private var decider: Schedule.Decider
    private let over = Turn()
    private(set) var step = 0
    /// The number of consecutive waits since a thread last made progress.
    private var fruitless = 0
    private static let mostFruitless = 1000
    private(set) var switches: [Schedule.Switch] = []
    /// Whether all remaining threads wait for each other.
    private(set) var isDeadlocked = false
    /// The number of lanes, from the first, that belong to the program's threads; the others serve queues.
    private let own: Int

    init(threads: Int, queues: Int, _ schedule: Schedule) {
        lanes = (0..<(threads + queues)).map { _ in Lane() }
        turns = lanes.map { _ in Turn() }
        own = threads
        decider = Schedule.Decider(schedule, lanes: threads + queues)
    }

    /// Releases the started threads, which wait in `begin`; returns when all have ended, or none can continue.
    func run() {
        let first = decider.first(lanes.count)
        switches.append(Schedule.Switch(step: 0, from: first, to: first, point: "begin"))
        turns[first].signal()
        over.wait()
    }

    var hasOwnThreads: Bool { lanes.prefix(own).contains { !$0.isFinished } }

    // MARK: Of the calling thread

    /// Waits for the first turn.
    func begin(lane: Int) {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        turns[lane].wait()
    }

    func finish(lane: Int) {
        pthread_setspecific(Self.key, nil)
        lanes[lane].isFinished = true
        unblock()
        let ready = ready(except: lane)
        guard !ready.isEmpty else {
            over.signal()
            return
        }
        step += 1
        let next = decider.next(after: lane, step, .blocked, ready)
        switches.append(Schedule.Switch(step: step, from: lane, to: next, point: "end"))
        pass(to: next)
    }

    /// A point where the calling thread may be interrupted.
    static func pause(_ point: Point) {
        guard let known = pthread_getspecific(key) else { return }
        Unmanaged<Pacer>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.pause(point) }
    }

    /// Marks the blocked threads as ready: the resource that they wait for may be available.
    static func unblockOthers() {
        guard let known = pthread_getspecific(key) else { return }
        Unmanaged<Pacer>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.unblock() }
    }

    static var isPacing: Bool { pthread_getspecific(key) != nil }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        weir_yield_set_hook { number in
            guard Pacer.isPacing else { return false }
            let point = Point(rawValue: number) ?? .atomic
            if point != .none { Pacer.pause(point) }
            return true
        }
        return key
    }()

    private func pause(_ point: Point) {
        let me = RunningThread.number - 1
        step += 1
        if point == .leave { unblock() }
        let isWaiting = point == .blocked || point == .idle
        if isWaiting { lanes[me].isBlocked = true }
        var ready = ready(except: isWaiting ? me : nil)
        if point == .wait, ready.count > 1 { ready.removeAll { $0 == me } }
        if isWaiting { fruitless += 1 } else { fruitless = 0 }
        if ready.isEmpty && fruitless < Self.mostFruitless {
            // A thread outside of the pacer, such as the recorder's own, may hold what they wait for.
            usleep(20)
            unblock()
            ready = self.ready(except: nil)
        }
        if ready.isEmpty {
            // A permanent deadlock: the threads stay where they are.
            isDeadlocked = true
            over.signal()
            turns[me].wait()
            return
        }
        let next = decider.next(after: me, step, isWaiting || point == .wait ? .blocked : point, ready)
        guard next != me else { return }
        switches.append(Schedule.Switch(step: step, from: me, to: next, point: "\(point)"))
        pass(to: next)
        turns[me].wait()
    }

    private func pass(to next: Int) { turns[next].signal() }

    private func unblock() { for lane in lanes.indices { lanes[lane].isBlocked = false } }

    private func ready(except lane: Int?) -> [Int] {
        lanes.indices.filter { $0 != lane && !lanes[$0].isFinished && !lanes[$0].isBlocked }
    }
}
