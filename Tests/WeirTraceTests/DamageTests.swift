import Testing
import WeirTestSupport

@testable import WeirTrace

/// Everything that a reader found in a file, to compare damaged files with sound ones.
private struct Reading: Equatable {
    var events: [TraceEvent] = []
    var definitions = TraceDefinitions()
    var isTroubled = false
    var isClosed = false

    init(_ path: String) {
        do {
            let reader = try TraceReader(path: path)
            events = reader.allEvents
            definitions = try reader.definitions()
            isTroubled = reader.damageCount > 0
            isClosed = reader.header.isClosed
        } catch {
            isTroubled = true
        }
    }

    func hasSameContent(as other: Reading) -> Bool {
        events == other.events && definitions == other.definitions
    }

    /// Whether each thread's events are the first ones of `whole`.
    func isPrefix(of whole: Reading) -> Bool {
        Set(whole.events.map(\.id.thread)).allSatisfy { thread in
            let part = events.filter { $0.id.thread == thread }
            return whole.events.filter { $0.id.thread == thread }.starts(with: part)
        }
    }
}

struct DamageTests {
    private static var definitions: TraceBuilder {
        var builder = TraceBuilder()
        builder.definitions([
            .string(1, "Login/LoginView.swift"), .string(2, "LoginViewModel.username"),
            .node(1, label: 2, file: 1, line: 12, value: .string("")),
            .subscription(2, source: 1, target: 3, flags: 1, file: 1, line: 18, owner: 3), .object(3, label: 2),
            .intention(1, rule: 2, reason: 1, file: 1, line: 18),
        ])
        return builder
    }

    private static let records: [Record] = [
        .stimulusBegan("tap", at: 9), .emitted(1, .string("Maruko"), at: 300, delivers: true),
        .deliveryBegan(2, at: 1), .emitted(3, .signed(-70_000)), .suppressed(3, 1), .deliveryNext(200, at: 2),
        .deliveryEnded(at: 70_000), .stimulusEnded(), .compact(8, 300), .counted(21, text("end"), at: 1),
    ]

    private static var eventsOnly: TraceBuilder {
        var builder = TraceBuilder()
        builder.events(at: 5, records)
        return builder
    }

    private static let hopsAndEndings: [Record] = [
        .batchBegan(at: 9), .suppressed(3, 6), .emitted(1, .signed(7), at: 300, delivers: true),
        .deliveryBegan(0, at: 1),
        .ended(11, 3, .string("offline")), .deliveryEnded(at: 70_000), .batchEnded(),
        .hopBegan(300, cause: 2, 70_000, at: 1),
        .ended(10, 1, delivers: true), .deliveryBegan(2), .deliveryNext(0), .deliveryEnded(), .hopEnded(at: 1),
    ]

    private static var endings: TraceBuilder {
        var builder = TraceBuilder()
        builder.events(at: 5, hopsAndEndings)
        return builder
    }

    private static var several: TraceBuilder {
        var builder = definitions
        builder.events(at: 5, records)
        builder.events(thread: 2, at: 6, records)
        builder.events(from: 11, at: 80_000, [.context([(2, 1, 0, 0), (3, 2, 0, 0), (4, 3, 0, 0)])] + records)
        return builder
    }

    /// The bytes of a file that carry information: all but the unused ends of chunks.
    private static func meaningful(_ builder: TraceBuilder) -> [Int] {
        Array(0..<4096)
            + builder.chunks.enumerated().flatMap { place, chunk in
                let start = 4096 + place * 65536
                return start..<start + 64 + chunk.records.count
            }
    }

    private func flip(_ builder: TraceBuilder, masks: [UInt8]) throws {
        let bytes = builder.bytes
        let trace = try TemporaryTrace(bytes)
        let whole = Reading(trace.path)
        try #require(!whole.isTroubled && whole.isClosed)
        for place in Self.meaningful(builder) {
            for mask in masks {
                try trace.overwrite([bytes[place] ^ mask], at: place)
                let reading = Reading(trace.path)
                if !reading.isTroubled && !reading.hasSameContent(as: whole) {
                    Issue.record("a flip of byte \(place) by \(mask) changes what is read, but is not seen")
                }
            }
            try trace.overwrite([bytes[place]], at: place)
        }
    }

    @Test func `each bit of a file of definitions, turned round, is seen or does not matter`() throws {
        try flip(Self.definitions, masks: (0..<8).map { 1 << $0 })
    }

    @Test func `each bit of a file of events, turned round, is seen or does not matter`() throws {
        try flip(Self.eventsOnly, masks: (0..<8).map { 1 << $0 })
    }

