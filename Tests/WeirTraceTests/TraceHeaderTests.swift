import Testing

@testable import WeirTrace

struct TraceHeaderTests {
    private func header(_ builder: TraceBuilder) throws -> TraceHeader {
        let trace = try TemporaryTrace(builder)
        return try TraceReader(path: trace.path).header
    }

    @Test func `each field is read as it was written`() throws {
        var builder = TraceBuilder()
        builder.isFlightRecorder = true
        builder.startTicks = 0x0102_0304_0506_0708
        builder.startWallClock = -5
        builder.byteLimit = 1 << 40
        builder.lostEvents = 17
        builder.program = "Anmelden ü"
        let header = try header(builder)
        #expect(header.version == 1)
        #expect(header.processID == 4711)
        #expect(header.clock == .virtual)
        #expect(header.valuePolicy == .scalars)
        #expect(header.isFlightRecorder)
        #expect(header.ticksPerSecond == 1_000_000_000)
        #expect(header.startTicks == 0x0102_0304_0506_0708)
        #expect(header.startWallClock == -5)
        #expect(header.byteLimit == 1 << 40)
        #expect(header.program == "Anmelden ü")
        #expect(header.lostEvents == 17)
        #expect(header.isClosed)
    }

    @Test func `a changing field that disagrees with its complement is unknown`() throws {
        let trace = try TemporaryTrace(TraceBuilder())
        try trace.overwrite([1], at: 4040)
        try trace.overwrite([1], at: 4056)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.header.lostEvents == nil)
        #expect(!reader.header.isClosed)
        #expect(!reader.isIntact)
    }

    @Test func `a trace is complete unless events were lost`() throws {
        var builder = TraceBuilder()
        builder.events([.compact(8, 1)])
        let sound = try TemporaryTrace(builder)
        #expect(try TraceReader(path: sound.path).isIntact)
        var lossy = builder
        lossy.lostEvents = 3
        let counted = try TemporaryTrace(lossy)
        #expect(try !TraceReader(path: counted.path).isIntact)
        builder.events(from: 2, [.counted(17, varint(3))])
        let reported = try TemporaryTrace(builder)
        let reader = try TraceReader(path: reported.path)
        #expect(reader.allEvents.last?.count == 3)
        #expect(!reader.isIntact)
    }

    @Test func `ticks become nanoseconds since the start`() throws {
        var header = try header(TraceBuilder())
        header.startTicks = 1000
        header.ticksPerSecond = 2_500_000_000
        #expect(header.nanoseconds(at: 1000) == 0)
        #expect(header.nanoseconds(at: 1000 + 2_500_000_000) == 1_000_000_000)
        #expect(header.nanoseconds(at: 500) == -200)
        header.ticksPerSecond = 1
        #expect(header.nanoseconds(at: .max) == .max)
        #expect(header.nanoseconds(at: 0) == -1_000_000_000_000)
        header.startTicks = .max
        #expect(header.nanoseconds(at: 0) == .min)
        header.ticksPerSecond = 0
        #expect(header.nanoseconds(at: 5) == 0)
    }

    @Test func `an event's name is read as it is written`() {
        let id = EventID(thread: 1, sequence: 42)
        #expect(id.description == "1:42")
        #expect(EventID("1:42") == id)
        #expect(EventID("4294967295:18446744073709551615")?.sequence == .max)
        for wrong in ["", "1", ":", "1:", ":1", "1:2:3", "-1:2", "+1:2", "1:2 ", "4294967296:1", "a:b"] {
            #expect(EventID(wrong) == nil, "\(wrong)")
        }
        #expect(EventID(thread: 1, sequence: 9) < EventID(thread: 2, sequence: 1))
        #expect(EventID(thread: 1, sequence: 1) < EventID(thread: 1, sequence: 9))
    }
}
