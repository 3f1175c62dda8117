import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The times that a burst reports.
    @Suite struct BurstTimeTests {
        @Test func `a burst knows what brought about what it counts; refreshes far apart are none`() throws {
            let file = try TemporaryTrace()
            let clock = VirtualClock()
            try Trace.start(writingTo: file.path, clock: clock, snapshots: .none)
            let shown = Observable(0)
            shown.subscribe { _ in }
            for (value, milliseconds) in [(1, 20), (2, 170), (3, 5)] {
                Trace.stimulus("tap") { shown.value = value }
                clock.advance(nanoseconds: UInt64(milliseconds) * 1_000_000)
            }
            Trace.stimulus("fill") {
                shown.value = 4
                shown.value = 5
            }
            Trace.frame()
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let pass = RedundancyPass(reader, Topology(try reader.definitions()))
            let burst = try #require(pass.tallies.first { $0.rule == .burst })
            #expect(burst.count == 2)
            #expect(burst.ofOneWriter == 1 && burst.betweenStimuli == 1)
            withExtendedLifetime(shown) {}
        }
    }
}
