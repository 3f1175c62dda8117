/// Valid random traces of several threads: every kind of record and form of value, nested at random.
///
/// With coarse time, many records of different threads have the same time, and many hops name causes of that time.
struct RandomTrace {
    private var generator: SeededGenerator
    private let threads: UInt32
    private var longest: UInt64
    private(set) var builder = TraceBuilder()

    init(seed: UInt64, chunks: Int, recordsPerChunk: Int, threads: UInt32, isCoarse: Bool = false) {
        generator = SeededGenerator(state: seed)
        self.threads = threads
        longest = 1
        var sequences: [UInt32: UInt64] = [:]
        var ticks: [UInt32: UInt64] = [:]
        for serial in 1...UInt64(chunks) {
            let thread = pick(1...threads)
            let base = ticks[thread, default: isCoarse ? 0 : pick(0...50)] + (isCoarse ? 0 : pick(0...20))
            longest = sequences.values.max() ?? 1
            var chunk = TraceBuilder.Chunk(
                thread: thread, serial: serial, firstSequence: sequences[thread, default: 1], baseTicks: base,
                isSealed: pick(0...3) > 0)
            var now = base
            var count: UInt64 = 0
            if pick(0...1) == 1 { chunk.records += context().bytes }
            for _ in 0..<pick(0...recordsPerChunk) {
                var stamp: UInt64?
                if pick(0...2) == 0 {
                    let delta: UInt64 =
                        isCoarse
                        ? pick(0...9) / 9 : [pick(0...9), pick(0...300), pick(0...3_000_000_000)][pick(0...2)]
                    stamp = delta
                    now += delta
                }
                chunk.records += record(at: stamp).bytes
                count += 1
            }
            ticks[thread] = now
            sequences[thread] = chunk.firstSequence + count
            builder.chunks.append(chunk)
        }
        // Threads take their chunks into use in a random order of indices.
        builder.chunks.shuffle(using: &generator)
        builder.isClosed = false
    }

    /// Overwrites some bytes of records, in chunks that are not sealed.
    mutating func damage() {
        for place in builder.chunks.indices where !builder.chunks[place].records.isEmpty && pick(0...1) == 0 {
            builder.chunks[place].isSealed = false
            let offset = pick(0...builder.chunks[place].records.count - 1)
            builder.chunks[place].records[offset] = pick(0...255)
        }
    }

    private mutating func pick<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number {
        Number.random(in: range, using: &generator)
    }

    private mutating func id() -> UInt64 {
        [pick(1...9), pick(1...300), pick(1...70_000), pick(1...UInt64(UInt32.max))][pick(0...3)]
    }

    private mutating func words() -> [UInt8] {
        let length = pick(0...9) == 0 ? pick(100...300) : pick(0...12)
        return varint(UInt64(length)) + (0..<length).map { _ in pick(32...126) }
    }

    private mutating func value() -> Value {
        let form: UInt8 = pick(0...9) == 0 ? pick(32...255) : pick(0...15)
        switch form {
        case 6, 7: return .form(form, varint(pick(0...UInt64.max) >> pick(0...63)))
        case 8: return .form(form, little(Double(pick(-1000...1000)).bitPattern))
        case 9: return .form(form, little(Float(pick(-1000...1000)).bitPattern))
        case 12: return .form(form, little(pick(0...UInt64.max)))
        case 11, 14: return .form(form, words() + little(pick(0...UInt64.max)))
        case 10, 13, 32...255: return .form(form, words())
        default: return .form(form)
        }
    }

    private mutating func context() -> Record {
        .context((0..<pick(0...4)).map { _ in (pick(0...5), pick(1...99), pick(0...9), pick(0...9)) })
    }

    /// A hop whose cause may be anywhere: known, later or nowhere; it may also be on its own thread.
    private mutating func hop(at stamp: UInt64?) -> Record {
        pick(0...4) == 0
            ? .counted(24, varint(pick(0...9)) + [0, 0] + words(), at: stamp)
            : .hopBegan(
                pick(0...9), cause: UInt64(pick(1...threads + 1)), pick(1...longest + 40),
                by: pick(0...1) == 0 ? nil : pick(0...9), at: stamp)
    }

    private mutating func record(at stamp: UInt64?) -> Record {
        switch pick(0...40) {
        case 0...8: .emitted(id(), value(), at: stamp, delivers: pick(0...1) == 1, replayed: pick(0...3) == 0)
        case 9: .suppressed(id(), pick(0...20), at: stamp)
        case 10...12: .deliveryBegan(pick(0...5) == 0 ? 0 : id(), at: stamp)
        case 13...15: .deliveryNext(pick(0...5) == 0 ? 0 : id(), at: stamp)
        case 16...19: .deliveryEnded(at: stamp)
        case 20: .compact(6, id(), at: stamp)
        case 21: .compact(7, id(), at: stamp, rest: [pick(0...9)])
        case 22: .compact(pick(8...9), id(), at: stamp)
        case 23: .compact(pick(12...15), id(), at: stamp, rest: value().bytes)
        case 24: .counted(17, varint(pick(0...9)) + words(), at: stamp)
        case 25: .counted(18, words(), at: stamp)
        case 26: .counted(19, words(), at: stamp)
        case 27: .counted(20, at: stamp)
        case 28: .counted(21, words() + words(), at: stamp)
        case 29: .counted([22, 23, 28][pick(0...2)], varint(id()) + words(), at: stamp)
        case 30:
            pick(0...1) == 0
                ? pick(0...1) == 0
                    ? .counted(31, words(), at: stamp) : .counted(30, varint(id()) + varint(id()) + words(), at: stamp)
                : .counted(29, varint(id()) + varint(id()) + varint(id()) + words(), at: stamp)
        case 31...32: .ended(pick(10...11), id(), value(), at: stamp, delivers: pick(0...1) == 1)
        case 33...36: hop(at: stamp)
        case 37...38: .hopEnded(at: stamp)
        case 39: .batchBegan(at: stamp)
        default: .batchEnded(at: stamp)
        }
    }
}
