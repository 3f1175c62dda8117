@_spi(Records) import WeirTrace

/// A record as the rules need it; smaller than a cursor.
struct FlowStep {
    /// The kind of a step that is no record: a chunk of the thread begins, and lists no open frames.
    static let closesAll: UInt8 = 0

    let ticks: UInt64
    /// The index of the node or subscription; -1 if the trace does not define it, or if it is none; of a delivery that settles the
    /// turn, `FlowFrame.settling`.
    let place: Int32
    /// The raw kind of the record.
    let kind: UInt8
    /// The reason of `suppressed` and `subscriptionEnded`.
    let reason: UInt8
    private let flags: UInt8

    @inline(__always) var delivers: Bool { flags & TraceFormat.EventFlag.delivers != 0 }
    @inline(__always) var isReplayed: Bool { flags & TraceFormat.EventFlag.replayed != 0 }

    @inline(__always)
    init(_ cursor: RecordCursor, _ place: Int32) {
        ticks = cursor.ticks
        self.place = place
        kind = cursor.rawKind
        reason = cursor.reason
        flags = cursor.flags
    }

    /// A step that is no record.
    private init(kind: UInt8) { (ticks, place, self.kind, reason, flags) = (0, -1, kind, 0, 0) }

    static let closingAll = FlowStep(kind: closesAll)
}

/// Consecutive steps of one thread.
struct FlowRun {
    /// The number of the thread.
    let thread: UInt32
    let count: UInt32
    /// The number of the first record; the others follow without gaps.
    let sequence: UInt64
}

/// Consecutive records of a trace, decoded on one thread and judged on another.
final class FlowBlock {
    /// The steps.
    let first: UnsafeMutablePointer<FlowStep>
    fileprivate let room: UnsafeMutablePointer<FlowStep>
    /// The runs of steps, of which there are at most as many as steps.
    fileprivate let firstRun: UnsafeMutablePointer<FlowRun>
    fileprivate var runCount = 0
    /// The values of emissions.
    let values: UnsafeMutablePointer<ValueKey>
    /// The records of other kinds than emissions, suppressions and deliveries. Their bytes are copied.
    private(set) var others: [RecordCursor] = []
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: TraceFormat.chunkSize, alignment: 8)
    private var byteCount = 0
    /// How many chunks of the trace had begun when the block was filled.
    fileprivate(set) var chunks: UInt64 = 0

    /// - Parameter capacity: How many steps it has room for; at least 1.
    init(capacity: Int) {
        first = .allocate(capacity: capacity)
        firstRun = .allocate(capacity: capacity)
        values = .allocate(capacity: capacity)
        room = first + capacity
    }

    deinit {
        first.deallocate()
        firstRun.deallocate()
        values.deallocate()
        bytes.deallocate()
    }

    var runs: UnsafeBufferPointer<FlowRun> { UnsafeBufferPointer(start: firstRun, count: runCount) }

    fileprivate func removeAll() {
        (runCount, byteCount) = (0, 0)
        others.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    fileprivate func append(_ run: FlowRun) {
        (firstRun + runCount).initialize(to: run)
        runCount &+= 1
    }

    /// Appends a record of another kind; false: there is no room for its bytes.
    fileprivate func append(_ cursor: RecordCursor) -> Bool {
        guard byteCount + cursor.byteCount <= TraceFormat.chunkSize else { return false }
        others.append(cursor.copied(to: bytes + byteCount))
        byteCount += cursor.byteCount
        return true
    }
}

/// Decodes the records of a trace into blocks.
struct FlowFeed {
    private let pipe: BlockPipe<FlowBlock>
    private let tables: FlowTables
    private var block: FlowBlock
    private var next: UnsafeMutablePointer<FlowStep>
    private var nextValue: UnsafeMutablePointer<ValueKey>
    /// The first step of the current run.
    private var start: UnsafeMutablePointer<FlowStep>
    /// The number of its first record.
    private var sequence: UInt64 = 0
    private var chunks: UInt64 = 0

