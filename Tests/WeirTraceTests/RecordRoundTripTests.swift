import Testing

@testable import WeirTrace

struct RecordRoundTripTests {
    @Test func `each kind of record is read as it was written`() throws {
        var builder = TraceBuilder()
        builder.events([
            .counted(18, text("tap Login"), at: 5),
            .emitted(7, .signed(-3), at: 1, delivers: true, replayed: true),
            .deliveryBegan(300),
            .deliveryNext(70_000, at: 2),
            .suppressed(7, 7),
            .deliveryEnded(at: 3),
            .stimulusEnded(at: 1),
            .compact(6, 4_294_967_295),
            .compact(7, 12, rest: [3]),
            .compact(8, 13),
            .compact(9, 14),
            .counted(17, varint(99)),
            .counted(20, at: 300_000_000),
            .counted(21, text("after logout")),
            .counted(22, varint(15)),
            .counted(23, varint(16)),
            .ended(11, 8, .string("offline"), at: 2, delivers: true),
            .deliveryBegan(400),
            .deliveryNext(0),
            .deliveryEnded(at: 1),
            .ended(10, 8),
            .hopBegan(9, cause: 3, 70_000, by: 300, at: 4),
            .hopEnded(at: 1),
            .batchBegan(at: 1),
            .batchEnded(at: 1),
            .hopBegan(0, cause: 0, 0, by: 0, carries: true, at: 1),
            .hopEnded(at: 1),
            .counted(28, varint(70_000), at: 1),
            .counted(29, varint(3) + varint(2) + varint(9_000) + varint(1_200_000), at: 1),
            .counted(30, varint(300) + varint(1), at: 1),
            .compact(12, 7, at: 1, rest: [7] + varint(70_000)),
        ])
        let stimulus = EventID(thread: 1, sequence: 1)
        let emission = EventID(thread: 1, sequence: 2)
        func event(_ sequence: UInt64, _ kind: EventKind, _ ticks: UInt64, _ subject: UInt32 = 0)
            -> TraceEvent
        {
            TraceEvent(id: EventID(thread: 1, sequence: sequence), kind: kind, ticks: ticks, subject: subject)
        }
        var expected = [
            event(1, .stimulusBegan, 5), event(2, .emitted, 6, 7), event(3, .deliveryBegan, 6, 300),
            event(4, .deliveryNext, 8, 70_000), event(5, .suppressed, 8, 7), event(6, .deliveryEnded, 11),
            event(7, .stimulusEnded, 12), event(8, .subscriptionStarted, 12, 4_294_967_295),
            event(9, .subscriptionEnded, 12, 12), event(10, .nodeCreated, 12, 13),
            event(11, .nodeReleased, 12, 14), event(12, .eventsLost, 12), event(13, .frame, 300_000_012),
            event(14, .checkpoint, 300_000_012), event(15, .objectTracked, 300_000_012, 15),
            event(16, .objectReleased, 300_000_012, 16), event(17, .failed, 300_000_014, 8),
            event(18, .deliveryBegan, 300_000_014, 400), event(19, .deliveryNext, 300_000_014),
            event(20, .deliveryEnded, 300_000_015), event(21, .completed, 300_000_015, 8),
            event(22, .hopBegan, 300_000_019, 9), event(23, .hopEnded, 300_000_020),
            event(24, .batchBegan, 300_000_021), event(25, .batchEnded, 300_000_022),
            event(26, .hopBegan, 300_000_023), event(27, .hopEnded, 300_000_024),
            event(28, .objectExpected, 300_000_025, 70_000), event(29, .snapshotTaken, 300_000_026, 3),
            event(30, .hopScheduled, 300_000_027, 300), event(31, .written, 300_000_028, 7),
        ]
        for place in [0, 1, 3, 5, 6, 12, 16, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30] {
            expected[place].isStamped = true
        }
        expected[0].text = "tap Login"
        expected[1].value = .signed(-3)
        (expected[1].delivers, expected[1].isReplayed) = (true, true)
        (expected[1].cause, expected[1].depth) = (stimulus, 1)
        for place in 2...5 { (expected[place].cause, expected[place].depth) = (emission, 2) }
        (expected[3].deliveringTo, expected[3].endedSubscription) = (300, 300)
        (expected[4].deliveringTo, expected[4].reason) = (70_000, 7)
        (expected[5].deliveringTo, expected[5].endedSubscription) = (70_000, 70_000)
        expected[6].cause = stimulus
        expected[8].reason = 3
        expected[11].count = 99
        expected[13].text = "after logout"
        (expected[16].value, expected[16].delivers) = (.string("offline"), true)
        for place in 17...19 { (expected[place].cause, expected[place].depth) = (expected[16].id, 1) }
        expected[17].deliversEnd = true
        (expected[18].deliveringTo, expected[18].endedSubscription) = (400, 400)
        expected[21].cause = EventID(thread: 3, sequence: 70_000)
        (expected[21].scheduledBy, expected[22].scheduledBy) = (300, 300)
        expected[22].cause = expected[21].id
        expected[24].cause = expected[23].id
        expected[26].cause = expected[25].id
        expected[25].count = 1
        expected[28].count = 1_200_000
        expected[29].count = 1
        expected[30].count = 70_000
        let read = try events(of: builder)
        #expect(read == expected)
        #expect(read[18].isSettling && read.count(where: \.isSettling) == 1)
        #expect(Set(read.map(\.kind)) == Set(EventKind.allCases).subtracting([.context]))
    }

