/// Walks the records of one chunk of events, without allocating; the fastest way through a trace.
///
///     while cursor.next() { if cursor.rawKind == EventKind.emitted.rawValue { counts[cursor.subject] += 1 } }
///
/// Kinds that this version does not know are skipped. The memory must not change while the cursor is in use. Whatever the
/// bytes contain, the cursor reads nothing beyond them and terminates. If it stops before the end of the records, `isSound`
/// is false and `position` is the offset of the malformed record.
public struct RecordCursor {
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline let end: Int
    /// The offset of the next record, in bytes from the first record.
    @usableFromInline var following: Int
    @usableFromInline var followingSequence: UInt64
    @usableFromInline var tag: UInt8 = 0
    @usableFromInline var currentStart: Int
    @usableFromInline var currentSubject: UInt32 = 0
    @usableFromInline var currentTicks: UInt64
    @usableFromInline var currentReason: UInt8 = 0
    @usableFromInline var currentBody = 0
    @usableFromInline var currentSequence: UInt64 = 0
    @usableFromInline var stopped = false

    /// A cursor before the first of `records`, the committed bytes of the chunk with `header`.
    @inlinable
    public init(_ records: UnsafeRawBufferPointer, of header: ChunkHeader) {
        self.init(records, at: 0, ticks: header.baseTicks, sequence: header.firstSequence)
    }

    /// A cursor that continues at `position`, after a record at `ticks`, with the event number `sequence`.
    @usableFromInline
    init(_ records: UnsafeRawBufferPointer, at position: Int, ticks: UInt64, sequence: UInt64) {
        base = records.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        end = records.count
        following = position
        currentStart = position
        currentTicks = ticks
        followingSequence = sequence
    }

    /// A cursor at the record of another one, with its bytes elsewhere.
    init(movedTo base: UnsafeRawPointer, _ other: RecordCursor) {
        self.base = base
        end = other.following
        following = other.following
        followingSequence = other.followingSequence
        tag = other.tag
        currentStart = other.currentStart
        currentSubject = other.currentSubject
        currentTicks = other.currentTicks
        currentReason = other.currentReason
        currentBody = other.currentBody
        currentSequence = other.currentSequence
    }

