import CWeir

/// Finds the holders of an object that no walk reached: searches all allocated memory for the object's address.
///
/// Each candidate is read as a walk reads it, so every reported holder is one. The result only names what keeps an object alive;
/// proofs do not depend on it. Each call reads the heap twice, and twice more if memory of tasks holds a target: each time half a
/// second for a gigabyte. It stops at a given moment. If `AllocatedMemory` is empty, it finds nothing.
struct HolderSearch {
    private let plans: Plans
    private let references: (UInt) -> [HeapEdge]
    private let lastObject = LastObject()
    private let slabKind = weir_task_slab_kind()
    /// When to stop, on the clock of `weir_processor_time`. Results found by then are kept.
    private let end: UInt64

    /// The maximum number of holders of one target, and of pieces of memory without an object that are followed up.
    private static let mostHolders = 4096
    /// The maximum number of blocks of tasks of which each refers to the next.
    private static let mostSlabs = 8

    init(_ walker: HeapWalker, until end: UInt64) {
        self.end = end
        plans = walker.plans
        references = { walker.references(of: $0, showsKeys: false) { _, _ in true } }
    }

    /// The holders of a target, with the number of references that each has to it.
    private typealias Holders = [UInt: Int]

    /// The result of a search.
    struct Found {
        /// Objects that hold one of the targets, by ascending address.
        var objects: [UInt] = []
        /// For each target, the tasks whose memory contains its address, which may be stale.
        ///
        /// The searching task is left out, because it has touched many objects.
        var tasks: [UInt: Set<UInt>] = [:]
        /// For each target, the word before its address in memory that belongs to no object.
        ///
        /// If a timer or other C code holds a closure, this word is the closure's function.
        var functions: [UInt: Set<UInt>] = [:]
        /// For each target, its holders.
        fileprivate var holders: [UInt: [UInt: Int]] = [:]
    }

    /// Finds the objects that hold one of `targets` by a strong reference, and the tasks that may hold one.
    ///
    /// - Parameter targets: each with the number of references to it that no object holds.
    func holders(of targets: [UInt: Int]) -> Found {
        var found = Found()
        guard !targets.isEmpty else { return found }
        let memory = AllocatedMemory(of: plans.memory, until: end)
        // Memory that belongs to no object, with the targets that it contains, and the word before each.
        var raw: [UInt: [UInt: Set<UInt>]] = [:]
        let wanted = Set(targets.keys)
        forEachHolder(of: wanted, in: memory) { word, isObject in
            if isObject {
                note(word.block, of: word.value, in: &found)
            } else if !isInUse(word) {
                return
            } else if raw.count < Self.mostHolders || raw[word.block] != nil {
                let function = word.address > word.block ? Memory.word(word.address &- 8) : 0
                raw[word.block, default: [:]][word.value, default: []].insert(function)
            }
        }
        // An object also holds a target by a pointer to this memory.
        var (framesOfTasks, outer): (Set<UInt>, [UInt: Set<UInt>]) = ([], [:])
        forEachHolder(of: Set(raw.keys), in: memory) { word, isObject in
            let targets = raw[word.value, default: [:]].keys
            if isObject {
                if plans.kind(of: word.block) == .task { framesOfTasks.insert(word.value) }
                for target in targets { note(word.block, of: target, in: &found) }
            } else if slabEnd(word.value) != nil, isInUse(word), outer.count < Self.mostHolders {
                outer[word.block, default: []].formUnion(targets)
            }
        }
        noteTasks(around: outer, in: memory, &found)
        for (block, contents) in raw where !framesOfTasks.contains(block) && slabEnd(block) == nil {
            for (target, functions) in contents { found.functions[target, default: []].formUnion(functions) }
        }
        var believed: Set<UInt> = []
        for (target, holders) in found.holders {
            let most = Int(ReferenceCounts(of: target).strong) - (targets[target] ?? 0)
            believed.formUnion(Self.believable(holders, most) { plans.kind(of: $0) == .box })
        }
        found.objects = believed.subtracting(wanted).sorted()
        return found
    }

    /// The plausible holders of an object that counts at most `most` references.
    ///
    /// The box of a variable is allocated before its first value is stored. Until then it may contain stale memory.
    private static func believable(_ found: Holders, _ most: Int, isBox: (UInt) -> Bool) -> some Sequence<UInt> {
        var found = found
        if found.values.reduce(0, +) > most { found = found.filter { !isBox($0.key) } }
        return found.values.reduce(0, +) > most ? Holders().keys : found.keys
    }