    @Test func `each bit of a file of hops, batches and endings, turned round, is seen or does not matter`() throws {
        try flip(Self.endings, masks: (0..<8).map { 1 << $0 })
    }

    @Test func `each record of a hop, batch or ending that is cut short ends its chunk`() throws {
        for record in Self.hopsAndEndings {
            let whole = record.bytes
            for length in 1..<whole.count {
                var builder = TraceBuilder()
                builder.events(sealed: false, [.compact(8, 1), .raw(Array(whole[..<length]))])
                let trace = try TemporaryTrace(builder)
                let reader = try TraceReader(path: trace.path)
                #expect(reader.allEvents.map(\.id.sequence) == [1], "\(whole), cut to \(length)")
                #expect(reader.damage.map(\.reason) == [.malformedRecord(tag: whole[0])])
            }
        }
    }

    @Test func `whatever byte of an unsealed file of hops is changed, it is read to its end`() throws {
        var builder = Self.endings
        builder.chunks[0].isSealed = false
        let bytes = builder.bytes
        let trace = try TemporaryTrace(bytes)
        let records = 4096 + 64..<bytes.count
        for place in records {
            for value in UInt8.min...255 where value % 3 == UInt8(place % 3) {
                try trace.overwrite([value], at: place)
                let reading = Reading(trace.path)
                // A record takes at least two bytes, except for the end of a delivery.
                #expect(reading.events.count <= records.count)
                #expect(reading.events.map(\.id.sequence) == reading.events.map(\.id.sequence).sorted())
            }
            try trace.overwrite([bytes[place]], at: place)
        }
        #expect(Reading(trace.path).events.count == Self.hopsAndEndings.count)
    }

    @Test func `each byte of a file of several chunks, changed, is seen or does not matter`() throws {
        try flip(Self.several, masks: [0xFF])
    }

    @Test func `bytes behind the committed ones do not matter`() throws {
        let builder = Self.several
        var bytes = builder.bytes
        let trace = try TemporaryTrace(bytes)
        let whole = Reading(trace.path)
        let meaningful = Set(Self.meaningful(builder))
        for place in bytes.indices where !meaningful.contains(place) { bytes[place] = 0xA5 }
        try trace.write(bytes)
        #expect(Reading(trace.path) == whole)
    }

