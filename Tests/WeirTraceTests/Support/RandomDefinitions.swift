/// Valid random definitions: of several threads and generations, again and again of the same few ids.
struct RandomDefinitions {
    private var generator: SeededGenerator
    private(set) var builder = TraceBuilder()

    init(seed: UInt64) {
        generator = SeededGenerator(state: seed)
        for serial in 1...pick(1...9) {
            var chunk = TraceBuilder.Chunk(
                content: 2, thread: UInt32(pick(1...3)), generation: UInt32(pick(1...2)), serial: serial,
                firstSequence: 0)
            for _ in 0..<pick(0...200) { chunk.records += definition().bytes }
            builder.chunks.append(chunk)
        }
        builder.chunks.shuffle(using: &generator)
        builder.isClosed = false
    }

    private mutating func pick(_ range: ClosedRange<UInt64>) -> UInt64 { .random(in: range, using: &generator) }

    private mutating func id() -> UInt64 { pick(0...9) == 0 ? pick(1...UInt64(UInt32.max)) : pick(1...9) }

    /// Mostly the id of a defined string.
    private mutating func name() -> UInt64 { pick(0...12) }

    private mutating func definition() -> Definition {
        switch pick(0...11) {
        case 0...2:
            .string(pick(1...12), ["burst", "glitch", "View", "Model.name", "a progress bar"][Int(pick(0...4))])
        case 3: .node(id(), label: name(), type: name(), file: name(), line: pick(0...99), owner: pick(0...9))
        case 4...5:
            .subscription(
                id(), source: id(), target: pick(0...9), flags: UInt8(pick(0...3)), file: name(), line: pick(0...99),
                owner: pick(0...1) == 0 ? nil : pick(0...9))
        case 6: .object(id(), type: name(), label: name())
        case 7...8: .intention(pick(1...4), rule: name(), reason: name(), file: name(), line: pick(0...9))
        case 9: .executorSpan(from: pick(1...400), number: pick(0...5), what: UInt8(pick(0...3)), type: name())
        case 10: .writeSite(id(), function: name(), file: name(), line: pick(0...99))
        default: .raw(tag: UInt8(pick(0...9) == 0 ? 6 : pick(9...255)), [1, 2, 3])
        }
    }
}
