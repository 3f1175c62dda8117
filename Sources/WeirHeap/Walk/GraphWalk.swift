import CWeir

/// Walks from given objects along strong references, breadth first, and numbers the objects that it meets.
///
/// Lookups of targets wait in a short queue until the processor has fetched the memory that they need.
struct GraphWalk: ReferenceVisitor {
    static var wantsLabels: Bool { false }

    /// A private trait: a reference to the object had a closure's code beside it.
    private static let isCalled = HeapGraph.Traits(rawValue: 64)
    private static let delay = 16
    private static let lookAhead = 6

    private let plans: Plans
    private let limit: Int
    private var numbers = AddressMap(logarithm: 12)
    private var addresses = GrowingBuffer<UInt>()
    private var firstReference = GrowingBuffer<Int>()
    private var targets = GrowingBuffer<Int32>()
    private var strongCounts = GrowingBuffer<Int32>()
    private var traits = GrowingBuffer<HeapGraph.Traits>()
    private var sizes = GrowingBuffer<Int32>()
    /// Indexes in `targets` of references with code beside them.
    private var calls = GrowingBuffer<Int>()
    /// Targets that were not looked up yet. The lowest bit says that code was beside them.
    private let queue = UnsafeMutablePointer<UInt>.allocate(capacity: delay)
    private var queued = 0
    private var lookedUp = 0
    /// The object being scanned.
    private var current = 0
    /// The number that represents all objects beyond the limit.
    private var beyond: Int32 = -1
    /// The numbers of the limitations met.
    private(set) var limitations: Set<Int32> = []

    init(_ plans: Plans, limit: Int) {
        self.plans = plans
        self.limit = min(max(limit, 1), Int(Int32.max) - 2)
    }

    private func free() {
        numbers.free()
        addresses.free()
        firstReference.free()
        targets.free()
        strongCounts.free()
        traits.free()
        sizes.free()
        calls.free()
        queue.deallocate()
    }

    /// Walks, and then frees the memory that the walk needed. Call it once.
    mutating func walk(from roots: [UInt]) -> HeapGraph {
        defer { free() }
        plans.memory.refresh()
        for root in roots where root != 0 { _ = number(root) }
        let scanner = Scanner(plans)
        while true {
            while current < addresses.count {
                firstReference.append(queued)
                let next = min(current &+ GraphWalk.lookAhead, addresses.count &- 1)
                weir_prefetch(at: addresses[next])
                scan(addresses[current], scanner)
                current &+= 1
            }
            if lookedUp == queued { break }
            lookUp()
        }
        firstReference.append(targets.count)
        return graph
    }

    @inline(__always)
    private mutating func scan(_ object: UInt, _ scanner: Scanner) {
        guard let counts = plans.counts(ofObject: object), let plan = plan(for: object) else {
            traits[current] = .isRejected
            strongCounts.append(.max)
            sizes.append(0)
            return
        }
        strongCounts.append(counts.strong)
        sizes.append(Int32(clamping: scanner.size(of: object, plan)))
        traits[current].formUnion(GraphWalk.traits(plan))
        if !plan.pointee.isLeaf { scanner.scan(object, plan, &self) }
    }

    @inline(__always)
    private func plan(for object: UInt) -> UnsafeMutablePointer<ObjectPlan>? {
        let plan = plans.plan(for: object)
        return plans.memory.isReadable(object, plan.pointee.size) ? plan : nil
    }

    @inline(__always)
    private static func traits(_ plan: UnsafeMutablePointer<ObjectPlan>) -> HeapGraph.Traits {
        var traits: HeapGraph.Traits = []
        switch plan.pointee.kind {
        case .instance:
            traits = .isInstance
            if plan.pointee.isStorage { traits.formUnion(.isStorage) }
            if plan.pointee.isInternal { traits.formUnion(.isInternal) }
            if plan.pointee.isSelfCutting { traits.formUnion(.isSelfCutting) }
        case .context: traits = .isClosure
        case .genericBox, .error, .task, .unknown: break
        }
        return traits
    }

