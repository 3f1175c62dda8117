import Testing

@_spi(Records) @testable import WeirTrace

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

    @Test func `a hop is the cause of what runs in it, and its own cause is named`() throws {
        var builder = TraceBuilder()
        builder.events([
            .emitted(1, .none, delivers: true), .deliveryBegan(5), .hopBegan(9, cause: 4, 77), .compact(8, 1),
            .emitted(2, .none, delivers: true), .deliveryBegan(6), .compact(8, 2), .deliveryEnded(),
            .stimulusBegan("in it"), .compact(8, 3), .stimulusEnded(), .hopEnded(), .compact(8, 4),
            .deliveryEnded(), .hopBegan(9, cause: 1, 1), .hopEnded(), .hopBegan(0, cause: 0, 0), .hopEnded(),
        ])
        let read = try events(of: builder)
        let reported = read.map {
            "\($0.id.sequence)<\($0.cause.map(\.description) ?? "-") d\($0.depth) to \($0.deliveringTo)"
        }
        #expect(
            reported == [
                "1<- d0 to 0", "2<1:1 d1 to 0", "3<4:77 d1 to 5", "4<1:3 d2 to 0", "5<1:3 d2 to 0", "6<1:5 d3 to 0",
                "7<1:5 d3 to 6", "8<1:5 d3 to 6", "9<1:3 d2 to 0", "10<1:3 d3 to 0", "11<1:9 d2 to 0",
                "12<1:3 d1 to 0", "13<1:1 d1 to 5", "14<1:1 d1 to 5", "15<1:1 d0 to 0", "16<1:15 d0 to 0",
                "17<- d0 to 0",
                "18<1:17 d0 to 0",
            ])
        #expect(read[2].subject == 9)
    }

    @Test func `a batch is a cause only where no emission and no hop is open`() throws {
        let found = try causes([
            .batchBegan(), .suppressed(1, 6), .stimulusBegan("in it"), .compact(8, 1), .stimulusEnded(),
            .emitted(1, .none, delivers: true), .deliveryBegan(1), .batchBegan(), .compact(8, 2), .batchEnded(),
            .deliveryEnded(), .batchEnded(), .hopBegan(1, cause: 1, 6), .batchBegan(), .compact(8, 3), .batchEnded(),
            .hopEnded(), .batchEnded(),
        ])
        #expect(
            found == [
                "1<0 d0", "2<1 d1", "3<1 d1", "4<3 d2", "5<3 d1", "6<1 d1", "7<6 d2", "8<6 d2", "9<6 d3", "10<8 d2",
                "11<6 d2", "12<1 d0", "13<6 d0", "14<13 d1", "15<13 d2", "16<14 d1", "17<13 d0", "18<0 d0",
            ])
    }

    @Test func `completions and failures open frames like emissions, and their deliveries say so`() throws {
        var builder = TraceBuilder()
        builder.events([
            .ended(11, 1, .string("offline"), delivers: true), .deliveryBegan(5), .ended(10, 2),
            .emitted(3, .none, delivers: true),
            .deliveryBegan(6), .deliveryEnded(), .deliveryNext(7), .deliveryNext(0), .compact(8, 1), .deliveryEnded(),
        ])
        let read = try events(of: builder)
        #expect(read.map { $0.cause?.sequence ?? 0 } == [0, 1, 1, 1, 4, 4, 1, 1, 1, 1])
        #expect(read.map(\.deliveringTo) == [0, 0, 5, 5, 0, 6, 5, 7, 0, 0])
        #expect(read.map(\.endedSubscription) == [0, 0, 0, 0, 0, 6, 5, 7, 0, 0])
        #expect(read.filter(\.deliversEnd).map(\.id.sequence) == [2, 7])
        #expect(read.filter(\.isSettling).map(\.id.sequence) == [8])
    }

    @Test func `a delivery closes what was left open in the one before`() throws {
        let found = try causes([
            .emitted(1, .none, delivers: true), .deliveryBegan(1), .hopBegan(2, cause: 1, 1), .batchBegan(),
            .deliveryNext(2), .compact(8, 1), .batchBegan(), .deliveryEnded(), .hopEnded(), .batchEnded(),
        ])
        #expect(
            found == [
                "1<0 d0", "2<1 d1", "3<1 d1", "4<3 d2", "5<1 d1", "6<1 d1", "7<1 d1", "8<1 d1", "9<0 d0", "10<0 d0",
            ])
    }

    @Test func `context restores hops, batches and frames of later versions`() throws {
        let found = try causes(
            [.compact(8, 1)],
            [
                .context([(1, 40, 7, 3), (3, 41, 0, 0), (4, 42, 0, 0), (9, 43, 0, 0)]), .compact(8, 1), .batchEnded(),
                .compact(8, 1), .hopEnded(), .compact(8, 1), .deliveryEnded(),
            ],
            [.context([(9, 50, 0, 0)]), .compact(8, 1), .stimulusEnded(), .batchEnded(), .hopEnded(), .deliveryEnded()])
        #expect(
            found == [
                "1<0 d0", "2<41 d4", "3<42 d2", "4<41 d2", "5<41 d1", "6<40 d1", "7<40 d1", "8<50 d1", "9<50 d1",
                "10<50 d1", "11<50 d1", "12<50 d1",
            ])
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
