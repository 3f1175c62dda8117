#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file of a copy: contiguous chunks, and finally the header.
///
/// Without the header, the file is not a trace, however the program ends.
struct TraceCopyFile {
    private let descriptor: Int32
    private var chunks = 0
    private var length = TraceFormat.headerLength

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Appends a chunk with these records; its other properties come from `original`.
    mutating func append(_ original: ChunkHeader, _ records: [UInt8]) throws(TraceCopyError) {
        var header = original
        header.index = chunks
        header.serial = UInt64(chunks) + 1
        chunks += 1
        let bytes = header.sealing(records) + records
        try write(bytes, at: header.offset)
        length = Int(header.offset) + bytes.count
    }

    /// Writes the header of the copy of a trace with the header `original`.
    func finish(_ original: TraceHeader, _ redaction: TraceRedaction) throws(TraceCopyError) {
        let content = TraceFileHeaderContent(
            processID: original.processID, clock: original.clock, valuePolicy: original.valuePolicy,
            isFlightRecorder: original.isFlightRecorder, ticksPerSecond: original.ticksPerSecond,
            startTicks: original.startTicks, startWallClock: original.startWallClock, byteLimit: original.byteLimit,
            program: original.program, recordCost: original.recordCost, redaction: redaction,
            modules: original.modules, labels: original.labels)
        try finish(
            content, lost: original.lostEvents, overwritten: original.overwrittenEvents, isClosed: original.isClosed)
    }

    /// Writes the header; a number that is nil stays unknown.
    func finish(
        _ content: TraceFileHeaderContent, lost: UInt64?, overwritten: UInt64?, isClosed: Bool
    ) throws(TraceCopyError) {
        try write(content.bytes(lost: lost, overwritten: overwritten, closedLength: isClosed ? length : nil), at: 0)
    }

    private func write(_ bytes: [UInt8], at offset: UInt64) throws(TraceCopyError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done,
                    off_t(offset) + off_t(done))
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw TraceCopyError(code: count == 0 ? ENOSPC : errno)
            }
        }
    }
}

/// The system could not write a copy.
package struct TraceCopyError: Error {
    /// The system's error number.
    package let code: Int32

    package init(code: Int32) { self.code = code }
}

extension ChunkHeader {
    /// The bytes of the header for a sealed chunk with these records.
    fileprivate func sealing(_ records: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        put(TraceFormat.chunkMagic)
        put(content.rawValue)
        put(UInt8(0))
        put(UInt16(TraceFormat.chunkHeaderLength))
        put(thread)
        put(generation)
        put(serial)
        put(firstSequence)
        put(baseTicks)
        let (head, count) = (bytes, UInt32(records.count))
        put(count)
        put(count)
        withUnsafeBytes(of: count.littleEndian) { length in
            head.withUnsafeBytes { head in
                records.withUnsafeBytes { put(count == 0 ? 0 : TraceChecksum.of(head, length, $0)) }
            }
        }
        withUnsafeBytes(of: systemThread.littleEndian) { system in
            head.withUnsafeBytes { put(UInt32(truncatingIfNeeded: TraceChecksum.of($0, system))) }
        }
        put(systemThread)
        return bytes
    }
}

extension TraceFileHeaderContent {
    /// The file header; a length closes the file.
    fileprivate func bytes(lost: UInt64?, overwritten: UInt64?, closedLength: Int?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: TraceFormat.headerLength)
        bytes.withUnsafeMutableBytes { buffer in
            guard let header = buffer.baseAddress else { return }
            write(to: header)
            func put(_ number: UInt64?, at offset: Int, _ complement: Int) {
                header.storeBytes(of: (number ?? 0).littleEndian, toByteOffset: offset, as: UInt64.self)
                // An unknown number does not match its complement.
                let other = number.map { ~$0 } ?? 0
                header.storeBytes(of: other.littleEndian, toByteOffset: complement, as: UInt64.self)
            }
            typealias Field = TraceFormat.HeaderField
            put(lost, at: Field.lost, Field.lostComplement)
            put(overwritten, at: Field.overwritten, Field.overwrittenComplement)
            guard let closedLength else { return }
            put(UInt64(closedLength), at: Field.closedLength, Field.closedLengthComplement)
            Self.write(state: .closed, to: header)
        }
        return bytes
    }
}
