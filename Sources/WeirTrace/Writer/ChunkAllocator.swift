/// Decides which chunk of the file is used next, and when a flight recorder begins a new generation.
///
/// This is a pure value; files, mappings and threads are managed around it. The policy of a flight recorder:
/// - **Generations.** A chunk belongs to the generation in which it was handed out, and its ids are defined again in that
///   generation. So a chunk may be overwritten when it is two generations old, and the file always holds the last two.
/// - **Who begins one.** Only a thread that needs a chunk for events, when the generation has used its share (`quota`) or
///   nothing else is left. The thread must have filled a chunk of this generation, or half of the chunks handed out must have
///   been returned, or the generation must be of age. So if there are more threads than the file has room for, they lose
///   events instead of making each other's chunks outdated. A chunk for definitions never begins a generation, which would
///   make the events that it explains outdated.
/// - **Who gives way.** An idle thread keeps its open chunks, and pins the definitions that explain them. The share of a
///   generation is based on the rest, so that two generations fit. If that is too little, old definitions of idle threads are
///   overwritten before new events are lost.
/// - **How many.** One, if that makes room for two chunks: one for events, one for their definitions. Otherwise two at once,
///   so that all returned chunks may be overwritten. None if even that is not enough.
///
/// Invariants (`checkInvariants`):
/// - a chunk is in exactly one state: free (never used), ready, open or retired;
/// - a chunk is made ready again only when its generation is at least two behind the current one;
/// - definitions are overwritten after all events that they may explain, unless new events would otherwise be lost;
/// - at most `limit` chunks are ever handed out.
struct ChunkAllocator {
    /// The purpose for which a thread needs a chunk.
    enum Taker {
        /// For events; `after` is the generation of the thread's last chunk of events, 0: there was none.
        case events(after: UInt32)
        case definitions

        var content: TraceFormat.Content {
            switch self {
            case .events: .events
            case .definitions: .definitions
            }
        }
    }

    /// The most chunks the file may have; `Int.max`: no limit.
    let limit: Int
    /// Whether the file could not grow at the last attempt.
    private(set) var isDiskFull = false
    private(set) var generation: UInt32
    /// The number of chunks that a generation of a flight recorder may use: a little less than half of those not held.
    private(set) var quota: Int
    /// The number of chunks that the file has had so far.
    private(set) var grown = 0
    private(set) var lastSerial: UInt64 = 0
    /// The highest index handed out; -1: none.
    private(set) var highestUsed = -1
    private(set) var ready: [Int] = []
    private(set) var retiredEvents = Queue()
    private(set) var retiredDefinitions = Queue()
    private(set) var open: [Int: Open] = [:]
    /// The number of open chunks of events, by generation.
    private var openEvents: [UInt32: Int] = [:]
    private(set) var current = Current()

    struct Open {
        var generation: UInt32
        var isEvents: Bool
    }

    /// The numbers of chunks of the current generation.
    struct Current: Hashable {
        var given = 0
        var returnedEvents = 0
        var returnedDefinitions = 0
    }

    /// A filled chunk.
    struct Retired {
        var index: Int
        /// 0 for a chunk of definitions.
        var events: UInt64
    }

    /// Retired chunks, oldest generation first.
    struct Queue {
        private var chunks: [(generation: UInt32, chunk: Retired)] = []
        private var first = 0

        var count: Int { chunks.count - first }
        var oldest: UInt32? { first < chunks.count ? chunks[first].generation : nil }
        var generations: some Collection<UInt32> { chunks[first...].lazy.map(\.generation) }
        var indexes: [Int] { chunks[first...].map(\.chunk.index) }

        mutating func insert(_ chunk: Retired, generation: UInt32) {
            // Usually at the end: only a thread that was idle for long retires a chunk of an old generation.
            var place = chunks.count
            while place > first, chunks[place - 1].generation > generation { place -= 1 }
            chunks.insert((generation, chunk), at: place)
        }

        /// Removes the oldest chunk of a generation that satisfies the condition.
        mutating func removeFirst(where isWanted: (UInt32) -> Bool) -> Retired? {
            guard let place = chunks[first...].firstIndex(where: { isWanted($0.generation) }) else { return nil }
            guard place == first else { return chunks.remove(at: place).chunk }
            defer {
                first += 1
                if first > 64 && first * 2 > chunks.count {
                    chunks.removeFirst(first)
                    first = 0
                }
            }
            return chunks[first].chunk
        }
    }

    /// - Parameters:
    ///   - limit: the most chunks, at least `ChunkAllocator.leastLimit`; nil: no limit.
    init(limit: Int?, generation: UInt32) {
        self.limit = limit ?? .max
        self.generation = generation
        quota = Self.quota(of: self.limit)
        ready.reserveCapacity(128)
    }

    /// With fewer chunks, a flight recorder could not keep two generations apart.
    static let leastLimit = 8

    var readyCount: Int { ready.count }
    var openCount: Int { open.count }

    private static func quota(of chunks: Int) -> Int {
        chunks == .max ? .max : max(2, (chunks - min(16, chunks / 4)) / 2)
    }

    /// The number of chunks that the file has, or may get.
    private var size: Int { isDiskFull ? grown : limit }

    /// Whether old chunks may be overwritten; false for a file so small that nothing would remain.
    var mayOverwrite: Bool { limit != .max && size >= Self.leastLimit }