    init(_ pipe: BlockPipe<FlowBlock>, _ tables: FlowTables) {
        (self.pipe, self.tables) = (pipe, tables)
        block = pipe.nextEmpty()
        block.removeAll()
        (next, nextValue, start) = (block.first, block.values, block.first)
    }

    /// Takes the records of a run.
    @inline(__always)
    mutating func take(_ run: inout RecordRun) {
        var cursor = run.cursor
        if run.startsChunk { beginChunk(of: run.thread, cursor) }
        sequence = cursor.sequence
        var next = next
        var nextValue = nextValue
        var room = block.room
        var following = sequence
        repeat {
            if next == room || cursor.sequence != following {
                (self.next, self.nextValue) = (next, nextValue)
                if next == room { handOver(run.thread) } else { endRun(run.thread) }
                (next, nextValue, room) = (self.next, self.nextValue, block.room)
                sequence = cursor.sequence
                following = sequence
            }
            following &+= 1
            let kind = cursor.rawKind
            var place: Int32 = -1
            if kind <= 2 {
                place = tables.place(ofNode: cursor.subject)
                if kind == 1 {
                    nextValue.initialize(to: ValueKey.of(cursor.body))
                    nextValue += 1
                }
            } else if kind <= 4 {
                place = cursor.subject == 0 ? FlowFrame.settling : tables.place(ofSubscription: cursor.subject)
            } else if kind > 5 {
                (self.next, self.nextValue) = (next, nextValue)
                let isSound = takeOther(cursor, &run)
                (next, nextValue, room) = (self.next, self.nextValue, block.room)
                if isSound { continue }
                endRun(run.thread)
                return run.stop(at: cursor)
            }
            next.initialize(to: FlowStep(cursor, place))
            next += 1
        } while run.advance(&cursor)
        (self.next, self.nextValue) = (next, nextValue)
        endRun(run.thread)
    }

    /// A chunk's first record lists the open frames; without such a record, none is open.
    @inline(never)
    private mutating func beginChunk(of thread: UInt32, _ cursor: RecordCursor) {
        chunks += 1
        if cursor.rawKind == EventKind.context.rawValue { return }
        if next == block.room { handOver(thread) }
        next.initialize(to: .closingAll)
        next += 1
        endRun(thread)
    }

    /// Takes a record of another kind; false if it is malformed.
    @inline(never)
    private mutating func takeOther(_ cursor: RecordCursor, _ run: inout RecordRun) -> Bool {
        let place =
            switch cursor.kind {
            case .subscriptionStarted, .subscriptionEnded: tables.place(ofSubscription: cursor.subject)
            case .nodeCreated, .completed, .failed, .hopBegan: tables.place(ofNode: cursor.subject)
            default: Int32(-1)
            }
        if !block.append(cursor) {
            handOver(run.thread)
            sequence = cursor.sequence
            _ = block.append(cursor)
        }
        next.initialize(to: FlowStep(cursor, place))
        next += 1
        switch cursor.kind {
        case .context: return cursor.openFrames != nil
        case .stimulusBegan, .checkpoint: return cursor.text != nil
        case .hopBegan: return cursor.isSoundHop
        case .eventsLost: run.noteLoss()
        default: break
        }
        return true
    }

    /// Ends the current run of steps.
    @inline(__always)
    private mutating func endRun(_ thread: UInt32) {
        guard next > start else { return }
        let count = UInt32(truncatingIfNeeded: next - start)
        block.append(FlowRun(thread: thread, count: count, sequence: sequence))
        start = next
    }

    /// Hands the block over, and begins the next one.
    @inline(never)
    private mutating func handOver(_ thread: UInt32) {
        endRun(thread)
        finish()
        block = pipe.nextEmpty()
        block.removeAll()
        (next, nextValue, start) = (block.first, block.values, block.first)
    }

    /// Hands the last block over.
    func finish() {
        block.chunks = chunks
        pipe.handOver(block)
    }
}

extension ValueKey {
    @inline(never)
    fileprivate static func of(_ body: UnsafeRawBufferPointer) -> ValueKey { ValueKey(body) }
}
