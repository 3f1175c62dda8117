import Dispatch

/// Counts chunks of events, in whatever order they come.
package protocol ChunkCounter: AnyObject {
    /// Counts the records of a chunk; returns the number of its events, or nil if they cannot be counted without order.
    ///
    /// If it does not start a run, the thread's chunk before it was the last one counted.
    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, startsRun: Bool) -> UInt64?
}

extension TraceReader {
    /// Whether the order of events is known without reading all of them: the trace is closed, and nothing known is missing.
    package var canSkipEvents: Bool {
        header.isClosed && header.lostEvents == 0 && damageCount == 0 && hasRisingChunks
            && (!header.isFlightRecorder || header.overwrittenEvents == 0)
    }

    /// Lets two counters share all chunks of events, on two threads; returns them and the number of events.
    ///
    /// It is nil if the trace is incomplete, or damaged anywhere: then read it in order, which reports the damage.
    ///
    /// - Parameters:
    ///   - inRuns: Whether the chunks of a thread stay together up to one at whose beginning no frame is open.
    ///   - start: The time from which all events are counted; those before it are, if they share a chunk with one of these. Damage
    ///     to the other chunks is not noticed.
    package func countChunks<Counter: ChunkCounter>(
        inRuns: Bool, from start: UInt64 = 0, reporting report: ((_ chunks: Int) -> Void)? = nil,
        _ make: () -> Counter
    ) -> (counters: [Counter], events: UInt64)? {
        guard canSkipEvents else { return nil }
        let entries = start == 0 ? index.events : index.events(from: start)
        let work = ChunkWork(file, entries, inRuns: inRuns, isWhole: start == 0)
        let made = [make(), make()]
        share(work, made, reporting: report)
        return work.eventCount.map { (made, $0) }
    }

    /// The result of `body`, if each chunk of events is sealed and matches its checksum; else nil, and `body` has noted no damage.
    ///
    /// All chunks are checked meanwhile on a second thread, and after `body` on this one, too.
    package func ifSealed<Value>(_ body: () -> Value) -> Value? {
        let known = (damage, damageCount, noted, hasSeenLoss)
        let work = ChunkWork(file, index.events, inRuns: false, isWhole: true)
        let group = DispatchGroup()
        DispatchQueue.global(qos: .userInitiated).async(group: group) { work.share(with: SealCheck()) { _ in } }
        let value = body()
        work.share(with: SealCheck()) { _ in }
        group.wait()
        if work.isSound { return value }
        (damage, damageCount, noted, hasSeenLoss) = known
        return nil
    }

    private func share(
        _ work: ChunkWork, _ counters: [any ChunkCounter], reporting report: ((_ chunks: Int) -> Void)?
    ) {
        nonisolated(unsafe) let counters = counters
        nonisolated(unsafe) let report = report
        DispatchQueue.concurrentPerform(iterations: counters.count) { number in
            // One thread reports, while the caller waits.
            work.share(with: counters[number]) { if number == 0 { report?($0) } }
        }
    }
}

/// Checks that a chunk is sealed; a chunk's checksum is checked before it is counted.
private final class SealCheck: ChunkCounter {
    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, startsRun: Bool) -> UInt64? {
        header.sealed > 0 && header.sealed == header.committed ? 0 : nil
    }
}

/// The chunks that several threads share, in runs; each takes the next run that nobody has taken.
private final class ChunkWork: @unchecked Sendable {
    private static let shortestRun = 8

    private let file: InputFile
    private let entries: [ChunkIndex.Entry]
    private let isWhole: Bool
    private var runs: [Range<Int>] = []
    private let lock = SystemLock()
    // Under the lock.
    private var next = 0
    private var numbers: [(first: UInt64, count: UInt64)]
    private(set) var isSound = true

    /// - Parameters:
    ///   - entries: Ordered by thread, then serial.
    ///   - isWhole: Whether these are all chunks of events of the file.
    init(_ file: InputFile, _ entries: [ChunkIndex.Entry], inRuns: Bool, isWhole: Bool) {
        (self.file, self.entries, self.isWhole) = (file, entries, isWhole)
        numbers = Array(repeating: (0, 0), count: entries.count)
        var start = 0
        for place in entries.indices where place > start {
            let isNewThread = entries[place].thread != entries[start].thread
            guard isNewThread || !inRuns || place - start >= Self.shortestRun && isQuiet(entries[place]) else {
                continue
            }
            runs.append(start..<place)
            start = place
        }
        if start < entries.count { runs.append(start..<entries.count) }
        runs.sort { entries[$0.lowerBound].index < entries[$1.lowerBound].index }
    }

    func share(with counter: any ChunkCounter, _ report: (Int) -> Void) {
        let buffer = ChunkBuffer()
        while let run = take() {
            for place in run {
                if place % 16 == 0 { report(place) }
                let chunk = file.undamaged(entries[place], into: buffer)
                let count = chunk.flatMap { counter.count($0, $1, startsRun: place == run.lowerBound) }
                let isLost = lock.withLock {
                    if let chunk, let count { numbers[place] = (chunk.0.firstSequence, count) } else { isSound = false }
                    return !isSound
                }
                if isLost { return }
            }
        }
    }

    /// The number of events, if each thread's are numbered without gaps; nil if a chunk could not be counted.
    var eventCount: UInt64? {
        guard isSound else { return nil }
        var (thread, following, total): (UInt32, UInt64, UInt64) = (0, 1, 0)
        for (entry, number) in zip(entries, numbers) {
            if entry.thread != thread { (thread, following) = (entry.thread, isWhole ? 1 : number.first) }
            guard number.first == following else { return nil }
            following &+= number.count
            total &+= number.count
        }
        return total
    }

    private func take() -> Range<Int>? {
        lock.withLock {
            guard isSound, next < runs.count else { return nil }
            next += 1
            return runs[next - 1]
        }
    }

    /// Whether nothing is open at the beginning of a chunk, and its first record stands alone.
    private func isQuiet(_ entry: ChunkIndex.Entry) -> Bool {
        var tag: UInt8 = 0
        let offset = ChunkHeader.offset(of: Int(entry.index)) + UInt64(TraceFormat.chunkHeaderLength)
        guard case .count(1) = withUnsafeMutableBytes(of: &tag, { file.read(into: $0, at: offset) }) else {
            return false
        }
        let kind = EventKind(rawValue: tag & TraceFormat.EventFlag.kindMask)
        return kind != nil && kind != .context && kind != .snapshotTaken
    }
}

extension RecordCursor {
    /// Whether the body of a rare record holds everything about its event; never for a report of losses.
    package var isSoundRare: Bool {
        switch kind {
        case .eventsLost: false
        case .stimulusBegan, .checkpoint: text != nil
        case .hopBegan: isSoundHop
        case .hopScheduled: scheduledCount != nil
        case .snapshotTaken: snapshotPause != nil
        default: true
        }
    }

    /// The `count` of a `hopScheduled`; nil if it is malformed.
    package var scheduledCount: UInt64? {
        guard let base = body.baseAddress else { return nil }
        var payload = ByteScanner(base, from: 0, to: body.count)
        return payload.id() == nil ? nil : payload.varint()
    }

    /// The `count` of a `snapshotTaken`; nil if it is malformed.
    package var snapshotPause: UInt64? {
        guard let base = body.baseAddress else { return nil }
        var payload = ByteScanner(base, from: 0, to: body.count)
        guard payload.id() != nil, payload.varint() != nil, payload.varint() != nil else { return nil }
        return payload.isAtEnd ? 0 : payload.varint()
    }
}