    mutating func diskIsFull() {
        isDiskFull = true
        quota = min(quota, Self.quota(of: size))
    }

    /// The number of new chunks that the file may still get, at most `wanted`.
    func growth(_ wanted: Int) -> Int { min(wanted, limit - grown) }

    /// `growth`, or 0 on a full disk.
    private func likelyGrowth(_ wanted: Int) -> Int { isDiskFull ? 0 : growth(wanted) }

    /// Notes that the file has grown by `count` chunks.
    mutating func grow(by count: Int) {
        grown += count
        isDiskFull = false
    }

    // MARK: Overwriting

    var canRecycle: Bool {
        isOld(retiredEvents.oldest)
            || isOld(retiredDefinitions.oldest)
                && retiredDefinitions.generations.contains { isOld($0) && !isPinned($0) }
    }

    /// An old chunk whose content may be overwritten.
    ///
    /// - Parameter desperate: whether to lose names in an idle thread's old events rather than new events.
    mutating func recycle(desperate: Bool = false) -> Retired? {
        guard mayOverwrite else { return nil }
        if isOld(retiredEvents.oldest) { return retiredEvents.removeFirst { _ in true } }
        guard isOld(retiredDefinitions.oldest) else { return nil }
        let (generation, openEvents) = (generation, openEvents)
        return retiredDefinitions.removeFirst {
            $0 &+ 2 <= generation && (desperate || !Self.explain($0, openEvents))
        }
    }

    private func isOld(_ generation: UInt32?) -> Bool {
        guard let generation, mayOverwrite else { return false }
        return generation &+ 2 <= self.generation
    }

    private func isPinned(_ definitions: UInt32) -> Bool { Self.explain(definitions, openEvents) }

    /// Whether definitions of this generation may explain events of a chunk that is still open.
    private static func explain(_ definitions: UInt32, _ openEvents: [UInt32: Int]) -> Bool {
        // A generation may have begun while a thread was writing a definition for the previous one.
        openEvents[definitions] != nil || openEvents[definitions &- 1] != nil
    }

    mutating func makeReady(_ index: Int) { ready.append(index) }

    /// A chunk to fill, and its serial number.
    mutating func take(_ content: TraceFormat.Content) -> (index: Int, serial: UInt64)? {
        guard !ready.isEmpty else { return nil }
        let index = ready.removeFirst()
        current.given += 1
        open[index] = Open(generation: generation, isEvents: content == .events)
        if content == .events { openEvents[generation, default: 0] += 1 }
        lastSerial += 1
        highestUsed = max(highestUsed, index)
        return (index, lastSerial)
    }

    // MARK: Generations

    /// The number of generations to begin before `taker` gets a chunk.
    ///
    /// - Parameter isOfAge: whether the generation has lasted long enough for the cost of another one not to matter.
    func beginnings(for taker: Taker, isOfAge: Bool) -> Int {
        guard mayOverwrite, case .events(let last) = taker else { return 0 }
        let isUsedUp = current.given >= quota || ready.isEmpty && likelyGrowth(1) == 0 && !canRecycle
        let returned = current.returnedEvents + current.returnedDefinitions
        guard isUsedUp, last == generation || returned * 2 >= current.given || isOfAge else { return 0 }
        // Chunks pinned by idle threads are overwritten last, but they are overwritten.
        let room = ready.count + likelyGrowth(2) + retiredEvents.count + retiredDefinitions.count
        return room - returned >= 2 ? 1 : room >= 2 ? 2 : 0
    }

    /// - Parameter next: a generation later than all before.
    mutating func beginGeneration(_ next: UInt32) {
        let former = generation
        // Chunks that stayed open during the whole last generation belong to idle threads.
        let held = open.values.count { $0.generation != former }
        let pinned = retiredDefinitions.generations.count { $0 != former && isPinned($0) }
        quota = Self.quota(of: limit == .max ? .max : max(0, size - held - pinned))
        generation = next
        current = Current()
    }

    /// Retires a chunk that has been filled with `events` events and sealed.
    mutating func retire(_ index: Int, events: UInt64 = 0) {
        guard let chunk = open.removeValue(forKey: index) else { return }
        if chunk.isEvents {
            openEvents[chunk.generation, default: 1] -= 1
            if openEvents[chunk.generation] == 0 { openEvents[chunk.generation] = nil }
        }
        guard limit != .max else { return }
        if chunk.generation == generation {
            if chunk.isEvents { current.returnedEvents += 1 } else { current.returnedDefinitions += 1 }
        }
        let retired = Retired(index: index, events: events)
        if chunk.isEvents {
            retiredEvents.insert(retired, generation: chunk.generation)
        } else {
            retiredDefinitions.insert(retired, generation: chunk.generation)
        }
    }

    func checkInvariants() {
        precondition(grown <= limit, "more chunks than the limit allows")
        guard limit != .max else { return }
        let all = ready + retiredEvents.indexes + retiredDefinitions.indexes + open.keys
        precondition(Set(all).count == all.count, "a chunk is in two states")
        precondition(all.count <= grown, "a chunk that the file does not have")
        var counted: [UInt32: Int] = [:]
        for chunk in open.values where chunk.isEvents { counted[chunk.generation, default: 0] += 1 }
        precondition(counted == openEvents, "open chunks of events are miscounted")
    }
}
