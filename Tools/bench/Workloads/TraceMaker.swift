import Foundation
import Weir

/// Makes a large trace with the real recorder.
enum TraceMaker {
    /// Records about `events` events (a few more) of as many graphs as there are threads.
    static func make(_ path: String, events: Int, threads: Int) throws {
        try Trace.start(writingTo: path, limit: .none, snapshots: .none)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            Thread {
                SyntheticGraph().run(untilEvents: UInt64(events / threads))
                group.leave()
            }
            .start()
        }
        group.wait()
        guard Trace.stop() == 0 else { throw BenchmarkError("events were lost; is the disk full?") }
    }
}