    /// The raw kind of the record; see `EventKind`.
    @inlinable public var rawKind: UInt8 { tag & EventFlag.kindMask }
    /// The kind of the record.
    public var kind: EventKind { EventKind(rawValue: rawKind) ?? .context }
    /// Whether the record carries its own stamp.
    @inlinable public var isStamped: Bool { tag & EventFlag.stamped != 0 }
    /// Whether it is an emission, completion or failure that has deliveries.
    @inlinable public var delivers: Bool { tag & EventFlag.delivers != 0 }
    /// Whether it emits the current value to a new subscriber.
    @inlinable public var isReplayed: Bool { tag & EventFlag.replayed != 0 }
    /// The node, subscription or object that the record is about; 0: none.
    ///
    /// For a `hopBegan` it is the node that hopped, for a `snapshotTaken` the number of the snapshot.
    @inlinable public var subject: UInt32 { currentSubject }
    /// The reason of `suppressed` and `subscriptionEnded`; meaningless for other kinds.
    @inlinable public var reason: UInt8 { currentReason }
    /// The time of the record's stamp, or of the last stamp before it.
    @inlinable public var ticks: UInt64 { currentTicks }
    /// The record's number on its thread; a `context` has no number and returns that of the next record.
    @inlinable public var sequence: UInt64 { currentSequence }
    /// The offset of the record, in bytes from the first record; after the last record, the offset where the walk ended.
    @inlinable public var position: Int { currentStart }
    /// Whether all records so far are well formed.
    @inlinable public var isSound: Bool { !stopped }
    /// The bytes after the id and stamp: the value of an emission or failure, the payload of kinds from 16 on.
    @inlinable public var body: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + currentBody, count: following - currentBody)
    }

    @usableFromInline typealias EventFlag = TraceFormat.EventFlag
    /// The maximum length of a compact record without text on the fast path.
    @usableFromInline static let margin = 32

    /// Advances to the next record; false at the end, or at a malformed record.
    @inlinable @inline(__always)
    public mutating func next() -> Bool {
        if following &+ Self.margin <= end, fastNext() { return true }
        return checkedNext()
    }

    @inlinable @inline(__always)
    func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

    /// Reads the record if it has a known compact kind with small numbers; otherwise changes nothing.
    @inlinable @inline(__always)
    mutating func fastNext() -> Bool {
        guard let record = ShortRecord(self, at: following, after: currentTicks, kinds: EventKind.nodeReleased.rawValue)
        else { return false }
        // Other kinds have no reason.
        if record.kind == EventKind.suppressed.rawValue || record.kind == EventKind.subscriptionEnded.rawValue {
            currentReason = record.reason
        }
        tag = record.tag
        currentStart = following
        currentSubject = record.subject
        currentTicks = record.ticks
        currentBody = record.body
        currentSequence = followingSequence
        followingSequence &+= 1
        following = record.following
        return true
    }

    /// Passes over the records that follow, up to `most` and as long as they are emissions, suppressions or deliveries with small
    /// numbers; returns how many it has passed to `take`. The cursor is then behind the last one, but has nothing of it.
    ///
    /// `reason` is that of a suppression, `body` the value of an emission; both are meaningless for other kinds.
    /// Most records of a trace are passed in this way, which is faster than one by one.
    @_spi(Records) @inlinable @inline(__always)
    public mutating func passDeliveries(
        most: Int,
        _ take: (_ tag: UInt8, _ subject: UInt32, _ ticks: UInt64, _ reason: UInt8, _ body: UnsafeRawBufferPointer) ->
            Void
    ) -> Int {
        var (place, ticks, count) = (following, currentTicks, 0)
        while count < most, place &+ Self.margin <= end,
            let record = ShortRecord(self, at: place, after: ticks, kinds: EventKind.deliveryEnded.rawValue)
        {
            let body = UnsafeRawBufferPointer(start: base + record.body, count: record.following &- record.body)
            take(record.tag, record.subject, record.ticks, record.reason, body)
            (place, ticks) = (record.following, record.ticks)
            count &+= 1
        }
        (following, currentTicks) = (place, ticks)
        followingSequence &+= UInt64(truncatingIfNeeded: count)
        return count
    }

    /// The number of the record that follows.
    @_spi(Records) @inlinable public var nextSequence: UInt64 { followingSequence }

    @inlinable @inline(__always)
    func skipShortValue(_ place: inout Int) -> Bool {
        let form = byte(place)
        place &+= 1
        switch form {
        case TraceFormat.ValueForm.signed.rawValue, TraceFormat.ValueForm.unsigned.rawValue:
            // A ninth and tenth byte need the check that the number fits 64 bits.
            let limit = place &+ 8
            while byte(place) >= 0x80 {
                place &+= 1
                if place == limit { return false }
            }
            place &+= 1
            return true
        case TraceFormat.ValueForm.notRecorded.rawValue...TraceFormat.ValueForm.true.rawValue,
            TraceFormat.ValueForm.opaque.rawValue:
            return true
        case TraceFormat.ValueForm.double.rawValue, TraceFormat.ValueForm.fingerprint.rawValue:
            place &+= 8
            return true
        case TraceFormat.ValueForm.float.rawValue:
            place &+= 4
            return true
        case TraceFormat.ValueForm.string.rawValue, TraceFormat.ValueForm.description.rawValue:
            let count = byte(place)
            place &+= 1 &+ Int(count)
            return count < 0x80 && place <= end
        default: return false
        }
    }

    @inlinable @inline(__always)
    mutating func checkedNext() -> Bool {
        guard !stopped else { return false }
        // Values in, a value out: a call that took the cursor's address would keep the cursor out of registers.
        let step = CheckedStep(base, following, end, currentTicks, followingSequence)
        tag = step.tag
        currentStart = step.start
        currentSubject = step.subject
        currentTicks = step.ticks
        currentReason = step.reason
        currentBody = step.body
        currentSequence = step.sequence
        followingSequence = step.followingSequence
        following = step.following
        stopped = step.outcome == .unsound
        return step.outcome == .record
    }
}

/// A record of a known compact kind with small numbers.
@usableFromInline @frozen
struct ShortRecord {
    @usableFromInline let tag: UInt8
    @usableFromInline let reason: UInt8
    @usableFromInline let subject: UInt32
    @usableFromInline let ticks: UInt64
    /// The offsets of what follows the stamp, and of the next record.
    @usableFromInline let body: Int
    @usableFromInline let following: Int

    @inlinable @inline(__always)
    var kind: UInt8 { tag & TraceFormat.EventFlag.kindMask }

