import WeirTrace

/// A change to the bytes of a trace.
enum Mutation: CaseIterable {
    case flipBits, truncate, zeroRange, randomRange, insertBytes, removeBytes, extend, hugeNumbers
    case duplicateChunk, swapChunks, removeChunk, spliceChunk
    case fileHeaderField, chunkHeaderField, unsealChunks

    private typealias File = TraceFormat.HeaderField
    private typealias Chunk = TraceFormat.ChunkField

    /// - Parameter other: another trace, from which chunks are taken.
    func apply(to bytes: inout [UInt8], other: [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        switch self {
        case .flipBits:
            for _ in 0..<(1 + random.below(random.happens(50) ? 4 : 200)) {
                bytes[Self.place(in: bytes, &random)] ^= 1 << UInt8(random.below(8))
            }
        case .truncate: bytes.removeLast(bytes.count - random.below(bytes.count))
        case .zeroRange: for place in Self.range(in: bytes, &random) { bytes[place] = 0 }
        case .randomRange:
            for place in Self.range(in: bytes, &random) { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
        case .insertBytes:
            let new = (0..<(1 + random.below(100))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes.insert(contentsOf: new, at: Self.place(in: bytes, &random))
        case .removeBytes: bytes.removeSubrange(Self.range(in: bytes, &random))
        case .extend: bytes += [UInt8](repeating: random.happens(70) ? 0 : 0xFF, count: random.below(300_000))
        case .hugeNumbers:
            // As a varint: the largest number, or one slightly too large.
            for _ in 0..<(1 + random.below(20)) {
                let place = Self.place(in: bytes, &random)
                let varint: [UInt8] = Array(repeating: 0xFF, count: random.below(10)) + [UInt8(random.below(128))]
                for (offset, byte) in varint.enumerated() where place + offset < bytes.count {
                    bytes[place + offset] = byte
                }
            }
        case .duplicateChunk, .swapChunks, .removeChunk, .spliceChunk: changeChunks(&bytes, other, &random)
        case .fileHeaderField:
            guard bytes.count >= TraceFormat.headerLength else { return }
            let (place, size) = random.element(of: Self.fileFields)
            let value = Self.number(&random)
            Self.put(value, size, at: place, in: &bytes)
            if place >= File.lost, random.happens(70) {
                Self.put(~value, size, at: place + size, in: &bytes)
            }
            if random.happens(80) { Self.sealFileHeader(&bytes) }
        case .chunkHeaderField:
            for _ in 0..<(1 + random.below(4)) {
                guard let chunk = Self.chunk(in: bytes, &random) else { return }
                let (place, size) = random.element(of: Self.chunkFields)
                let isSmall = random.happens(50)
                Self.put(
                    isSmall ? UInt64(random.below(70_000)) : Self.number(&random), size, at: chunk + place, in: &bytes)
                if random.happens(90) { Self.sealChunkHeader(at: chunk, &bytes) }
            }
        case .unsealChunks:
            for chunk in Self.chunks(of: bytes) where random.happens(60) {
                Self.put(0, 4, at: chunk + Chunk.sealed, in: &bytes)
                Self.put(0, 8, at: chunk + Chunk.checksum, in: &bytes)
            }
        }
    }

    private func changeChunks(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SeededRandom) {
        guard let chunk = Self.chunk(in: bytes, &random) else { return }
        let whole = Array(bytes[chunk..<chunk + TraceFormat.chunkSize])
        switch self {
        case .duplicateChunk:
            bytes += whole
            if random.happens(50) {
                // With a serial number of its own, the reader does not take it for a duplicate.
                let copy = bytes.count - TraceFormat.chunkSize
                Self.put(UInt64(random.below(1000)), 8, at: copy + Chunk.serial, in: &bytes)
                Self.sealChunkHeader(at: copy, &bytes)
            }
        case .swapChunks:
            guard let second = Self.chunk(in: bytes, &random) else { return }
            bytes.replaceSubrange(
                chunk..<chunk + TraceFormat.chunkSize, with: bytes[second..<second + TraceFormat.chunkSize])
            bytes.replaceSubrange(second..<second + TraceFormat.chunkSize, with: whole)
        case .removeChunk: bytes.removeSubrange(chunk..<chunk + TraceFormat.chunkSize)
        default:
            guard let foreign = Self.chunk(in: other, &random) else { return }
            let new = other[foreign..<foreign + TraceFormat.chunkSize]
            if random.happens(50) {
                bytes.replaceSubrange(chunk..<chunk + TraceFormat.chunkSize, with: new)
            } else {
                bytes += new
            }
        }
    }

    // MARK: Places

    /// Offset and size of each field.
    private static let fileFields = [
        (File.version, 2), (File.headerLength, 2), (File.chunkSize, 4), (File.processID, 4), (File.clock, 1),
        (File.valuePolicy, 1), (File.flags, 2), (File.ticksPerSecond, 8), (File.startTicks, 8),
        (File.startWallClock, 8), (File.byteLimit, 8), (File.program, 1), (1088, 4), (1092, 4), (File.lost, 8),
        (File.state, 4), (File.closedLength, 8), (File.overwritten, 8),
    ]
    private static let chunkFields = [
        (Chunk.magic, 4), (Chunk.content, 1), (Chunk.headerLength, 2), (Chunk.thread, 4), (Chunk.generation, 4),
        (Chunk.serial, 8), (Chunk.firstSequence, 8), (Chunk.baseTicks, 8), (Chunk.committed, 4), (Chunk.sealed, 4),
        (Chunk.checksum, 8), (Chunk.systemThread, 4),
    ]

    /// Offsets of the whole chunks.
    static func chunks(of bytes: [UInt8]) -> StrideTo<Int> {
        let last = bytes.count - TraceFormat.chunkSize + 1
        return stride(
            from: TraceFormat.headerLength, to: max(TraceFormat.headerLength, last), by: TraceFormat.chunkSize)
    }

    private static func chunk(in bytes: [UInt8], _ random: inout SeededRandom) -> Int? {
        let all = Array(chunks(of: bytes))
        return all.isEmpty ? nil : random.element(of: all)
    }

    /// A byte, mostly one of a record or a header: most of a short trace is unused.
    private static func place(in bytes: [UInt8], _ random: inout SeededRandom) -> Int {
        guard random.happens(85), let chunk = chunk(in: bytes, &random) else { return random.below(bytes.count) }
        if random.happens(10) { return chunk + random.below(TraceFormat.chunkHeaderLength) }
        let committed = bytes[chunk + Chunk.committed..<chunk + Chunk.committed + 4].reversed().reduce(0) {
            $0 << 8 | Int($1)
        }
        let most = TraceFormat.chunkSize - TraceFormat.chunkHeaderLength
        return chunk + TraceFormat.chunkHeaderLength + random.below(max(1, min(committed, most)))
    }

    private static func range(in bytes: [UInt8], _ random: inout SeededRandom) -> Range<Int> {
        let first = place(in: bytes, &random)
        return first..<min(bytes.count, first + 1 + random.below(random.happens(70) ? 64 : 100_000))
    }

    /// 0, the largest number, one with a single bit, or any.
    private static func number(_ random: inout SeededRandom) -> UInt64 {
        switch random.below(5) {
        case 0: 0
        case 1: .max
        case 2: 1 << UInt64(random.below(64))
        case 3: (1 << UInt64(random.below(64))) &- 1
        default: random.next()
        }
    }

    // MARK: Storing

    private static func put(_ value: UInt64, _ size: Int, at place: Int, in bytes: inout [UInt8]) {
        for offset in 0..<size where place + offset < bytes.count {
            bytes[place + offset] = UInt8(truncatingIfNeeded: value >> UInt64(8 * offset))
        }
    }

    private static func sealFileHeader(_ bytes: inout [UInt8]) {
        let sum = bytes[..<File.checksum].withUnsafeBytes { TraceChecksum.of($0) }
        put(sum, 8, at: File.checksum, in: &bytes)
    }

    private static func sealChunkHeader(at chunk: Int, _ bytes: inout [UInt8]) {
        let sum = bytes.withUnsafeBytes { all in
            TraceChecksum.of(
                UnsafeRawBufferPointer(rebasing: all[chunk..<chunk + Chunk.committed]),
                UnsafeRawBufferPointer(
                    rebasing: all[chunk + Chunk.systemThread..<chunk + TraceFormat.chunkHeaderLength]))
        }
        put(sum, 4, at: chunk + Chunk.headerCheck, in: &bytes)
    }
}
