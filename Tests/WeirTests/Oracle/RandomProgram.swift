import Foundation
import Weir
import WeirTrace

/// A seeded random program, run against the real core and recorded by the real recorder.
///
/// With one thread, its actions are the same for the same seed; the actions of several threads interleave.
struct RandomProgram: @unchecked Sendable {
    let seed: UInt64
    /// The recorded events, in trace order.
    let events: [TraceEvent]
    let definitions: TraceDefinitions
    /// Keeps the removed file open: some tests keep their programs for the life of the process.
    let reader: TraceReader

    /// Runs the program of `seed`: every third one with several threads, every ninth stopped in the middle.
    init(seed: UInt64) throws {
        let values: TraceValues = seed % 5 == 4 ? .described() : seed % 11 == 10 ? .none : .scalars
        let lane = RandomLane(seed: seed &* 31 &+ 7)
        defer { lane.dissolve() }
        // Some nodes are older than the recording.
        for _ in 0..<Int(seed % 4) { lane.make() }
        let isThreaded = seed % 3 == 2
        try self.init(seed: seed, values: values, clock: isThreaded ? nil : VirtualClock()) {
            if isThreaded { return Self.runThreads(seed, lane) }
            lane.run()
            if seed % 9 == 1 { lane.runToAnEarlyEnd { Trace.stop() } }
        }
    }

    /// Runs small programs one after another inside one delivery, so that threads take new chunks while frames are open.
    init(longSeed seed: UInt64) throws {
        try self.init(seed: seed, values: .described(), clock: VirtualClock()) {
            let first = Observable(0)
            first.subscribe { _ in
                for number in 0..<400 as Range<UInt64> {
                    let lane = RandomLane(seed: seed &* 1000 &+ number)
                    Trace.stimulus("long") { lane.run() }
                    lane.dissolve()
                }
            }
            first.value = 1
        }
    }

    /// Records `run` under the name of a seed.
    init(seed: UInt64, values: TraceValues, clock: VirtualClock?, _ run: () -> Void) throws {
        self.seed = seed
        let file = try TemporaryTrace(isQuick: true)
        try Trace.start(writingTo: file.path, values: values, clock: clock, snapshots: .none)
        run()
        Trace.stop()
        reader = try TraceReader(path: file.path)
        definitions = try reader.definitions()
        var events: [TraceEvent] = []
        reader.forEachEvent {
            events.append($0)
            return true
        }
        self.events = events
    }

    /// Separate lanes on two or three threads, and observables that all of them write.
    private static func runThreads(_ seed: UInt64, _ first: RandomLane) {
        let shared = SharedNodes()
        let lanes = [first] + (0...Int(seed / 3 % 2)).map { RandomLane(seed: seed &* 31 &+ 8 &+ UInt64($0)) }
        let group = DispatchGroup()
        for lane in lanes {
            lane.join(shared)
            group.enter()
            let thread = Thread {
                lane.run()
                group.leave()
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        group.wait()
        shared.queue.sync {}
        for lane in lanes.dropFirst() { lane.dissolve() }
    }
}

/// Observables that several threads write, with derived values and a hop to a queue.
final class SharedNodes: @unchecked Sendable {
    let queue = DispatchQueue(label: "shared")
    let sources = [Observable(0), Observable(1), Observable(2)]
    let sum: ReadOnlyObservable<Int>
    let delivered = Observable(0)
    private let least: ReadOnlyObservable<Int>

    init() {
        sum = .combine(sources[0], sources[1], strategy: .settled) { $0 + $1 }
        least = .combine(sum, sources[2]) { min($0, $1) }
        least.subscribe { _ in }
        sum.deliver(on: .queue(queue)).bind(to: delivered)
        delivered.subscribe { [sources] in sources[2].value = min($0, 2) }
    }
}