    /// Reads a record of one of the first `kinds` kinds; nil if it is another one, or has a large number or a long text.
    ///
    /// The margin makes bounds checks unnecessary, except for texts.
    @inlinable @inline(__always)
    init?(_ cursor: RecordCursor, at start: Int, after lastTicks: UInt64, kinds: UInt8) {
        let tag = cursor.byte(start)
        let kind = tag & TraceFormat.EventFlag.kindMask
        guard kind &- 1 < kinds else { return nil }
        var place = start &+ 1
        var subject: UInt32 = 0
        if kind != EventKind.deliveryEnded.rawValue {
            subject = UInt32(cursor.byte(place))
            place &+= 1
            if subject >= 0x80 {
                let second = UInt32(cursor.byte(place))
                place &+= 1
                subject = subject & 0x7F | second << 7
                if second >= 0x80 {
                    let third = UInt32(cursor.byte(place))
                    guard third < 0x80 else { return nil }
                    place &+= 1
                    subject = subject & 0x3FFF | third << 14
                }
            }
        }
        var ticks = lastTicks
        if tag & TraceFormat.EventFlag.stamped != 0 {
            var delta = UInt64(cursor.byte(place))
            place &+= 1
            if delta >= 0x80 {
                let second = UInt64(cursor.byte(place))
                place &+= 1
                delta = delta & 0x7F | second << 7
                if second >= 0x80 {
                    let third = UInt64(cursor.byte(place))
                    place &+= 1
                    delta = delta & 0x3FFF | third << 14
                    if third >= 0x80 {
                        let fourth = UInt64(cursor.byte(place))
                        guard fourth < 0x80 else { return nil }
                        place &+= 1
                        delta = delta & 0x1F_FFFF | fourth << 21
                    }
                }
            }
            ticks &+= delta
        }
        body = place
        var reason: UInt8 = 0
        if kind == EventKind.emitted.rawValue {
            guard cursor.skipShortValue(&place) else { return nil }
        } else if kind == EventKind.suppressed.rawValue || kind == EventKind.subscriptionEnded.rawValue {
            reason = cursor.byte(place)
            place &+= 1
        }
        (self.tag, self.reason, self.subject, self.ticks) = (tag, reason, subject, ticks)
        following = place
    }
}

/// The next record of a known kind, read with all checks; the fallback of the cursor's fast path.
@usableFromInline
struct CheckedStep {
    @usableFromInline enum Outcome: UInt8 { case record, end, unsound }

    @usableFromInline var outcome = Outcome.end
    @usableFromInline var tag: UInt8 = 0
    @usableFromInline var start: Int
    @usableFromInline var subject: UInt32 = 0
    @usableFromInline var ticks: UInt64
    @usableFromInline var reason: UInt8 = 0
    @usableFromInline var body: Int
    @usableFromInline var sequence: UInt64
    @usableFromInline var followingSequence: UInt64
    @usableFromInline var following: Int

    @inline(never) @usableFromInline
    init(_ base: UnsafeRawPointer, _ from: Int, _ end: Int, _ ticks: UInt64, _ sequence: UInt64) {
        start = from
        body = from
        following = from
        self.ticks = ticks
        self.sequence = sequence
        followingSequence = sequence
        var scanner = ByteScanner(base, from: from, to: end)
        repeat {
            start = scanner.position
            body = start
            following = start
            guard let next = scanner.byte() else { return }
            tag = next
            guard decode(&scanner) else {
                outcome = .unsound
                body = start
                following = start
                return
            }
            following = scanner.position
            self.sequence = followingSequence
            if kind != EventKind.context.rawValue { followingSequence &+= 1 }
        } while EventKind(rawValue: kind) == nil
        outcome = .record
    }

    private var kind: UInt8 { tag & TraceFormat.EventFlag.kindMask }
    private var isStamped: Bool { tag & TraceFormat.EventFlag.stamped != 0 }

    private mutating func decode(_ scanner: inout ByteScanner) -> Bool {
        switch kind {
        case 0: false
        case 1...15: decodeCompact(&scanner)
        default: decodeCounted(&scanner)
        }
    }

    private mutating func decodeCompact(_ scanner: inout ByteScanner) -> Bool {
        subject = 0
        if kind != EventKind.deliveryEnded.rawValue {
            guard let id = scanner.id() else { return false }
            subject = id
        }
        guard readStamp(&scanner) else { return false }
        body = scanner.position
        switch EventKind(rawValue: kind) {
        case .emitted, .completed, .failed, .written, nil: return TraceValue.skip(&scanner)
        case .suppressed, .subscriptionEnded:
            guard let byte = scanner.byte() else { return false }
            reason = byte
        default: break
        }
        return true
    }

    private mutating func decodeCounted(_ scanner: inout ByteScanner) -> Bool {
        subject = 0
        guard let count = scanner.varint() else { return false }
        let start = scanner.position
        guard scanner.skip(count) else { return false }
        var payload = ByteScanner(scanner.base, from: start, to: scanner.position)
        guard readStamp(&payload) else { return false }
        body = payload.position
        switch EventKind(rawValue: kind) {
        case .objectTracked, .objectReleased, .objectExpected, .snapshotTaken, .hopBegan, .hopScheduled:
            guard let id = payload.id() else { return false }
            subject = id
        default: break
        }
        return true
    }

    private mutating func readStamp(_ scanner: inout ByteScanner) -> Bool {
        guard isStamped else { return true }
        guard let delta = scanner.varint() else { return false }
        ticks &+= delta
        return true
    }
}