    private func note(_ object: UInt, of target: UInt, in found: inout Found) {
        if found.holders[target]?[object] != nil || found.holders[target]?.count == Self.mostHolders { return }
        if plans.kind(of: object) == .task {
            if object != weir_current_task() { found.tasks[target, default: []].insert(object) }
            return
        }
        let count = references(from: object, to: target)
        if count > 0 { found.holders[target, default: [:]][object] = count }
    }

    /// Finds the tasks whose memory refers to other memory of tasks, which contains targets.
    ///
    /// A task of an `async let` is itself in such memory: that of its parent.
    private func noteTasks(around slabs: [UInt: Set<UInt>], in memory: AllocatedMemory, _ found: inout Found) {
        var slabs = slabs.filter { slabEnd($0.key) != nil }
        if slabs.isEmpty { return }
        let holders = holdersOfSlabs(in: memory)
        var seen: Set<UInt> = []
        for _ in 0..<Self.mostSlabs where !slabs.isEmpty && weir_processor_time() < end {
            seen.formUnion(slabs.keys)
            var outer: [UInt: Set<UInt>] = [:]
            for (slab, targets) in slabs {
                for holder in holders[slab, default: []] where !seen.contains(holder) {
                    if slabEnd(holder) != nil {
                        outer[holder, default: []].formUnion(targets)
                    } else {
                        for target in targets { note(holder, of: target, in: &found) }
                    }
                }
            }
            slabs = outer
        }
    }

    /// The tasks and the other memory of tasks that hold the address of each block of a task's frames.
    private func holdersOfSlabs(in memory: AllocatedMemory) -> [UInt: Set<UInt>] {
        var slabs: Set<UInt> = []
        plans.work.passes += 1
        memory.forEachWord(of: [slabKind]) { word in
            if word.address == word.block, slabEnd(word.block) != nil { slabs.insert(word.block) }
        }
        var holders: [UInt: Set<UInt>] = [:]
        forEachHolder(of: slabs, in: memory) { word, isObject in
            let isHolder =
                isObject
                ? plans.kind(of: word.block) == .task : slabEnd(word.block) != nil && isInUse(word)
            if isHolder { holders[word.value, default: []].insert(word.block) }
        }
        return holders
    }

    /// Whether a word is in use, if it is in memory of a task.
    private func isInUse(_ word: AllocatedMemory.Word) -> Bool { slabEnd(word.block).map { word.address < $0 } ?? true }

    /// The end of what is in use of a block of a task's frames; nil: it is no such block.
    ///
    /// It has its kind, the next block, its capacity, and how much is in use; the frames follow.
    private func slabEnd(_ block: UInt) -> UInt? {
        guard slabKind != 0, plans.memory.isReadable(block, 32), Memory.word(block) == slabKind else { return nil }
        return block &+ 32 &+ UInt(Memory.half(block &+ 20))
    }

    /// Calls `body` with the words that equal one of `wanted`, and whether a living object begins at the block.
    ///
    /// It is called once for each value that an object contains.
    private func forEachHolder(
        of wanted: Set<UInt>, in memory: AllocatedMemory,
        _ body: (_ word: AllocatedMemory.Word, _ isObject: Bool) -> Void
    ) {
        var (block, isObject, seen): (UInt, Bool, Set<UInt>) = (0, false, [])
        plans.work.passes += 1
        lastObject.address = 0
        memory.forEachWord(of: wanted.sorted()) { word in
            if word.block != block {
                (block, isObject) = (word.block, isLivingObject(word.block))
                seen.removeAll(keepingCapacity: true)
            }
            if !isObject || seen.insert(word.value).inserted { body(word, isObject) }
        }
    }

    /// The object whose words were found last, and the number of its strong references to each target.
    ///
    /// One array may contain all targets, and all words of an object are found one after the other: it is read once.
    private final class LastObject {
        var address: UInt = 0
        var counts: [UInt: Int] = [:]
    }

    private func references(from object: UInt, to target: UInt) -> Int {
        if lastObject.address != object {
            guard weir_processor_time() < end else { return 0 }
            plans.work.objects += 1
            let strong = references(object).filter { $0.ownership == .strong }
            lastObject.counts = Dictionary(strong.map { ($0.target, 1) }, uniquingKeysWith: +)
            lastObject.address = object
        }
        return lastObject.counts[target] ?? 0
    }

    /// Whether a live object begins at `block`. An object whose `deinit` has begun may still contain old references.
    private func isLivingObject(_ block: UInt) -> Bool {
        plans.memory.isReadable(block, 16) && plans.isObject(block) && !ReferenceCounts(of: block).isDeinitializing
    }
}
