import CWeir

/// Finds who holds an object, where no walk came by: looks for its address in all memory that is in use.
///
/// What is found is checked by reading the holder as a walk reads it, so a holder that is told is one. Only for naming what
/// keeps something alive: proofs do not rest on it. Cost: the heap is read twice for each call, about a second for a
/// gigabyte, up to a given moment. Where `AllocatedMemory` is empty, nothing is found.
struct HolderSearch {
    private let plans: Plans
    private let references: (UInt) -> [HeapEdge]
    /// When it is given up, as `weir_monotonic` counts; what was found by then counts.
    private let end: UInt64

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
        let memory = AllocatedMemory(of: plans.memory, until: end)
        // Memory of no object in which targets stand, and what stands before them.
        var raw: [UInt: [(target: UInt, function: UInt)]] = [:]
        let wanted = Set(targets.keys)
        forEachHolder(of: wanted, in: memory) { place, target, block in
            if isLivingObject(block) {
                note(block, of: target, in: &found)
            } else {
                raw[block, default: []].append((target, place > block ? Memory.word(place &- 8) : 0))
            }
        }
        // Objects hold something also by a pointer to memory in which it stands.
        var framesOfTasks: Set<UInt> = []
        forEachHolder(of: Set(raw.keys), in: memory) { _, memory, block in
            guard isLivingObject(block) else { return }
            if plans.kind(of: block) == .task { framesOfTasks.insert(memory) }
            for (target, _) in raw[memory] ?? [] { note(block, of: target, in: &found) }
        }
        for (block, places) in raw where !framesOfTasks.contains(block) {
            for place in places { found.functions[place.target, default: []].insert(place.function) }
        }
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

    /// Calls `body` with where the address of each of `wanted` stands, and the beginning of the block there.
    private func forEachHolder(
        of wanted: Set<UInt>, in memory: AllocatedMemory, _ body: (_ place: UInt, _ target: UInt, _ block: UInt) -> Void
    ) {
        var places: [Place] = []
        memory.forEachWord(of: wanted.sorted()) { address, word in
            places.append(Place(address: address, target: word))
            return places.count < Self.mostPlaces
        }
        for (place, block) in zip(places, memory.blocks(around: places.map(\.address))) {
            if let block { body(place.address, place.target, block) }
        }
    }

    private func references(from object: UInt, to target: UInt) -> Int {
        guard weir_monotonic() < end else { return 0 }
        return references(object).count { $0.ownership == .strong && $0.target == target }
    }

    /// Whether an object begins at `block`. Of one that is on its way out something may still stand there.
    private func isLivingObject(_ block: UInt) -> Bool {
        plans.memory.isReadable(block, 16) && plans.isObject(block) && !ReferenceCounts(of: block).isDeinitializing
    }
}