    static let values: [(Value, TraceValue, String)] = [
        (.form(0), .notRecorded, "‹not recorded›"),
        (.form(1), .withheld, "‹private›"),
        (.form(2), .void, "()"),
        (.form(3), .nil, "nil"),
        (.form(4), .bool(false), "false"),
        (.form(5), .bool(true), "true"),
        (.signed(42), .signed(42), "42"),
        (.signed(.min), .signed(.min), "-9223372036854775808"),
        (.form(7, varint(.max)), .unsigned(.max), "18446744073709551615"),
        (.form(8, little((3.5).bitPattern)), .double(3.5), "3.5"),
        (.form(9, little(Float(0.25).bitPattern)), .float(0.25), "0.25"),
        (.string("Maruko"), .string("Maruko"), "\"Maruko\""),
        (.form(10, [3, 0x61, 0xFF, 0x62]), .string("a\u{FFFD}b"), "\"a\u{FFFD}b\""),
        (
            .form(11, text("abc") + little(UInt64(9))), .cutString("abc", fingerprint: 9), "\"abc…\" (cut)"
        ),
        (.form(12, little(UInt64(0x1F3A))), .fingerprint(0x1F3A), "#0000000000001f3a"),
        (.form(13, text("User(1)")), .described("User(1)"), "User(1)"),
        (
            .form(14, text("[1, 2") + little(UInt64(9))), .cutDescription("[1, 2", fingerprint: 9),
            "[1, 2… (cut)"
        ),
        (.form(15), .opaque, "‹not recordable›"),
        (
            .form(33, varint(12) + little(UInt64(9)) + [0] + Array("[1]".utf8)),
            .hashedDescription("[1]", isCut: false, fingerprint: 9), "[1]"
        ),
        (
            .form(33, varint(12) + little(UInt64(9)) + [1] + Array("[1,".utf8)),
            .hashedDescription("[1,", isCut: true, fingerprint: 9), "[1,… (cut)"
        ),
        (.form(33, varint(2) + [0, 0]), .unknown(form: 33), "‹value of form 33›"),
        (.form(33, varint(9) + little(UInt64(9)) + [2]), .unknown(form: 33), "‹value of form 33›"),
        (.form(32, varint(5) + [0] + Array("idle".utf8)), .enumCase("idle", .none), "idle"),
        (
            .form(32, varint(11) + [1] + little(UInt64(9)) + Array("of".utf8)), .enumCase("of", .fingerprint(9)),
            "of(…)"
        ),
        (.form(32, varint(3) + [2] + Array("of".utf8)), .enumCase("of", .unknown), "of(…)"),
        (.form(32, varint(3) + [3] + Array("of".utf8)), .enumCase("of", .noneOfAnyEnum), "of"),
        (.form(32, varint(2) + [4, 0x61]), .unknown(form: 32), "‹value of form 32›"),
        (.form(32, varint(0)), .unknown(form: 32), "‹value of form 32›"),
        (.form(32, varint(3) + [1, 2, 3]), .unknown(form: 32), "‹value of form 32›"),
        (.form(33, text("later")), .unknown(form: 33), "‹value of form 33›"),
        (.form(255, varint(0)), .unknown(form: 255), "‹value of form 255›"),
    ]

    @Test(arguments: values)
    func `each form of value is read and described`(form: Value, value: TraceValue, words: String) throws {
        var builder = TraceBuilder()
        builder.definitions([.node(5, value: form)])
        builder.events([.emitted(1, form), .emitted(2, .signed(1))])
        // Once with room behind it, for the cursor's fast path, and once at the very end.
        builder.events(from: 3, [.emitted(1, form)] + [Record](repeating: .deliveryEnded(), count: 40))
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        let emissions = reader.allEvents.filter { $0.kind == .emitted }
        #expect(emissions.map(\.value) == [value, .signed(1), value])
        #expect(try reader.definitions().nodes[5]?.value == value)
        #expect(reader.damage == [])
        #expect(value.description == words)
    }

    @Test func `each reason is read, and unknown ones stay numbers`() throws {
        var builder = TraceBuilder()
        builder.events((0...255).map { .suppressed(1, $0) } + (0...255).map { .compact(7, 1, rest: [$0]) })
        let read = try events(of: builder)
        #expect(read.map(\.reason) == Array(0...255) + Array(0...255))
        #expect(read[..<256].compactMap(\.suppressionReason) == SuppressionReason.allCases)
        #expect(read[256...].compactMap(\.endReason) == SubscriptionEndReason.allCases)
    }

