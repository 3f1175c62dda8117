import Testing

@testable import WeirTrace

struct CauseTests {
    private func causes(_ records: [Record]...) throws -> [String] {
        var builder = TraceBuilder()
        var sequence: UInt64 = 1
        for part in records {
            builder.events(from: sequence, part)
            sequence += UInt64(part.filter { if case .counted(16, _, _) = $0 { false } else { true } }.count)
        }
        return try events(of: builder).map { "\($0.id.sequence)<\($0.cause?.sequence ?? 0) d\($0.depth)" }
    }

    @Test func `the innermost open emission is the cause, else the innermost stimulus`() throws {
        let found = try causes([
            .compact(8, 1), .stimulusBegan("tap"), .emitted(1, .none), .emitted(2, .none, delivers: true),
            .deliveryBegan(1), .emitted(3, .none, delivers: true), .deliveryBegan(2),
            .stimulusBegan("nested"),
            .compact(8, 9), .stimulusEnded(), .deliveryNext(3), .compact(8, 9), .deliveryEnded(),
            .compact(8, 9), .deliveryEnded(), .compact(8, 9), .stimulusEnded(), .compact(8, 9),
        ])
        #expect(
            found == [
                "1<0 d0", "2<0 d0", "3<2 d1", "4<2 d1", "5<4 d2", "6<4 d2", "7<6 d3", "8<6 d3", "9<6 d4",
                "10<8 d3", "11<6 d3", "12<6 d3", "13<6 d3", "14<4 d2", "15<4 d2", "16<2 d1", "17<2 d0",
                "18<0 d0",
            ])
    }

    @Test func `ends without a beginning are ignored`() throws {
        let found = try causes([
            .deliveryEnded(), .stimulusEnded(), .deliveryNext(4), .deliveryBegan(4), .stimulusBegan("tap"),
            .deliveryEnded(), .emitted(1, .none, delivers: true), .compact(8, 1),
        ])
        #expect(
            found == ["1<0 d0", "2<0 d0", "3<0 d0", "4<0 d0", "5<0 d0", "6<5 d1", "7<5 d1", "8<7 d2"])
    }

    @Test func `an end closes what was left open inside it`() throws {
        let found = try causes([
            .emitted(1, .none, delivers: true), .deliveryBegan(1), .stimulusBegan("left open"),
            .deliveryEnded(), .compact(8, 1),
        ])
        #expect(found.last == "5<0 d0")
    }

    @Test func `context restores the open frames at the beginning of a chunk`() throws {
        let found = try causes(
            [.compact(8, 1)],
            [.context([(2, 40, 0, 0), (1, 41, 7, 3)]), .compact(8, 1), .deliveryEnded(), .compact(8, 1)],
            [.compact(8, 1)])
        #expect(found == ["1<0 d0", "2<41 d2", "3<41 d2", "4<40 d1", "5<0 d0"])
    }

    @Test func `context tells whose delivery is under way`() throws {
        var builder = TraceBuilder()
        builder.events([.context([(1, 41, 7, 300)]), .deliveryNext(5), .deliveryEnded()])
        let read = try events(of: builder)
        #expect(read.map(\.endedSubscription) == [300, 5])
        #expect(read.map(\.deliveringTo) == [300, 5])
    }

    @Test func `causes survive the loss of the chunk in which they began`() throws {
        var builder = TraceBuilder()
        builder.events([.emitted(1, .none, delivers: true), .deliveryBegan(2)])
        builder.events(from: 3, [.context([(1, 1, 1, 2)]), .compact(8, 1)])
        let trace = try TemporaryTrace(builder)
        try trace.overwrite([0xFF], at: 4096 + 20)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.cause) == [EventID(thread: 1, sequence: 1)])
        #expect(
            reader.damage.map(\.reason) == [.headerCheckFailed, .sequenceBreak(expected: 1, found: 3)])
    }

    @Test func `frames beyond the limit are counted but not kept`() throws {
        let limit = FrameStack.limit
        var records = [Record](repeating: .emitted(1, .none, delivers: true), count: limit + 10)
        records +=
            [.compact(8, 1)] + [Record](repeating: .deliveryEnded(), count: limit + 9) + [.compact(8, 2)]
        let found = try causes(records)
        #expect(found[limit + 10] == "\(limit + 11)<\(limit) d\(limit + 10)")
        #expect(found[2 * limit + 20] == "\(2 * limit + 21)<1 d1")
    }

    @Test func `deliveries of frames beyond the limit leave those that are kept alone`() throws {
        let limit = FrameStack.limit
        var builder = TraceBuilder()
        builder.events(
            [Record](repeating: .emitted(1, .none, delivers: true), count: limit)
                + [
                    .deliveryBegan(5), .emitted(1, .none, delivers: true), .deliveryBegan(6),
                    .deliveryNext(7),
                ]
                + [.deliveryEnded(), .deliveryEnded(), .deliveryEnded()])
        let ended = try events(of: builder).map(\.endedSubscription)
        #expect(ended.suffix(4) == [0, 0, 5, 0])
    }
}
