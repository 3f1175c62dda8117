/// Decides which chunk of the file is used next, and when a flight recorder begins a new generation.
///
/// A pure value; files, mappings and threads stand around it. Invariants (`checkInvariants`):
/// - a chunk is free (never used), ready, open or retired, and exactly one of these;
/// - a chunk is made ready again only when its generation is at least two behind the current one;
/// - no more than `limit` chunks are ever handed out.
struct ChunkAllocator {
    /// Most chunks the file may have; `Int.max`: no bound.
    let limit: Int
    /// Chunks that a generation of a flight recorder may use: a little less than half of all.
    let quota: Int
    private(set) var generation: UInt32
    /// Chunks that the file has had so far.
    private(set) var grown = 0
    private(set) var usedInGeneration = 0
    private(set) var lastSerial: UInt64 = 0
    /// The highest index handed out; -1: none.
    private(set) var highestUsed = -1
    private var ready: [Int] = []
    private var retired: [(generation: UInt32, index: Int)] = []
    private var firstRetired = 0
    private var open = 0

    /// - Parameters:
    ///   - limit: most chunks, at least `ChunkAllocator.leastLimit`; nil: no bound.
    ///   - generation: the first generation.
    init(limit: Int?, generation: UInt32) {
        self.limit = limit ?? .max
        self.generation = generation
        let reserve = min(16, self.limit / 4)
        quota = limit == nil ? .max : (self.limit - reserve) / 2
        ready.reserveCapacity(128)
        retired.reserveCapacity(128)
    }

    /// With fewer chunks than this a flight recorder could not keep two generations apart.
    static let leastLimit = 8

    var readyCount: Int { ready.count }
    var openCount: Int { open }

    /// How many new chunks the file may still get, at most `wanted`.
    func growth(_ wanted: Int) -> Int { min(wanted, limit - grown) }

    /// The file has got `count` more chunks.
    mutating func grow(by count: Int) { grown += count }

    var canRecycle: Bool {
        firstRetired < retired.count && retired[firstRetired].generation &+ 2 <= generation
    }

    /// An old chunk whose content may be overwritten.
    mutating func recycle() -> Int? {
        guard canRecycle else { return nil }
        defer {
            firstRetired += 1
            if firstRetired > 64 && firstRetired * 2 > retired.count {
                retired.removeFirst(firstRetired)
                firstRetired = 0
            }
        }
        return retired[firstRetired].index
    }

    mutating func makeReady(_ index: Int) { ready.append(index) }

    /// A chunk to fill, and its serial number.
    mutating func take() -> (index: Int, serial: UInt64)? {
        guard !ready.isEmpty else { return nil }
        let index = ready.removeFirst()
        usedInGeneration += 1
        open += 1
        lastSerial += 1
        highestUsed = max(highestUsed, index)
        return (index, lastSerial)
    }

    /// Whether the generation has used up its share, so that the next one should begin.
    var generationIsFull: Bool { usedInGeneration >= quota }

    /// - Parameter next: a generation later than all before.
    mutating func beginGeneration(_ next: UInt32) {
        generation = next
        usedInGeneration = 0
    }

    /// A chunk of `generation` has been filled and sealed.
    mutating func retire(_ index: Int, generation: UInt32) {
        open -= 1
        if limit != .max { retired.append((generation, index)) }
    }

    func checkInvariants() {
        precondition(grown <= limit, "more chunks than the limit allows")
        guard limit != .max else { return }
        let old = retired[firstRetired...].map(\.index)
        precondition(Set(ready + old).count == ready.count + old.count, "a chunk is in two states")
        precondition(ready.count + old.count + open <= grown, "a chunk that the file does not have")
    }
}