    @Test func `kinds of later versions are skipped, but keep their number and their time`() throws {
        var builder = TraceBuilder()
        let later: [Record] =
            (13...15).map { .compact($0, 9, at: 10, rest: Value.string("later").bytes) }
            + [31, 31].map { .counted($0, [1, 2, 3], at: 10) }
        builder.events(later + [.compact(8, 4)] + later)
        builder.events(from: 12, at: 100, [.compact(9, 4)])
        let read = try events(of: builder)
        #expect(read.map(\.id.sequence) == [6, 12])
        #expect(read.map(\.ticks) == [50, 100])
    }

    @Test func `bytes behind the known fields of a counted record are ignored`() throws {
        var builder = TraceBuilder()
        let more: [UInt8] = [0xFF, 0xFF, 0xFF]
        builder.events([
            .counted(18, text("tap") + more), .counted(19, more), .counted(20, more),
            .counted(21, text("here") + more), .counted(22, varint(5) + more), .counted(17, varint(6) + more),
            .counted(16, varint(0) + more), .counted(23, varint(7) + more),
            .counted(24, [8, 1, 2] + more), .counted(25, more), .counted(26, more), .counted(27, more),
            .counted(28, varint(9) + more), .counted(29, varint(4) + varint(1) + varint(300) + varint(70) + more),
            .counted(30, varint(11) + varint(1) + more),
        ])
        let read = try events(of: builder)
        #expect(read.map(\.text) == ["tap", "", "", "here", "", "", "", "", "", "", "", "", "", ""])
        #expect(read.map(\.subject) == [0, 0, 0, 0, 5, 0, 7, 8, 0, 0, 0, 9, 4, 11])
        #expect(read[7].cause == EventID(thread: 1, sequence: 2) && read[10].cause == read[9].id)
        #expect(read[5].count == 6 && read[12].count == 70)
    }

    static let malformed: [[UInt8]] = [
        [0], [1], [1, 0x80], [1, 1], [1, 1, 16], [1, 1, 31], [1, 1, 6], [1, 1, 10, 5, 65], [1, 1, 32, 1],
        [1, 1, 8, 0, 0], [2, 1], [0x83, 1], [3, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [18, 5, 1], [18, 1, 5],
        [10, 1], [11, 1, 16], [12, 1, 16], [15, 1], [24, 0], [24, 1, 9], [24, 2, 9, 1],
        [24 | 0x80, 3, 1, 1, 1], [24, 7, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1], [25 | 0x80, 0], [26, 1], [27, 0x80],
        [20 | 0x80, 0], [22, 0], [28, 0], [29, 0], [29, 1, 3], [29, 3, 3, 1, 0x80], [29, 4, 3, 1, 1, 0x80], [30, 0],
        [30, 1, 9], [16, 1, 1],
        [17, 0],
        [21, 2, 2, 65],
        [1, 1, 7] + [UInt8](repeating: 0xFF, count: 9) + [2],
        [20] + [UInt8](repeating: 0xFF, count: 9) + [1],
        [1, 1, 10] + [UInt8](repeating: 0xFF, count: 9) + [1],
    ]

    @Test(arguments: malformed)
    func `a malformed record ends its chunk, is named, and the next chunk goes on`(bytes: [UInt8]) throws {
        var builder = TraceBuilder()
        builder.events([.emitted(1, .signed(5)), .raw(bytes)])
        builder.events(from: 2, [.emitted(2, .signed(6))])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1, 2])
        let place = TraceDamage(
            chunk: 0, thread: 1, offset: 4096 + 64 + 4, reason: .malformedRecord(tag: bytes[0]))
        #expect(reader.damage == [place])
        #expect(reader.damageCount == 1)
        #expect(!reader.isIntact)
    }

    static let malformedAnywhere: [[UInt8]] = [
        [0], [1, 1, 16], [1, 1, 31], [3, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        [1, 1, 10, 0xFF, 0x7F],
        [1, 1, 6] + [UInt8](repeating: 0xFF, count: 9) + [2],
        [1, 1, 7] + [UInt8](repeating: 0xFF, count: 12) + [1],
        [0x83, 1] + [UInt8](repeating: 0xFF, count: 9) + [2],
    ]

    @Test(arguments: malformedAnywhere)
    func `sound records behind a malformed one are not trusted`(bytes: [UInt8]) throws {
        var builder = TraceBuilder()
        builder.events(
            [.emitted(1, .signed(5)), .raw(bytes)] + [Record](repeating: .deliveryEnded(), count: 60))
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1])
        #expect(reader.damage.map(\.reason) == [.malformedRecord(tag: bytes[0])])
        #expect(reader.damage.map(\.offset) == [4096 + 64 + 4])
        reader.forEachEventChunk { header, records in
            var cursor = RecordCursor(records, of: header)
            var steps = 0
            while cursor.next() { steps += 1 }
            #expect(steps == 1)
            #expect(!cursor.isSound)
            #expect(cursor.position == 4)
            return true
        }
    }
}
