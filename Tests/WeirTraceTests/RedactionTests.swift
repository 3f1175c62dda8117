import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

/// Copies of traces without values: what they keep, and that they keep nothing else.
struct RedactionTests {
    /// An event of the original as it should be in the copy, except for texts.
    private func expected(_ event: TraceEvent, _ plan: RedactionPlan) -> TraceEvent {
        var event = event
        event.text = ""
        switch (event.kind, event.value) {
        case (.completed, _): event.value = .notRecorded
        case (.emitted, .notRecorded), (.failed, .notRecorded): break
        case (.emitted, .unknown), (.failed, .unknown): event.value = .withheld
        case (.emitted, _), (.failed, _): if plan.hides(event.subject) { event.value = .withheld }
        default: break
        }
        return event
    }

    private func textless(_ event: TraceEvent) -> TraceEvent {
        var event = event
        event.text = ""
        return event
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `A copy has the same events at the same times with the same causes`(seed: UInt64) throws {
        let random = RandomTrace(seed: seed, chunks: 9, recordsPerChunk: 120, threads: UInt32(1 + seed % 4))
        let original = random.builder.bytes
        let shown = seed % 3 == 0 ? [] : Set(UInt32(1)...UInt32(seed % 9))
        let plan = RedactionPlan(shown: shown, hidesTexts: seed % 2 == 0)
        let copy = try RedactedCopy(original, plan)
        let before = NaiveDecoder.events(original)
        let after = NaiveDecoder.events(copy.bytes)
        #expect(after.map(textless) == before.map { expected($0, plan) })
        #expect(try copy.read { $0.allEvents } == after)
        #expect(try copy.read { reader in (reader.allEvents.count, reader.damageCount).1 } == 0)
        guard plan.hidesTexts else {
            #expect(after.map(\.text) == before.map(\.text))
            return
        }
        // Equal texts stay equal, different ones stay different, and missing ones stay missing.
        var names: [String: String] = [:]
        for (old, new) in zip(before, after) where !old.text.isEmpty && !old.text.hasPrefix("[private ") {
            #expect(names[old.text] == nil || names[old.text] == new.text)
            names[old.text] = new.text
        }
        #expect(Set(names.values).count == names.count)
        #expect(names.values.allSatisfy { $0.hasPrefix("[private ") })
    }

    @Test(arguments: [UInt64](201...230))
    func `Definitions stay, but for values and keys`(seed: UInt64) throws {
        let original = RandomDefinitions(seed: seed).builder.bytes
        let plan = RedactionPlan(shown: [1, 2, 3, 4], hidesTexts: seed % 2 == 0)
        let copy = try RedactedCopy(original, plan)
        var expected = NaiveDecoder.definitions(original)
        for (id, node) in expected.nodes {
            let isHidden = !plan.shown.contains(id)
            expected.nodes[id]?.isPrivate = node.isPrivate || isHidden
            if node.value != .notRecorded, isHidden { expected.nodes[id]?.value = .withheld }
            if case .unknown = node.value { expected.nodes[id]?.value = .withheld }
        }
        for (id, intentions) in expected.intentions {
            // Intentions of rules that this version does not know are dropped, as their names may hold anything.
            expected.intentions[id] = nil
            for var intention in intentions where RedundancyRule(rawValue: intention.rule) != nil {
                if plan.hidesTexts, !intention.reason.isEmpty { intention.reason = "[private]" }
                expected.add(intention)
            }
        }
        // None of its parts is complete.
        expected.snapshots = [:]
        #expect(NaiveDecoder.definitions(copy.bytes) == expected)
        #expect(try copy.read { try $0.definitions() } == expected)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `A copy of a copy is the same bytes`(seed: UInt64) throws {
        var builder = RandomTrace(seed: seed, chunks: 6, recordsPerChunk: 100, threads: 3).builder
        builder.isClosed = seed % 2 == 0
        for chunk in RandomDefinitions(seed: seed).builder.chunks {
            builder.chunks.append(chunk)
            builder.chunks[builder.chunks.count - 1].serial = UInt64(builder.chunks.count)
        }
        let plan = RedactionPlan(shown: seed % 2 == 0 ? [] : [1, 2, 3])
        let once = try RedactedCopy(builder.bytes, plan)
        let twice = try RedactedCopy(once.bytes, plan)
        #expect(once.counts.values > 0)
        #expect(twice.bytes == once.bytes)
        #expect(twice.counts == RedactionCounts())
    }

    @Test func `Nothing gets into a copy that is not understood`() throws {
        let secret = "open-sesame"
        let bytes = Array(secret.utf8)
        var builder = TraceBuilder()
        builder.valuePolicy = 2
        builder.definitions([
            .string(1, "Model.name"), .string(2, secret), .string(3, "String"),
            // An unused string, a field of a later version, and a record of one.
            .raw(tag: 2, Definition.node(1, label: 1, type: 3, value: .string(secret)).parts.payload + bytes),
            .raw(tag: 99, bytes), .raw(tag: 4, varint(1) + varint(0) + varint(0) + bytes),
            .raw(tag: 6, varint(1) + varint(0) + varint(2) + bytes),
        ])
        let fingerprint = Value.form(12, little(UInt64(0x6F70_656E_2D73_6573)))
        builder.events([
            .emitted(1, .string(secret), at: 1), .emitted(2, .form(11, text(secret) + little(UInt64(7)))),
            .emitted(1, fingerprint), .emitted(1, .form(13, text(secret))),
            .emitted(1, .form(14, text(secret) + little(UInt64(7)))), .emitted(1, .form(200, text(secret))),
            .emitted(1, .form(32, varint(1 + UInt64(bytes.count)) + [0] + bytes)), .ended(11, 1, .string(secret)),
            .ended(10, 1, .string(secret)), .compact(13, 1, rest: [10] + text(secret)), .counted(31, bytes, at: 2),
            .counted(18, text(secret) + bytes, at: 1), .counted(19, bytes), .counted(20, bytes),
            .counted(21, text(secret)), .counted(22, varint(1) + bytes), .counted(24, varint(0) + [0, 0] + bytes),
            .counted(25, bytes), .counted(17, varint(3) + bytes), .counted(26, bytes), .counted(30, [1, 0] + bytes),
            .context([(2, 1, 0, 0)]),
        ])
        var original = builder.bytes
        // After the last record of a chunk, and in the header after the program's name.
        original.replaceSubrange(4096 + 60_000..<4096 + 60_000 + bytes.count, with: bytes)
        original.replaceSubrange(2000..<2000 + bytes.count, with: bytes)
        original.replaceSubrange(4032..<4040, with: little(referenceChecksum(Array(original[..<4032]))))
        let copy = try RedactedCopy(original)
        #expect(!copy.holds(secret))
        #expect(!copy.holds("open-ses"), "nor its fingerprint")
        #expect(!copy.holds("nepo"))
        #expect(copy.counts.values == 9)
        #expect(copy.counts.unknownRecords == 3)
        #expect(try copy.read { ($0.allEvents.count, $0.damageCount) } == (19, 0))
        let same = try RedactedCopy(original, RedactionPlan(shown: [1], hidesTexts: false))
        #expect(same.holds(secret))
    }

    @Test func `A node that is not defined has no value in any copy`() throws {
        var builder = TraceBuilder()
        builder.events([.emitted(7, .string("open-sesame"))])
        #expect(try !RedactedCopy(builder.bytes, RedactionPlan(shown: [1])).holds("open-sesame"))
    }

    @Test func `A copy says what it is`() throws {
        var builder = TraceBuilder()
        builder.recordCosts = (3, 4)
        builder.byteLimit = 1 << 30
        builder.lostEvents = 5
        builder.events([.emitted(7, .string("open-sesame"))])
        let original = try TemporaryTrace(builder)
        var expected = try TraceReader(path: original.path).header
        #expect(expected.redaction == nil)
        expected.redaction = TraceRedaction(hidesAllValues: true, hidesTexts: true)
        let copy = try RedactedCopy(builder.bytes)
        expected.closedLength = UInt64(copy.bytes.count)
        #expect(try copy.read(\.header) == expected)
        let some = try RedactedCopy(builder.bytes, RedactionPlan(shown: [2], hidesTexts: false))
        #expect(try some.read(\.header.redaction) == TraceRedaction(hidesAllValues: false, hidesTexts: false))
        // A removed value stays removed, even if the next copy removes less.
        let again = try RedactedCopy(copy.bytes, RedactionPlan(shown: [7], hidesTexts: false))
        #expect(try again.read(\.header.redaction) == expected.redaction)
        #expect(try again.read { $0.allEvents[0].value } == .withheld)
    }

    @Test func `A copy of a damaged trace is damaged, and so is one of that`() throws {
        var builder = TraceBuilder()
        builder.events([.emitted(1, .signed(1)), .raw([0, 0, 0])])
        builder.events(thread: 2, [.emitted(1, .signed(1))])
        let copy = try RedactedCopy(builder.bytes)
        #expect(copy.counts.damagedPlaces == 1)
        let sentence = "the trace that this is a copy of was damaged in 1 place, which the copy lacks"
        #expect(try copy.read { $0.damage.map(\.description) } == ["byte 1100: \(sentence)"])
        #expect(try copy.read(\.isIntact) == false)
        #expect(try RedactedCopy(copy.bytes).bytes == copy.bytes)
    }

    @Test func `Names that grow find room, and keep their order`() throws {
        var builder = TraceBuilder()
        // Keys of one character become 'private': the names no longer fit into the chunk.
        let labels = (0..<1450).map { "Vault.byCard[\($0 % 10)].number\($0)" }
        builder.definitions(
            labels.enumerated().flatMap { place, label -> [Definition] in
                let id = UInt64(place + 1)
                return [.string(id, label), .node(id, label: id)]
            })
        let copy = try RedactedCopy(builder.bytes)
        #expect(try copy.read(\.definitionChunkCount) == 2)
        let found = try copy.read { try $0.definitions() }
        #expect((1...1450).allSatisfy { found.nodes[UInt32($0)]?.label == "Vault.byCard[private].number\($0 - 1)" })
        #expect(try RedactedCopy(copy.bytes).bytes == copy.bytes)
    }

    @Test func `Mutated traces are copied without a crash, and the copy can be read`() throws {
        var generator = SeededGenerator(state: 8211)
        var copies = 0
        let traces = (0..<12 as Range<UInt64>).map { seed in
            var builder = RandomTrace(seed: seed, chunks: 2, recordsPerChunk: 40, threads: 2).builder
            for chunk in RandomDefinitions(seed: seed).builder.chunks.prefix(3) {
                builder.chunks.append(chunk)
                builder.chunks[builder.chunks.count - 1].serial = UInt64(builder.chunks.count)
            }
            let bytes = builder.bytes
            return (bytes: bytes, used: bytes.indices.filter { bytes[$0] != 0 })
        }
        for round in 0..<Repeats.count(100) {
            var (bytes, used) = traces[round % traces.count]
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                bytes[used.randomElement(using: &generator)!] = UInt8.random(in: 0...255, using: &generator)
            }
            if round % 7 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count - 4096, using: &generator)) }
            guard let copy = try? RedactedCopy(bytes) else { continue }
            copies += 1
            try copy.read { reader in
                let events = reader.allEvents
                _ = try reader.definitions()
                let isHidden = events.allSatisfy { $0.value == .notRecorded || $0.value == .withheld }
                #expect(isHidden && events.allSatisfy { $0.text.isEmpty || $0.text.hasPrefix("[private ") })
                if copy.counts.damagedPlaces > 0 { #expect(!reader.isIntact) }
            }
        }
        #expect(copies > Repeats.count(60))
    }
}
