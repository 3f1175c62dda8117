@testable import WeirHeap

/// A graph made by a test: the references, and how often each object is held from outside.
struct AbstractGraph {
    /// The targets of each object's references.
    var references: [[Int]]
    /// The number of strong references from outside the graph to each object.
    var outside: [Int]
    var traits: [HeapGraph.Traits]
    var sizes: [Int]
    /// References that the walk's caller holds itself.
    var pins: [Int: Int] = [:]
    /// References of closures without a context: an object, and the index of its reference.
    var closures: Set<[Int]> = []
    var handlers: [Int] = []
    var wanted: [Int] = []
    var rootCount = 0

    /// Objects that are instances of one byte each by default.
    init(_ references: [[Int]], outside: [Int: Int] = [:]) {
        self.references = references
        self.outside = references.indices.map { outside[$0] ?? 0 }
        traits = references.map { _ in .isInstance }
        sizes = references.map { _ in 1 }
    }

    var count: Int { references.count }

    var heapGraph: HeapGraph {
        var found = pins
        for target in references.joined() { found[target, default: 0] += 1 }
        var first = [0]
        var closureReferences: [Int] = []
        for (object, targets) in references.enumerated() {
            for number in targets.indices where closures.contains([object, number]) {
                closureReferences.append(first[object] + number)
            }
            first.append(first[object] + targets.count)
        }
        return HeapGraph(
            addresses: references.indices.map { UInt(4096 + 16 * $0) }, firstReference: first,
            targets: references.joined().map { Int32($0) },
            strongCounts: outside.indices.map {
                outside[$0] == .max ? .max : Int32(outside[$0] + found[$0, default: 0])
            }, traits: traits, sizes: sizes.map { Int32($0) }, closureReferences: closureReferences)
    }

    func proof(cycleLimit: Int = 10_000) -> HeapProof {
        do { return try boundedProof(cycleLimit: cycleLimit) } catch { fatalError("no memory for a small graph") }
    }

    /// Like `proof`, but memory may run out.
    func boundedProof(cycleLimit: Int = 10_000) throws -> HeapProof {
        try HeapProof(
            graph: heapGraph, pins: Dictionary(uniqueKeysWithValues: pins.map { (Int32($0), $1) }),
            handlerRoots: handlers.map { Int32($0) }, wanted: wanted.map { Int32($0) }, rootCount: rootCount,
            cycleLimit: cycleLimit)
    }
}

extension AbstractGraph {
    /// A random graph; the same seed gives the same graph.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...24, using: &random)
        self.init(Array(repeating: [], count: count))
        for _ in 0..<Int.random(in: 0...(count * 5 / 2), using: &random) {
            references[Int.random(in: 0..<count, using: &random)].append(Int.random(in: 0..<count, using: &random))
        }
        let kinds: [HeapGraph.Traits] = [
            .isInstance, .isInstance, .isClosure, .isStorage, [.isInstance, .isStorage], [.isInstance, .isInternal], [],
        ]
        let heldOfTen = Int.random(in: 0...4, using: &random)
        let isPlain = Bool.random(using: &random)
        for object in 0..<count {
            if Int.random(in: 0..<10, using: &random) < heldOfTen {
                outside[object] = Int.random(in: 1...3, using: &random)
            }
            if Int.random(in: 0..<40, using: &random) == 0 { outside[object] = .max }
            if !isPlain, let kind = kinds.randomElement(using: &random) { traits[object] = kind }
            sizes[object] = Int.random(in: 16...200, using: &random)
            if Int.random(in: 0..<6, using: &random) == 0 { pins[object] = Int.random(in: 1...2, using: &random) }
            for number in references[object].indices where !isPlain && Int.random(in: 0..<12, using: &random) == 0 {
                closures.insert([object, number])
            }
        }
        rootCount = Int.random(in: 0...count, using: &random)
        let roots = Array(0..<rootCount)
        handlers = roots.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        wanted = roots.filter { _ in Bool.random(using: &random) }
    }
}

/// Random numbers; the same seed gives the same numbers. Source: SplitMix64, Steele, Lea and Flood, 2014.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
