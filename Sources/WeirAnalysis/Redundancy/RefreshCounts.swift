import WeirTrace

/// The refreshes of a trace by stimulus and handler line, counted while the rules read it.
///
/// Memory grows with lines, and with the stimuli that refresh each; not with events.
package final class RefreshCounts {
    /// The refreshes of one line that follow from stimuli of one name.
    package struct Cell {
        /// Index of the stimulus in `stimuli`; 0: outside of all stimuli.
        package let stimulus: Int32
        /// Index of the line.
        package let line: Int32
        package var refreshes: UInt64 = 0
        package var handlerTicks: UInt64 = 0
        fileprivate var byMarks = (refreshes: UInt64(0), ticks: UInt64(0))
        fileprivate var byTime = (refreshes: UInt64(0), ticks: UInt64(0))
    }

    /// The handler times of one line.
    package struct Times {
        package var longest: UInt64 = 0
        fileprivate var buckets = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
    }

    /// The state that each refresh changes. It is allocated memory: an array would be checked, and its owner retained, at each one.
    struct Table {
        fileprivate var cells: UnsafeMutableBufferPointer<Cell>
        fileprivate var cellCount = 0
        fileprivate let times: UnsafeMutableBufferPointer<Times>
        fileprivate let nanosecondsPerTick: Double
    }

    /// The names of stimuli. The first is empty: outside of all stimuli, or beyond the limit.
    @exclusivity(unchecked) package private(set) var stimuli = [""]
    /// How many stimuli had each name.
    @exclusivity(unchecked) package private(set) var counts: [UInt64] = [0]
    let table: UnsafeMutablePointer<Table>
    /// The line of each subscription, by its index in the topology.
    private let lines: [Int32]
    @exclusivity(unchecked) private var indexes: [String: Int32] = ["": 0]
    @exclusivity(unchecked) private var cellOf: [UInt64: Int32] = [:]
    /// The stimuli of each thread, and those of the thread asked for last.
    @exclusivity(unchecked) private var threads: [UInt32: Spans] = [:]
    @exclusivity(unchecked) private var lastSpans: Spans?

    private final class Spans {
        let thread: UInt32
        @exclusivity(unchecked) var spans: [Span] = []

        init(thread: UInt32) { self.thread = thread }
    }

    private struct Span {
        let first: UInt64
        var end = UInt64.max
        let stimulus: Int32
    }

    /// The most names of stimuli that are distinguished.
    private static let mostStimuli = 1000
    /// The most stimuli of a thread whose later effects are attributed.
    private static let mostSpans = 65_536
    /// Buckets per doubling of the time.
    package static let bucketsPerOctave = 8

    /// Counts for subscriptions of these lines, of which there are `lineCount`.
    package init(lines: [Int32], lineCount: Int, ticksPerSecond: UInt64) {
        self.lines = lines
        let times = UnsafeMutableBufferPointer<Times>.allocate(capacity: lineCount)
        times.initialize(repeating: Times())
        table = .allocate(capacity: 1)
        table.initialize(
            to: Table(
                cells: .allocate(capacity: 64), times: times, nanosecondsPerTick: 1e9 / Double(max(1, ticksPerSecond))))
    }

    deinit {
        for times in table.pointee.times { times.buckets.deallocate() }
        table.pointee.times.deallocate()
        table.pointee.cells.deallocate()
        table.deallocate()
    }

    /// The refreshes by stimulus and line.
    package var cells: [Cell] { Array(table.pointee.cells[..<table.pointee.cellCount]) }

    /// The longest handler time of a line, in ticks, and its number of refreshes by bucket; see `bucket(ofNanoseconds:)`.
    package func times(ofLine line: Int) -> (longest: UInt64, buckets: [UInt64]) {
        (table.pointee.times[line].longest, Array(table.pointee.times[line].buckets))
    }

    /// The bucket of a time: 8 × the exponent of two, plus the next three bits. Bucket b begins at (8 + b mod 8) × 2^(b div 8 − 3)
    /// nanoseconds and is at most 12.5 % wide. Times below a nanosecond are in bucket 0.
    package static func bucket(ofNanoseconds time: Double) -> Int {
        max(0, Int(time.bitPattern >> 49) - 1023 * bucketsPerOctave)
    }

    /// The redundant refreshes of a cell and their handler time, as `RedundancyPass` separates screens.
    package func redundant(_ cell: Cell, byMarks: Bool) -> (refreshes: UInt64, ticks: UInt64) {
        byMarks ? cell.byMarks : cell.byTime
    }

    // MARK: Counting

    /// Notes a stimulus that begins outside of all frames; returns its index.
    func began(_ text: String, _ id: EventID) -> Int32 {
        var index = indexes[text] ?? 0
        if index == 0, !text.isEmpty, stimuli.count <= Self.mostStimuli {
            index = Int32(stimuli.count)
            stimuli.append(text)
            counts.append(0)
            indexes[text] = index
        }
        counts[Int(index)] += 1
        note(index, id)
        return index
    }

    /// Notes a hop that begins outside of all frames; returns the index of the stimulus that it follows from.
    func hopBegan(cause: EventID, _ id: EventID) -> Int32 {
        let index = stimulus(of: cause)
        if index != 0 { note(index, id) }
        return index
    }

    private func note(_ index: Int32, _ id: EventID) {
        let thread = spans(of: id.thread) ?? Spans(thread: id.thread)
        if thread.spans.isEmpty { threads[id.thread] = thread }
        thread.spans.append(Span(first: id.sequence, stimulus: index))
        if thread.spans.count > Self.mostSpans { thread.spans.removeFirst(Self.mostSpans / 2) }
    }

    /// The stimuli of a thread; nil: it had none. A trace may name any number of threads as causes, so none is added here.
    private func spans(of thread: UInt32) -> Spans? {
        if let last = lastSpans, last.thread == thread { return last }
        guard let found = threads[thread] else { return nil }
        lastSpans = found
        return found
    }

    /// Notes that the outermost frame of a thread ends.
    func ended(_ id: EventID) {
        guard let thread = spans(of: id.thread), let place = thread.spans.indices.last,
            thread.spans[place].end == .max
        else { return }
        thread.spans[place].end = id.sequence
    }

    private func stimulus(of event: EventID) -> Int32 {
        guard let known = spans(of: event.thread)?.spans else { return 0 }
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle].first <= event.sequence { low = middle + 1 } else { high = middle }
        }
        guard low > 0, event.sequence <= known[low - 1].end else { return 0 }
        return known[low - 1].stimulus
    }

    /// The cell of a stimulus and a subscription.
    func cell(of place: Int, stimulus: Int32) -> Int32 {
        let key = UInt64(UInt32(bitPattern: stimulus)) << 32 | UInt64(UInt32(bitPattern: lines[place]))
        if let known = cellOf[key] { return known }
        let cell = table.pointee.append(Cell(stimulus: stimulus, line: lines[place]))
        cellOf[key] = cell
        return cell
    }
}

