/// One place where a trace is damaged, and in what way.
public struct TraceDamage: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong there.
    public enum Reason: Sendable, Equatable {
        /// The chunk does not begin as a chunk does.
        case notAChunk
        /// The chunk's header fails its check; nothing of the chunk is read.
        case headerCheckFailed
        /// The chunk holds something that this version of the format does not have.
        case unknownContent(UInt8)
        /// More bytes are said to be committed than a chunk holds, or fewer than are sealed.
        case lengthsDisagree(committed: UInt32, sealed: UInt32)
        /// The sealed records fail their checksum; those that look sound are read.
        case checksumFailed
        /// The file ends before the chunk's committed bytes do.
        case cutOff
        /// The file says that it was closed, but goes on behind its last committed byte: its end is missing.
        case endMissing
        /// An event record is malformed; the chunk is read up to it.
        case malformedRecord(tag: UInt8)
        /// A definition record is malformed; the chunk is read up to it.
        case malformedDefinition(tag: UInt8)
        /// The thread's events do not go on where the chunk before ended.
        case sequenceBreak(expected: UInt64, found: UInt64)
        /// Two chunks claim the same place in the thread's stream; only one of them is read.
        case repeatedSerial(UInt64)
        /// The system could not read the chunk.
        case unreadable(code: Int32)
        /// So many chunks that came into use are no longer there.
        case chunksMissing(Int)
        /// The trace is a redacted copy of one that was damaged in so many places.
        case damagedOriginal(places: UInt32)
    }

    /// The number of the chunk in the file, from 0; `nil` for what concerns the whole file.
    public var chunk: Int?
    /// The thread, where the chunk's header tells it.
    public var thread: UInt32?
    /// The byte of the file at which the damage was met.
    public var offset: UInt64
    /// What is wrong there.
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

    /// A number for each case, so that the same finding in one chunk counts once however often it is read.
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
