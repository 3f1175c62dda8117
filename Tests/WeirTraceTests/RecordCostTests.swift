import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

@Suite(.ahead) struct RecordCostTests {
    @Test(
        arguments: [
            // 128 records in that many ticks, and the clock's ticks per second.
            (128, 1_000_000_000, 1000), (0, 1_000_000_000, 0), (5200, 2_600_000_000, 15_625), (1, 3_000_000_000, 2),
            (.max, 1, .max), (1, 0, .max), (1 << 40, 1_000_000_000, .max),
        ] as [(UInt64, UInt64, UInt32)])
    func `a record costs its share of the time of all`(ticks: UInt64, ticksPerSecond: UInt64, picoseconds: UInt32) {
        #expect(RecordCost.picoseconds(ticks: ticks, ticksPerSecond: ticksPerSecond) == picoseconds)
    }

    @Test func `a trace tells what a record cost, but not under a virtual clock, and holds no record of measuring it`()
        async
    {
        await #expect(processExitsWith: .success) {
            for policy in ValuePolicy.allCases {
                for isVirtual in [false, true] {
                    let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
                    defer { unlink(path) }
                    try TraceWriter.start(
                        .init(
                            path: path, policy: policy, descriptionLimit: 64, byteLimit: nil,
                            isVirtualClock: isVirtual))
                    #expect(ThreadLog().isReady(TraceWriter.active?.firstGeneration ?? 0))
                    _ = ThreadLog().emitted(TraceCode.encode(1), 5, isPrivate: false, redefine: {})
                    TraceWriter.stop()
                    let reader = try TraceReader(path: path)
                    #expect((reader.header.recordCost == nil) == isVirtual)
                    #expect(reader.allEvents.map(\.id.sequence) == [1])
                    #expect(reader.isIntact)
                }
            }
        }
    }

    @Test func `the costs are read as they were written, and two zeros mean that they are not reported`() throws {
        func cost(_ builder: TraceBuilder) throws -> RecordCost? {
            let trace = try TemporaryTrace(builder)
            return try TraceReader(path: trace.path).header.recordCost
        }
        var builder = TraceBuilder()
        #expect(try cost(builder) == nil)
        builder.recordCosts = (0, 17_250)
        #expect(try cost(builder) == RecordCost(picoseconds: 0, stampedPicoseconds: 17_250))
        builder.recordCosts = (.max, 1)
        #expect(try cost(builder) == RecordCost(picoseconds: .max, stampedPicoseconds: 1))
        builder.program = String(repeating: "n", count: 1024)
        #expect(try cost(builder) == RecordCost(picoseconds: .max, stampedPicoseconds: 1))
        // A program name that overflows into the costs is no cost.
        builder.recordCosts = (0, 0)
        builder.program = String(repeating: "n", count: 1100)
        #expect(try cost(builder) == nil)
    }
}
