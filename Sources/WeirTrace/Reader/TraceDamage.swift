/// A damaged place in a trace, and the kind of damage.
public struct TraceDamage: Sendable, Equatable, CustomStringConvertible {
    /// The kind of damage.
    public enum Reason: Sendable, Equatable {
        /// The chunk does not begin with the magic of a chunk.
        case notAChunk
        /// The chunk's header fails its check; nothing of the chunk is read.
        case headerCheckFailed
        /// The chunk has content that this version of the format does not define.
        case unknownContent(UInt8)
        /// The chunk's lengths are inconsistent: too many bytes are committed, or more bytes are sealed than committed.
        case lengthsDisagree(committed: UInt32, sealed: UInt32)
        /// The sealed records do not match their checksum; well-formed ones are read.
        case checksumFailed
        /// The file ends before the chunk's committed bytes do.
        case cutOff
        /// The file is marked as closed, but its end is missing.
        case endMissing
        /// An event record is malformed; the chunk is read up to it.
        case malformedRecord(tag: UInt8)
        /// A definition record is malformed; the chunk is read up to it.
        case malformedDefinition(tag: UInt8)
        /// The thread's sequence numbers do not continue from the previous chunk.
        case sequenceBreak(expected: UInt64, found: UInt64)
        /// Two chunks have the same serial in the thread's stream; only one of them is read.
        case repeatedSerial(UInt64)
        /// The system could not read the chunk.
        case unreadable(code: Int32)
        /// Chunks that came into use are missing.
        case chunksMissing(Int)
        /// The trace is a redacted copy of a damaged trace.
        case damagedOriginal(places: UInt32)
    }

    /// The number of the chunk in the file, from 0; `nil` if the damage concerns the whole file.
    public var chunk: Int?
    /// The thread, if the chunk's header names it.
    public var thread: UInt32?
    /// The offset of the damage in the file.
    public var offset: UInt64
    /// The kind of damage.
    public var reason: Reason

    /// Damage at the byte `offset`.
    public init(chunk: Int?, thread: UInt32?, offset: UInt64, reason: Reason) {
        self.chunk = chunk
        self.thread = thread
        self.offset = offset
        self.reason = reason
    }

    /// One sentence: "chunk 3 (thread 1) at byte 201344: the sealed records fail their checksum".
    public var description: String {
        let place = chunk.map { "chunk \($0)\(thread.map { " (thread \($0))" } ?? "") at byte" } ?? "byte"
        return "\(place) \(offset): \(reason.sentence)"
    }
}

extension TraceDamage.Reason {
    fileprivate var sentence: String {
        switch self {
        case .notAChunk: "no chunk begins here"
        case .headerCheckFailed: "the chunk's header fails its check, so the chunk is skipped"
        case .unknownContent(let content): "the chunk's content is of an unknown kind (\(content))"
        case .lengthsDisagree(let committed, let sealed):
            "the chunk's lengths disagree (\(committed) bytes committed, \(sealed) sealed)"
        case .checksumFailed: "the sealed records fail their checksum"
        case .cutOff: "the file ends before the chunk's records do"
        case .endMissing: "the end of the closed trace is missing"
        case .malformedRecord(let tag): "an event record (tag \(tag)) is malformed, so the chunk ends here"
        case .malformedDefinition(let tag): "a definition (tag \(tag)) is malformed, so the chunk ends here"
        case .sequenceBreak(let expected, let found) where found > expected:
            "events \(expected) to \(found - 1) of the thread are missing"
        case .sequenceBreak(let expected, let found):
            "the thread's events go on with number \(found) instead of \(expected)"
        case .repeatedSerial(let serial):
            "another chunk has the serial number \(serial), too; one of them is skipped"
        case .chunksMissing(1): "a chunk of the file is missing"
        case .chunksMissing(let count): "\(count) chunks of the file are missing"
        case .unreadable(let code): "the system could not read the chunk (\(systemMessage(code)))"
        case .damagedOriginal(let places):
            "the trace that this is a copy of was damaged in \(places) \(places == 1 ? "place" : "places"), which the copy lacks"
        }
    }

    /// A number for each case, so that repeated reads of a chunk count the same damage once.
    var code: UInt64 {
        switch self {
        case .notAChunk: 0
        case .headerCheckFailed: 1
        case .unknownContent: 2
        case .lengthsDisagree: 3
        case .checksumFailed: 4
        case .cutOff: 5
        case .endMissing: 6
        case .malformedRecord: 7
        case .malformedDefinition: 8
        case .sequenceBreak: 9
        case .repeatedSerial: 10
        case .unreadable: 11
        case .chunksMissing: 12
        case .damagedOriginal: 13
        }
    }
}
