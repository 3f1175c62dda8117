@_spi(Records) import WeirTrace

/// A record as the rules need it; smaller than a cursor.
struct FlowStep {
    /// The kind of a step that is no record: a chunk of the thread begins, and lists no open frames.
    static let closesAll: UInt8 = 0
    /// How many steps ahead the state of a step's subscription or node is fetched.
    static let lookahead = 4

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
    init(tag: UInt8, _ ticks: UInt64, _ place: Int32, reason: UInt8) {
        (self.ticks, self.place, self.reason) = (ticks, place, reason)
        kind = tag & TraceFormat.EventFlag.kindMask
        flags = tag & ~TraceFormat.EventFlag.kindMask
    }

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
        first = .allocate(capacity: capacity + FlowStep.lookahead)
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

/// Steps of a thread that have been decoded before their turn, and the values of the emissions among them.
private struct FlowSlice {
    let steps: UnsafeMutablePointer<FlowStep>
    let values: UnsafeMutablePointer<ValueKey>
    /// The first step that has not been taken, its value, and its number.
    var next: UnsafeMutablePointer<FlowStep>
    var nextValue: UnsafeMutablePointer<ValueKey>
    var number: UInt64 = 0
    /// Behind the last step.
    var end: UnsafeMutablePointer<FlowStep>

    init(capacity: Int) {
        steps = .allocate(capacity: capacity)
        values = .allocate(capacity: capacity)
        (next, nextValue, end) = (steps, values, steps)
    }

    func deallocate() {
        steps.deallocate()
        values.deallocate()
    }
}

/// Decodes the records of a trace into blocks.
///
/// Nearly all records are emissions, suppressions and deliveries. They are decoded many at a time, into a slice for each thread,
/// from which a run takes as many as precede the next record of another thread. The first record of a run, and those of other
/// kinds, are decoded one by one.
///
/// Until two threads touch one part of the graph, a run takes all of the slice that precedes what other threads have not decoded yet.
/// Threads that alternate then cost hardly more than one. Records of other kinds come in their order.
struct FlowFeed {
    private let pipe: BlockPipe<FlowBlock>
    private let tables: FlowTables
    private var block: FlowBlock
    private var next: UnsafeMutablePointer<FlowStep>
    private var nextValue: UnsafeMutablePointer<ValueKey>
    private var room: UnsafeMutablePointer<FlowStep>
    /// The first step of the current run.
    private var start: UnsafeMutablePointer<FlowStep>
    /// The number of its first record.
    private var sequence: UInt64 = 0
    private var chunks: UInt64 = 0
    /// By the places of threads.
    private var slices: UnsafeMutableBufferPointer<FlowSlice>
    /// At least a whole slice fits into a block.
    private let sliceCapacity: Int

    private static let longestSlice = 128

    private var parts: GraphParts
    /// Whether no part has been touched by two threads.
    private var areApart: Bool

    /// - Parameters:
    ///   - isExact: Whether all steps must come in the order of the trace.
    ///   - threads: The number of threads.
    ///   - blockCapacity: How many steps a block has room for.
    init(_ pipe: BlockPipe<FlowBlock>, _ tables: FlowTables, threads: Int, isExact: Bool, blockCapacity: Int) {
        (self.pipe, self.tables) = (pipe, tables)
        parts = GraphParts(tables)
        areApart = threads > 1 && !isExact
        sliceCapacity = min(Self.longestSlice, blockCapacity)
        slices = .allocate(capacity: threads)
        for place in 0..<threads { slices.initializeElement(at: place, to: FlowSlice(capacity: sliceCapacity)) }
        block = pipe.nextEmpty()
        block.removeAll()
        (next, nextValue, start, room) = (block.first, block.values, block.first, block.room)
    }

    /// Takes the records of a run.
    @inline(__always)
    mutating func take(_ run: inout RecordRun) {
        if run.isAhead, !takeSlice(&run, startsRun: true) { return }
        takeRecords(&run)
    }

    /// Takes the records of a run after those that are in the slice.
    @inline(never)
    private mutating func takeRecords(_ run: inout RecordRun) {
        var cursor = run.cursor
        if run.isAhead {
            run.catchUp()
        } else {
            if run.startsChunk { beginChunk(of: run.thread, cursor) }
            guard take(cursor, &run) else { return run.stop(at: cursor) }
        }
        while true {
            if run.mayReadAhead, fill(run.place, &cursor) {
                if takeSlice(&run, startsRun: false) { continue }
                return run.cursor = cursor
            }
            guard run.advance(&cursor) else { return endRun(run.thread) }
            guard take(cursor, &run) else { return run.stop(at: cursor) }
        }
    }

    /// Decodes steps behind the cursor into a slice; false: there is none.
    private mutating func fill(_ place: Int, _ cursor: inout RecordCursor) -> Bool {
        let slice = slices.baseAddress.unsafelyUnwrapped + place
        var (step, value) = (slice.pointee.steps, slice.pointee.values)
        (slice.pointee.next, slice.pointee.nextValue, slice.pointee.number) = (step, value, cursor.nextSequence)
        let count = cursor.passDeliveries(most: sliceCapacity) { tag, subject, ticks, reason, body in
            let kind = tag & TraceFormat.EventFlag.kindMask
            if kind == EventKind.emitted.rawValue {
                value.initialize(to: .of(body))
                value += 1
            }
            step.initialize(to: FlowStep(tag: tag, ticks, tables.place(of: subject, kind: kind), reason: reason))
            step += 1
        }
        touch(slice.pointee.steps, count, place)
        slice.pointee.end = step
        return count > 0
    }