    // MARK: - Targets

    @inline(__always)
    mutating func visit(_ target: UInt, function: UInt) {
        if target & 7 != 0 { return visitBroken() }
        if queued &- lookedUp == GraphWalk.delay { lookUp() }
        queue[queued % GraphWalk.delay] = function == 0 ? target : target | 1
        queued &+= 1
        numbers.prefetch(target)
    }

    @inline(__always)
    private mutating func lookUp() {
        let entry = queue[lookedUp % GraphWalk.delay]
        let target = number(entry & ~1)
        if entry & 1 != 0 {
            traits[Int(target)].formUnion(GraphWalk.isCalled)
            calls.append(lookedUp)
        }
        targets.append(target)
        lookedUp &+= 1
    }

    @inline(__always)
    private mutating func number(_ address: UInt) -> Int32 {
        if addresses.count >= limit { return numberAtLimit(address) }
        let next = Int32(truncatingIfNeeded: addresses.count)
        let known = numbers.findOrInsert(address, next)
        if known >= 0 { return known }
        addresses.append(address)
        traits.append([])
        return next
    }

    /// Adds no more objects. One object without contents represents all of them.
    @inline(never)
    private mutating func numberAtLimit(_ address: UInt) -> Int32 {
        let known = numbers.find(address)
        if known >= 0 { return known }
        if beyond < 0 {
            beyond = Int32(truncatingIfNeeded: addresses.count)
            addresses.append(0)
            traits.append([])
            limitations.insert(plans.limitation(.tooManyObjects, "\(limit) objects"))
        }
        return beyond
    }

    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership) {}
    mutating func enter(_ step: LabelStep) {}
    mutating func leave() {}

    mutating func visitUnseen(_ limitation: Int32) {
        traits[current].formUnion(.isIncomplete)
        limitations.insert(limitation)
    }

    @inline(never)
    mutating func visitBroken() {
        traits[current].formUnion(.isIncomplete)
        limitations.insert(plans.limitation(.notAnObject, plans.typeName(of: addresses[current])))
    }

    // MARK: - The graph

    private var graph: HeapGraph {
        var traits = traits.array
        for place in traits.indices {
            let isContext = traits[place].contains(.isClosure)
            if isContext && !traits[place].contains(GraphWalk.isCalled) { traits[place].subtract(.isClosure) }
            traits[place].subtract(GraphWalk.isCalled)
        }
        let closureReferences = calls.array.filter { !traits[Int(targets[$0])].contains(.isClosure) }
        return HeapGraph(
            addresses: addresses.array, firstReference: firstReference.array, targets: targets.array,
            strongCounts: strongCounts.array, traits: traits, sizes: sizes.array,
            closureReferences: closureReferences)
    }
}

extension Plans {
    /// Whether the memory at `address` looks like an object that the walker can read.
    @inline(__always)
    func isObject(_ address: UInt) -> Bool { counts(ofObject: address) != nil }

    /// The reference counts of the object at `address`; nil: it does not look like one.
    ///
    /// The header is read once: in a walk without a fork, other threads may change what lies there.
    @inline(__always)
    func counts(ofObject address: UInt) -> ReferenceCounts? {
        guard address & 7 == 0, memory.isReadable(address, 16) else { return nil }
        let header = Memory.word(address &+ 8)
        if header >> 63 != 0, !ReferenceCounts.isImmortal(header) {
            let sideTable = ReferenceCounts.sideTable(header)
            guard memory.isReadable(sideTable, 32), Memory.word(sideTable) == address else { return nil }
        }
        let counts = ReferenceCounts(header: header)
        guard counts.unowned > 0 else { return nil }
        let metadata = Memory.word(address)
        return knownPlan(metadata) != nil || memory.isObjectMetadata(metadata) ? counts : nil
    }
}

@inline(__always)
private func weir_prefetch(at address: UInt) {
    if let place = UnsafeRawPointer(bitPattern: address) { weir_prefetch(place) }
}