    @Test(arguments: [true, false])
    func `a file cut off at any byte gives the beginning of each thread and says so`(isClosed: Bool) throws {
        var builder = Self.eventsOnly
        if isClosed { builder.events(from: 11, [.compact(8, 1)]) }
        builder.isClosed = isClosed
        let trace = try TemporaryTrace(builder)
        let whole = Reading(trace.path)
        try #require(
            whole.events.count == (isClosed ? 11 : 10) && !whole.isTroubled && whole.isClosed == isClosed)
        let bytes = builder.bytes
        for length in bytes.indices.reversed() {
            // Most of a chunk is empty; one cut there is like the next.
            let around = bytes[max(0, length - 8)..<min(length + 8, bytes.count)]
            guard Repeats.factor > 1 || length % 241 == 0 || around.contains(where: { $0 != 0 }) else { continue }
            try trace.truncate(to: length)
            let reading = Reading(trace.path)
            if !reading.isPrefix(of: whole) { Issue.record("cut at \(length): not the beginning") }
            if !reading.isTroubled && reading.isClosed {
                Issue.record("cut at \(length): nothing tells that the end is missing")
            }
        }
    }

    @Test func `a closed trace that does not tell its length shows a cut inside a chunk`() throws {
        var builder = Self.eventsOnly
        builder.hasLength = false
        builder.events(from: 11, [.compact(8, 1)])
        let trace = try TemporaryTrace(builder)
        try trace.truncate(to: 4096 + 65535)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.damage.map(\.reason) == [.endMissing])
        #expect(reader.allEvents.count == 10)
    }

    @Test func `records of a sealed chunk that fails its checksum are still read`() throws {
        var builder = TraceBuilder()
        builder.events([.emitted(1, .signed(1)), .emitted(2, .signed(2))])
        let trace = try TemporaryTrace(builder)
        try trace.overwrite([9], at: 4096 + 64 + 5)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1, 9])
        #expect(reader.allEvents.count == 2)
        #expect(
            reader.damage == [TraceDamage(chunk: 0, thread: 1, offset: 4096 + 48, reason: .checksumFailed)])
        #expect(reader.damageCount == 1)
    }

    @Test func `a chunk whose writer died between checksum and seal is sound`() throws {
        let trace = try TemporaryTrace(Self.eventsOnly)
        try trace.overwrite([0, 0, 0, 0], at: 4096 + 44)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.count == 10)
        #expect(reader.isIntact)
        try trace.overwrite([0x54], at: 4096 + 64 + 4)
        let changed = try TraceReader(path: trace.path)
        #expect(changed.allEvents.count == 10)
        #expect(changed.damage.map(\.reason) == [.checksumFailed])
    }

    @Test func `an unsealed chunk is read as far as it is committed`() throws {
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.events(sealed: false, Self.records)
        let trace = try TemporaryTrace(builder)
        let last = Self.records[9].bytes.count
        let committed = UInt32(Self.records.flatMap(\.bytes).count - last)
        try trace.overwrite(little(committed), at: 4096 + 40)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.count == 9)
        #expect(reader.isIntact)
        #expect(!reader.header.isClosed)
    }

    @Test func `committed bytes beyond a chunk are damage, and what is sealed is read`() throws {
        let trace = try TemporaryTrace(Self.eventsOnly)
        try trace.overwrite(little(UInt32.max), at: 4096 + 40)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.count == 10)
        let sealed = UInt32(Self.records.flatMap(\.bytes).count)
        #expect(reader.damage.map(\.reason).contains(.lengthsDisagree(committed: .max, sealed: sealed)))
    }

    @Test func `chunks zeroed by the disk show as missing events`() throws {
        var builder = TraceBuilder()
        builder.events([.compact(8, 1)])
        builder.events(from: 2, [.compact(8, 2), .compact(8, 3)])
        builder.events(from: 4, [.compact(8, 4)])
        let trace = try TemporaryTrace(builder)
        try trace.overwrite([UInt8](repeating: 0, count: 65536), at: 4096 + 65536)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1, 4])
        #expect(
            reader.damage.map(\.description) == [
                "byte 135234: a chunk of the file is missing",
                "chunk 2 (thread 1) at byte 135192: events 2 to 3 of the thread are missing",
            ])
    }

    @Test func `two chunks with one serial number are reported, and one is read`() throws {
        var builder = TraceBuilder()
        builder.events([.compact(8, 1)])
        builder.events([.compact(8, 2)])
        builder.chunks[1].serial = 1
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1])
        #expect(reader.damage.map(\.reason) == [.repeatedSerial(1)])
    }

    @Test func `damage is kept up to its limit and counted beyond`() throws {
        var builder = TraceBuilder()
        for sequence in 1...150 { builder.events(from: UInt64(sequence), [.compact(8, 1)]) }
        var bytes = builder.bytes
        for place in 0..<150 { bytes[4096 + place * 65536 + 8] ^= 1 }
        let trace = try TemporaryTrace(bytes)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.damage.count == TraceReader.damageLimit)
        #expect(reader.damageCount == 150)
        #expect(reader.allEvents == [])
        #expect(reader.damageCount == 150)
    }

    static let sentences: [(TraceDamage.Reason, String)] = [
        (.notAChunk, "no chunk begins here"),
        (.headerCheckFailed, "the chunk's header fails its check, so the chunk is skipped"),
        (.unknownContent(7), "the chunk's content is of an unknown kind (7)"),
        (
            .lengthsDisagree(committed: 9, sealed: 12),
            "the chunk's lengths disagree (9 bytes committed, 12 sealed)"
        ),
        (.checksumFailed, "the sealed records fail their checksum"),
        (.cutOff, "the file ends before the chunk's records do"),
        (.endMissing, "the end of the closed trace is missing"),
        (.malformedRecord(tag: 3), "an event record (tag 3) is malformed, so the chunk ends here"),
        (.malformedDefinition(tag: 0), "a definition (tag 0) is malformed, so the chunk ends here"),
        (.sequenceBreak(expected: 5, found: 8), "events 5 to 7 of the thread are missing"),
        (.sequenceBreak(expected: 5, found: 3), "the thread's events go on with number 3 instead of 5"),
        (.repeatedSerial(4), "another chunk has the serial number 4, too; one of them is skipped"),
        (.unreadable(code: 5), "the system could not read the chunk (Input/output error)"),
    ]

    @Test(arguments: sentences)
    func `damage is reported in one sentence with its place`(reason: TraceDamage.Reason, sentence: String) {
        let inChunk = TraceDamage(chunk: 3, thread: 1, offset: 201_344, reason: reason)
        #expect(inChunk.description == "chunk 3 (thread 1) at byte 201344: \(sentence)")
        let inFile = TraceDamage(chunk: nil, thread: nil, offset: 4096, reason: reason)
        #expect(inFile.description == "byte 4096: \(sentence)")
    }
}
