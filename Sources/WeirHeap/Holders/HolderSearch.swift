import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds who holds an object, where no walk came by: looks through the whole heap for its address.
///
/// What is found is checked by reading the holder as a walk reads it, so a holder that is told is one. Only for naming what
/// keeps something alive: proofs do not rest on it. Cost: the heap is read once or twice for each call, about a second
/// for a gigabyte, up to a given moment. On Linux; elsewhere nothing is found.
struct HolderSearch {
    private let plans: Plans
    private let references: (UInt) -> [HeapEdge]
    /// When it is given up, as `weir_monotonic` counts; what was found by then counts.
    private let end: UInt64

    /// How far before an address the beginning of its object, or of its raw memory, is looked for.
    private static let reach: UInt = 1 << 20
    /// So many places are followed up.
    private static let mostPlaces = 4096

    init(_ walker: HeapWalker, until end: UInt64) {
        self.end = end
        plans = walker.plans
        references = { walker.references(of: $0, showsKeys: false) { _, _ in true } }
    }

    /// A place in memory where the address of something stands.
    private struct Place {
        var address: UInt
        var target: UInt
    }

    /// What holds something, and by how many references.
    private typealias Holders = [UInt: Int]

    /// What was found.
    struct Found {
        /// Objects that hold one of the targets, in the order of their addresses.
        var objects: [UInt] = []
        /// By target the tasks in whose memory its address stands: perhaps only still. Not the task that searches, which has
        /// had to do with many things.
        var tasks: [UInt: Set<UInt>] = [:]
        /// By target, what stands before its address in memory of no object: of a closure that a timer or other C code
        /// holds, the function.
        var functions: [UInt: Set<UInt>] = [:]
        /// By target, what holds it.
        fileprivate var holders: [UInt: [UInt: Int]] = [:]
    }

    /// Objects that hold one of `targets` by a strong reference, and tasks that may.
    ///
    /// - Parameter targets: each with the references to it that no object holds.
    func holders(of targets: [UInt: Int]) -> Found {
        var found = Found()
        guard !targets.isEmpty else { return found }
        plans.memory.refresh()
        var raw: [Place] = []
        let wanted = Set(targets.keys)
        let places = places(of: wanted)
        for (place, owner) in zip(places, owners(of: places.map(\.address))) {
            if let owner {
                note(owner, of: place.target, in: &found)
            } else {
                raw.append(place)
                if plans.memory.isReadable(place.address &- 8, 8) {
                    found.functions[place.target, default: []].insert(Memory.word(place.address &- 8))
                }
            }
        }
        findHoldersOfMemory(raw, in: &found)
        var believed: Set<UInt> = []
        for (target, holders) in found.holders {
            let most = Int(ReferenceCounts(of: target).strong) - (targets[target] ?? 0)
            believed.formUnion(Self.believable(holders, most) { plans.kind(of: $0) == .box })
        }
        found.objects = believed.subtracting(wanted).sorted()
        return found
    }

    /// Those that can be true, where something counts at most so many references.
    ///
    /// The box of a variable is made before its first value: until then it may hold what its memory held before.
    private static func believable(_ found: Holders, _ most: Int, isBox: (UInt) -> Bool) -> some Sequence<UInt> {
        var found = found
        if found.values.reduce(0, +) > most { found = found.filter { !isBox($0.key) } }
        return found.values.reduce(0, +) > most ? Holders().keys : found.keys
    }

    private func note(_ object: UInt, of target: UInt, in found: inout Found) {
        if found.holders[target]?[object] != nil { return }
        if plans.kind(of: object) == .task {
            if object != weir_current_task() { found.tasks[target, default: []].insert(object) }
            return
        }
        let count = references(from: object, to: target)
        if count > 0 { found.holders[target, default: [:]][object] = count }
    }

    /// Where the addresses stand.
    private func places(of wanted: Set<UInt>) -> [Place] {
        var found: [Place] = []
        plans.memory.forEachHeapWord(near: wanted.sorted(), until: end) { address, word in
            found.append(Place(address: address, target: word))
            return found.count < Self.mostPlaces
        }
        return found
    }

    /// Finds objects that hold something by a pointer to memory in which it stands, and which is no object.
    private func findHoldersOfMemory(_ raw: [Place], in found: inout Found) {
        if raw.isEmpty { return }
        var candidates: [(place: UInt, target: UInt)] = []
        plans.memory.forEachHeapWord(near: raw.map(\.address), reach: Self.reach, until: end) { address, word in
            // The first place that the memory at `word` may contain.
            var (low, high) = (0, raw.count)
            while low < high {
                let middle = (low + high) / 2
                if raw[middle].address < word { low = middle + 1 } else { high = middle }
            }
            guard low < raw.count, isBlock(at: word, around: raw[low].address)
            else { return true }
            candidates.append((address, raw[low].target))
            return candidates.count < Self.mostPlaces
        }
        for (candidate, owner) in zip(candidates, owners(of: candidates.map(\.place))) {
            if let owner { note(owner, of: candidate.target, in: &found) }
        }
    }

    private func references(from object: UInt, to target: UInt) -> Int {
        guard weir_monotonic() < end else { return 0 }
        return references(object).count { $0.ownership == .strong && $0.target == target }
    }

    /// The object whose memory each place belongs to; nil: none, as far as can be seen. Places rise.
    private func owners(of places: [UInt]) -> [UInt?] {
        var owners: [UInt?] = []
        // Down to the place before, nothing has to be looked for again.
        var (last, lastOwner): (UInt, UInt?) = (0, nil)
        for place in places {
            let least = max(place > Self.reach ? place - Self.reach : 0, last & ~15)
            let isInTime = weir_monotonic() < end
            var owner = isInTime ? beginning(from: place & ~15, downTo: least, of: place) : nil
            if owner == nil, least == last & ~15, let lastOwner, isBlock(at: lastOwner, around: place) {
                owner = lastOwner
            }
            owners.append(owner)
            (last, lastOwner) = (place, owner)
        }
        return owners
    }

    /// Where the object begins whose memory `place` belongs to.
    private func beginning(from start: UInt, downTo end: UInt, of place: UInt) -> UInt? {
        var start = start
        while start > end {
            guard plans.memory.isReadable(start &- 16, 32) else { return nil }
            // The usual header of an object with few references: quickly told apart from other words.
            let counts = Memory.word(start &+ 8)
            if UInt32(truncatingIfNeeded: counts) == 3 || counts >> 63 != 0, Memory.word(start) >= Memory.leastAddress,
                isBlock(at: start, around: place), plans.isObject(start),
                // What is left of a freed object says that its deinit began.
                !ReferenceCounts(of: start).isDeinitializing
            {
                return start
            }
            start &-= 16
        }
        return nil
    }

    /// Whether a block of allocated memory begins at `start` and contains `place`, as far as its size tells.
    private func isBlock(at start: UInt, around place: UInt) -> Bool {
        #if canImport(Glibc)
            guard place >= start, plans.memory.isReadable(start &- 16, 32) else { return false }
            // What the allocator notes before each block: its size, with three marks.
            let noted = Memory.word(start &- 8)
            let size = noted & ~7
            return size >= 32 && size < 1 << 40 && place &- start < size &- 8
        #else
            return false
        #endif
    }
}