    /// Takes the steps of a slice that belong to the run; false: these are not all, and the run is over.
    ///
    /// The first record of a run belongs to it whatever its time: a hop may wait for it.
    @inline(__always)
    private mutating func takeSlice(_ run: inout RecordRun, startsRun: Bool) -> Bool {
        let slice = slices.baseAddress.unsafelyUnwrapped + run.place
        let (first, end) = (slice.pointee.next, slice.pointee.end)
        if room - next < end - first { handOver(run.thread) }
        begin(slice.pointee.number, run.thread)
        let limit = areApart ? run.looseLimit : run.limit
        var (from, value, next, nextValue) = (first, slice.pointee.nextValue, next, nextValue)
        while from < end, limit.includes(from.pointee.ticks) || startsRun && from == first {
            next.initialize(to: from.pointee)
            if from.pointee.kind == EventKind.emitted.rawValue {
                nextValue.initialize(to: value.pointee)
                nextValue += 1
                value += 1
            }
            next += 1
            from += 1
        }
        (self.next, self.nextValue) = (next, nextValue)
        slice.pointee.number &+= UInt64(truncatingIfNeeded: from - first)
        if from == end { return true }
        (slice.pointee.next, slice.pointee.nextValue) = (from, value)
        endRun(run.thread)
        run.end(
            aheadFrom: from.pointee.ticks, slice.pointee.number, looseTicks: areApart ? (end - 1).pointee.ticks : nil)
        return false
    }

    /// Takes a record of any kind; false if it is malformed.
    private mutating func take(_ cursor: RecordCursor, _ run: inout RecordRun) -> Bool {
        if next == room { handOver(run.thread) }
        begin(cursor.sequence, run.thread)
        let kind = cursor.rawKind
        if kind > EventKind.deliveryEnded.rawValue { return takeOther(cursor, &run) }
        if kind == EventKind.emitted.rawValue {
            nextValue.initialize(to: .of(cursor.body))
            nextValue += 1
        }
        next.initialize(to: FlowStep(cursor, tables.place(of: cursor.subject, kind: kind)))
        touch(next, 1, run.place)
        next += 1
        return true
    }

    /// Notes that a thread touches the parts of steps.
    @inline(__always)
    private mutating func touch(_ steps: UnsafePointer<FlowStep>, _ count: Int, _ thread: Int) {
        if areApart { areApart = parts.touch(UnsafeBufferPointer(start: steps, count: count), thread) }
    }

    /// Notes that a thread touches the parts of a frame: a completion or failure, or one that is open as a chunk begins.
    private mutating func touch(node: Int32, subscription: Int32, _ thread: Int) {
        areApart =
            areApart && parts.touch(node: node, thread) && parts.touch(subscription: subscription, thread)
    }

    /// Continues the run of steps with the record of this number, or begins another one if that does not follow.
    @inline(__always)
    private mutating func begin(_ number: UInt64, _ thread: UInt32) {
        if number == sequence &+ UInt64(truncatingIfNeeded: next - start) { return }
        endRun(thread)
        sequence = number
    }

    /// A chunk's first record lists the open frames; without such a record, none is open.
    @inline(never)
    private mutating func beginChunk(of thread: UInt32, _ cursor: RecordCursor) {
        chunks += 1
        if cursor.rawKind == EventKind.context.rawValue { return }
        if next == room { handOver(thread) }
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
        var isSound = true
        switch cursor.kind {
        case .completed, .failed: touch(node: place, subscription: -1, run.place)
        case .context:
            isSound = cursor.openFrames != nil
            for frame in cursor.openFrames?.frames ?? [] where frame.opener == .emission {
                touch(
                    node: tables.place(ofNode: frame.node),
                    subscription: tables.place(ofSubscription: frame.subscription), run.place)
            }
        case .stimulusBegan, .checkpoint: isSound = cursor.text != nil
        case .hopBegan: isSound = cursor.isSoundHop
        case .eventsLost: run.noteLoss()
        default: break
        }
        if !isSound { endRun(run.thread) }
        return isSound
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
        let following = sequence &+ UInt64(truncatingIfNeeded: next - start)
        endRun(thread)
        send()
        block = pipe.nextEmpty()
        block.removeAll()
        (next, nextValue, start, room) = (block.first, block.values, block.first, block.room)
        sequence = following
    }

    /// Sends the block, with empty steps at its end for a look ahead.
    private func send() {
        next.initialize(repeating: .closingAll, count: FlowStep.lookahead)
        block.chunks = chunks
        pipe.handOver(block)
    }

    /// Hands the last block over.
    func finish() {
        send()
        for slice in slices { slice.deallocate() }
        slices.deallocate()
    }
}

extension FlowTables {
    /// The index of the node or subscription of an emission, suppression or delivery.
    @inline(__always)
    fileprivate func place(of subject: UInt32, kind: UInt8) -> Int32 {
        if kind <= EventKind.suppressed.rawValue { return place(ofNode: subject) }
        if kind == EventKind.deliveryEnded.rawValue { return -1 }
        return subject == 0 ? FlowFrame.settling : place(ofSubscription: subject)
    }
}

extension ValueKey {
    @inline(never)
    fileprivate static func of(_ body: UnsafeRawBufferPointer) -> ValueKey { ValueKey(body) }
}