extension RefreshCounts.Table {
    fileprivate mutating func append(_ cell: RefreshCounts.Cell) -> Int32 {
        if cellCount == cells.count {
            let larger = UnsafeMutableBufferPointer<RefreshCounts.Cell>.allocate(capacity: 2 * cellCount)
            _ = larger.moveInitialize(fromContentsOf: cells)
            cells.deallocate()
            cells = larger
        }
        cells.initializeElement(at: cellCount, to: cell)
        cellCount += 1
        return Int32(cellCount - 1)
    }

    /// Whether a cell is that of a stimulus.
    @inline(__always)
    func isCell(_ cell: Int32, of stimulus: Int32) -> Bool {
        cell >= 0 && cells.baseAddress![Int(cell)].stimulus == stimulus
    }

    /// Counts a refresh.
    @inline(__always)
    mutating func refreshed(_ cell: Int32) { cells.baseAddress![Int(cell)].refreshes &+= 1 }

    /// Adds the handler time of a refresh.
    @inline(never)
    mutating func timed(_ cell: Int32, ticks: UInt64) {
        let cell = cells.baseAddress! + Int(cell)
        cell.pointee.handlerTicks &+= ticks
        let times = times.baseAddress! + Int(cell.pointee.line)
        let bucket = RefreshCounts.bucket(ofNanoseconds: Double(ticks) * nanosecondsPerTick)
        if bucket >= times.pointee.buckets.count { times.pointee.extend(to: bucket) }
        times.pointee.buckets.baseAddress![bucket] &+= 1
        times.pointee.longest = max(times.pointee.longest, ticks)
    }

    mutating func wasted(_ cell: Int32, _ ticks: UInt64, byMarks: Bool, byTime: Bool) {
        let cell = cells.baseAddress! + Int(cell)
        if byMarks {
            cell.pointee.byMarks.refreshes &+= 1
            cell.pointee.byMarks.ticks &+= ticks
        }
        if byTime {
            cell.pointee.byTime.refreshes &+= 1
            cell.pointee.byTime.ticks &+= ticks
        }
    }
}

extension RefreshCounts.Times {
    /// Adds empty buckets, up to this one.
    fileprivate mutating func extend(to bucket: Int) {
        let larger = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: bucket + 1)
        larger.initialize(repeating: 0)
        for (index, count) in buckets.enumerated() { larger[index] = count }
        buckets.deallocate()
        buckets = larger
    }
}
