/// Decides which chunk of the file is used next, and when a flight recorder begins a new generation.
///
/// A pure value; files, mappings and threads stand around it. Invariants (`checkInvariants`):
/// - a chunk is free (never used), ready, open or retired, and exactly one of these;
/// - a chunk is made ready again only when its generation is at least two behind the current one;
/// - definitions go after all events that they may explain, unless new events would be lost otherwise;
/// - no more than `limit` chunks are ever handed out.
struct ChunkAllocator {
    /// Most chunks the file may have; `Int.max`: no bound.
    let limit: Int
    /// The file could not grow when it last should have.
    private(set) var isDiskFull = false
    private(set) var generation: UInt32
    /// Chunks that the file has had so far.
    private(set) var grown = 0
    private(set) var usedInGeneration = 0
    private(set) var lastSerial: UInt64 = 0
    /// The highest index handed out; -1: none.
    private(set) var highestUsed = -1
    private var ready: [Int] = []
    private var retiredEvents = Queue()
    private var retiredDefinitions = Queue()
    /// Generations of the open chunks, by index; nil for definitions.
    private var open: [Int: UInt32?] = [:]

    /// Retired chunks, those of the oldest generation first.
    private struct Queue {
        private var chunks: [(generation: UInt32, index: Int)] = []
        private var first = 0

        var oldest: UInt32? { first < chunks.count ? chunks[first].generation : nil }
        var indexes: [Int] { chunks[first...].map(\.index) }

        mutating func insert(_ index: Int, generation: UInt32) {
            // Nearly always at the end: only a thread that was idle for long retires a chunk of an old generation.
            var place = chunks.count
            while place > first, chunks[place - 1].generation > generation { place -= 1 }
            chunks.insert((generation, index), at: place)
        }

        mutating func removeFirst() -> Int {
            defer {
                first += 1
                if first > 64 && first * 2 > chunks.count {
                    chunks.removeFirst(first)
                    first = 0
                }
            }
            return chunks[first].index
        }
    }

    /// - Parameters:
    ///   - limit: most chunks, at least `ChunkAllocator.leastLimit`; nil: no bound.
    ///   - generation: the first generation.
    init(limit: Int?, generation: UInt32) {
        self.limit = limit ?? .max
        self.generation = generation
        ready.reserveCapacity(128)
    }

    /// With fewer chunks than this a flight recorder could not keep two generations apart.
    static let leastLimit = 8

    var readyCount: Int { ready.count }
    var openCount: Int { open.count }

    /// Chunks that a generation of a flight recorder may use: a little less than half of all that there are to be.
    var quota: Int {
        guard limit != .max else { return .max }
        let size = isDiskFull ? grown : limit
        return max(2, (size - min(16, size / 4)) / 2)
    }

    /// Whether old chunks may be overwritten: not of a file so small that nothing would stay.
    var mayOverwrite: Bool { limit != .max && (isDiskFull ? grown : limit) >= Self.leastLimit }

    mutating func diskIsFull() { isDiskFull = true }

    /// How many new chunks the file may still get, at most `wanted`.
    func growth(_ wanted: Int) -> Int { min(wanted, limit - grown) }

    /// The file has got `count` more chunks.
    mutating func grow(by count: Int) {
        grown += count
        isDiskFull = false
    }

    var canRecycle: Bool { isOld(retiredEvents.oldest) || isOld(retiredDefinitions.oldest) && !explainsOpen }

    /// An old chunk whose content may be overwritten.
    ///
    /// - Parameter desperate: rather lose names of an idle thread's old events than new events.
    mutating func recycle(desperate: Bool = false) -> Int? {
        if isOld(retiredEvents.oldest) { return retiredEvents.removeFirst() }
        guard isOld(retiredDefinitions.oldest), desperate || !explainsOpen else { return nil }
        return retiredDefinitions.removeFirst()
    }

    private func isOld(_ generation: UInt32?) -> Bool {
        guard let generation, mayOverwrite else { return false }
        return generation &+ 2 <= self.generation
    }

    /// Whether the oldest definitions may explain events of a chunk that a thread still has open.
    private var explainsOpen: Bool {
        guard let oldest = retiredDefinitions.oldest else { return false }
        return open.values.contains { $0.map { $0 <= oldest } ?? false }
    }

    mutating func makeReady(_ index: Int) { ready.append(index) }

    /// A chunk to fill, and its serial number.
    mutating func take(_ content: TraceFormat.Content) -> (index: Int, serial: UInt64)? {
        guard !ready.isEmpty else { return nil }
        let index = ready.removeFirst()
        usedInGeneration += 1
        open[index] = .some(content == .events ? generation : nil)
        lastSerial += 1
        highestUsed = max(highestUsed, index)
        return (index, lastSerial)
    }

    /// Whether the generation has used up its share, so that the next one should begin.
    var generationIsFull: Bool { mayOverwrite && usedInGeneration >= quota }

    /// - Parameter next: a generation later than all before.
    mutating func beginGeneration(_ next: UInt32) {
        generation = next
        usedInGeneration = 0
    }

    /// A chunk of `generation` has been filled and sealed.
    mutating func retire(_ index: Int, generation: UInt32) {
        let isEvents = open.removeValue(forKey: index).map { $0 != nil } ?? false
        guard limit != .max else { return }
        if isEvents {
            retiredEvents.insert(index, generation: generation)
        } else {
            retiredDefinitions.insert(index, generation: generation)
        }
    }

    func checkInvariants() {
        precondition(grown <= limit, "more chunks than the limit allows")
        guard limit != .max else { return }
        let all = ready + retiredEvents.indexes + retiredDefinitions.indexes + open.keys
        precondition(Set(all).count == all.count, "a chunk is in two states")
        precondition(all.count <= grown, "a chunk that the file does not have")
    }
}
