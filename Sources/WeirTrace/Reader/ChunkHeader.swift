/// The header of a chunk; only headers that passed their check are returned.
public struct ChunkHeader: Sendable, Equatable {
    /// The number of the chunk in the file, from 0.
    public var index: Int
    /// The content of the chunk.
    public var content: TraceFormat.Content
    /// The thread that filled it.
    public var thread: UInt32
    /// The generation of the flight recorder.
    public var generation: UInt32
    /// The position in the order in which chunks were taken into use, from 1.
    public var serial: UInt64
    /// The sequence number of its first event.
    public var firstSequence: UInt64
    /// The time at which it was taken into use.
    public var baseTicks: UInt64
    /// The number of bytes in complete records.
    public var committed: Int
    /// The number of bytes that the checksum covers; 0: not sealed.
    public var sealed: Int
    /// The checksum; 0 while not sealed.
    public var checksum: UInt64
    /// The system's number for the thread; 0 under a virtual clock.
    public var systemThread: UInt32

    /// The offset of the chunk in the file.
    public var offset: UInt64 { Self.offset(of: index) }

    /// The offset in the file of the chunk numbered `index`.
    static func offset(of index: Int) -> UInt64 {
        UInt64(TraceFormat.headerLength) + UInt64(index) * UInt64(TraceFormat.chunkSize)
    }
}

extension ChunkHeader {
    /// The result of reading a chunk header.
    enum Found {
        case unused
        /// A header, and the damage to its lengths, which are then assumed to be as long as possible.
        case sound(ChunkHeader, TraceDamage?)
        case damaged(TraceDamage)
    }

    /// Reads the 64 bytes of a header, or as many as the file has.
    static func read(_ bytes: UnsafeRawBufferPointer, index: Int) -> Found {
        func damaged(_ reason: TraceDamage.Reason, thread: UInt32? = nil, at place: Int = 0) -> Found {
            .damaged(
                TraceDamage(
                    chunk: index, thread: thread, offset: offset(of: index) + UInt64(place), reason: reason))
        }
        guard bytes.count == TraceFormat.chunkHeaderLength, let base = bytes.baseAddress else {
            return bytes.allSatisfy { $0 == 0 } ? .unused : damaged(.cutOff)
        }
        typealias Field = TraceFormat.ChunkField
        func field<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
            Number(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: type))
        }
        let magic = field(Field.magic, UInt32.self)
        if magic == 0 { return .unused }
        guard magic == TraceFormat.chunkMagic else { return damaged(.notAChunk) }
        let check = TraceChecksum.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<Field.committed]),
            UnsafeRawBufferPointer(rebasing: bytes[Field.systemThread...]))
        guard field(Field.headerCheck, UInt32.self) == UInt32(truncatingIfNeeded: check) else {
            return damaged(.headerCheckFailed, at: Field.headerCheck)
        }
        let thread = field(Field.thread, UInt32.self)
        guard let content = TraceFormat.Content(rawValue: bytes[Field.content]),
            field(Field.headerLength, UInt16.self) == TraceFormat.chunkHeaderLength
        else { return damaged(.unknownContent(bytes[Field.content]), thread: thread, at: Field.content) }
        let committed = field(Field.committed, UInt32.self)
        let sealed = field(Field.sealed, UInt32.self)
        let room = TraceFormat.chunkSize - TraceFormat.chunkHeaderLength
        let header = ChunkHeader(
            index: index, content: content, thread: thread,
            generation: field(Field.generation, UInt32.self), serial: field(Field.serial, UInt64.self),
            firstSequence: field(Field.firstSequence, UInt64.self),
            baseTicks: field(Field.baseTicks, UInt64.self),
            committed: min(Int(max(committed, sealed)), room), sealed: min(Int(sealed), room),
            checksum: field(Field.checksum, UInt64.self),
            systemThread: field(Field.systemThread, UInt32.self))
        if sealed <= committed && committed <= room { return .sound(header, nil) }
        let damage = TraceDamage(
            chunk: index, thread: thread, offset: offset(of: index) + UInt64(Field.committed),
            reason: .lengthsDisagree(committed: committed, sealed: sealed))
        return .sound(header, damage)
    }

    /// Whether `records`, the committed ones, match the checksum.
    ///
    /// The writer stores the checksum before `sealed`. If it died in between, all committed records are sealed.
    func checksumHolds(head: UnsafeRawBufferPointer, records: UnsafeRawBufferPointer) -> Bool {
        guard sealed > 0 || checksum != 0 else { return true }
        let covered = sealed > 0 ? sealed : committed
        return withUnsafeBytes(of: UInt32(covered).littleEndian) { length in
            TraceChecksum.of(
                UnsafeRawBufferPointer(rebasing: head[..<TraceFormat.ChunkField.committed]), length,
                UnsafeRawBufferPointer(rebasing: records[..<covered])) == checksum
        }
    }
}
