/// The conclusions from the references of a graph: garbage, cycles, and the path that holds every other object.
///
/// Takes time in proportion to objects and references. Slower parts are bounded, and omissions are counted.
struct HeapProof {
    /// A cycle of strong references.
    struct Cycle: Equatable {
        /// Reference `k` leads from object `k` to the next one, and the last one back to the first.
        var objects: [Int32]
        /// Indexes in the graph's `targets`.
        var references: [Int]
        /// Whether no path from outside leads to it.
        var isProven: Bool
        /// Objects and bytes of the whole strongly connected component.
        var componentObjects: Int, componentBytes: Int
        /// Bytes that reference counting would free if the component were freed now, including its own.
        var retainedSize: Int
    }

    /// Cycles, proven ones first.
    let cycles: [Cycle]
    /// The number of closures and instances whose cycles are not reported because of the limits.
    let omittedCycles: Int
    /// Objects with more found references than they count, ascending. They are treated as held.
    let inconsistent: [Int32]

    private let outside: OutsideReferences
    private let ways: WaysFromOutside
    private let waysWithoutHandlers: WaysFromOutside?
    private let retainedSizes: [Int32: Int]

    /// Throws `NoMemory` if there is not enough memory for the data of each object.
    ///
    /// - Parameters:
    /// - pins: the caller's own references to objects, which do not count.
    /// - handlerRoots: objects that represent handlers.
    /// - wanted: roots whose path is reported.
    /// - rootCount: the number of roots, which are the graph's first objects. A cycle begins at its first root.
    init(
        graph: HeapGraph, pins: [Int32: Int], handlerRoots: [Int32], wanted: [Int32], rootCount: Int, cycleLimit: Int
    ) throws {
        self = try graph.withRows { rows in
            try HeapProof(graph, rows, pins, handlerRoots, wanted, rootCount, cycleLimit)
        }
    }

    private init(
        _ graph: HeapGraph, _ rows: HeapRows, _ pins: [Int32: Int], _ handlers: [Int32], _ wanted: [Int32],
        _ rootCount: Int, _ cycleLimit: Int
    ) throws(NoMemory) {
        outside = try OutsideReferences(of: graph, rows, pins: pins)
        inconsistent = outside.inconsistent
        ways = try WaysFromOutside(rows, outside: outside.counts, wanted: wanted)
        waysWithoutHandlers =
            handlers.isEmpty ? nil : try WaysFromOutside(rows, outside: outside.counts, barred: handlers)
        let components = try CyclicComponents(rows, found: outside.found)
        let summaries = ComponentSummary.all(graph, rows, components, ways)
        let release = try ReleaseSimulation(graph, rows, outside)
        if let incoming = components.incoming {
            let chosen = try ReportedCycles(
                graph, rows, components, incoming, summaries, limit: cycleLimit, rootCount: rootCount)
            let freed = chosen.reported.isEmpty ? [] : try release.bytes(freedWith: components, summaries)
            omittedCycles = chosen.omitted
            cycles = chosen.reported.map { reported in
                let summary = summaries[Int(reported.component)]
                return Cycle(
                    objects: reported.cycle.objects, references: reported.cycle.references, isProven: summary.isGarbage,
                    componentObjects: summary.objects, componentBytes: summary.bytes,
                    retainedSize: freed[Int(reported.component)])
            }
        } else {
            omittedCycles = 0
            cycles = []
        }
        // Each root of a chain follows the whole chain again. The budget leaves the last ones without a size.
        let budget = 1 << 20 + 4 * (rows.count + rows.referenceCount)
        var retainedSizes: [Int32: Int] = [:]
        for object in wanted where release.cost < budget {
            retainedSizes[object] = release.bytes(freedWith: object)
        }
        self.retainedSizes = retainedSizes
    }

    /// The number of strong references to an object that the walk did not find.
    ///
    /// `Int32.max`: the object is immortal. Negative: more references were found than it counts.
    func outsideReferences(_ object: Int32) -> Int32 { outside.counts[object] }

    /// Whether no path from outside leads to an object.
    func isGarbage(_ object: Int32) -> Bool { ways.holders[object] == WaysFromOutside.isGarbage }

    /// Whether every path from outside to an object passes through a handler or ends at one.
    func isHeldByHandlersOnly(_ object: Int32) -> Bool {
        guard let waysWithoutHandlers, !isGarbage(object) else { return false }
        return waysWithoutHandlers.holders[object] == WaysFromOutside.isGarbage
    }

    /// The object before this one on a shortest path from outside; nil if it is held from outside itself, or is garbage.
    func holder(of object: Int32) -> Int32? {
        let holder = ways.holders[object]
        return holder >= 0 ? holder : nil
    }

    /// Bytes that reference counting would free if the object were freed now, including its own.
    ///
    /// Nil if the object is not wanted, or if so many are wanted that the time for all would not be in proportion.
    func retainedSize(of object: Int32) -> Int? { retainedSizes[object] }
}

extension HeapWalker {
    /// The results of a walk and its proof, in numbers.
    package struct Proven {
        /// The number of walked objects and references.
        package var objects = 0, references = 0
        /// The number of objects that nothing outside leads to.
        package var garbage = 0
        /// The number of cycles that a report would contain.
        package var cycles = 0

        /// An empty result.
        package init() {}
    }

    /// Walks from `roots` and proves, without names and without a report: the cost of a report apart from its length.
    package func prove(from roots: [HeapRoot], options: Options = Options()) -> Proven {
        guard HeapWalker.unknownLayout.isEmpty else { return Proven() }
        let graph = walk(from: roots.map(\.address), options).graph
        var proven = Proven()
        proven.objects = graph.count
        proven.references = graph.targets.count
        do {
            // Roots without duplicates are the first objects.
            let proof = try HeapProof(
                graph: graph, pins: [:], handlerRoots: [], wanted: roots.indices.map { Int32(truncatingIfNeeded: $0) },
                rootCount: roots.count, cycleLimit: options.cycleLimit)
            proven.garbage = (0..<Int32(truncatingIfNeeded: graph.count)).lazy.filter { proof.isGarbage($0) }.count
            proven.cycles = proof.cycles.count
        } catch {
            // Without memory for the proof, nothing is proven.
        }
        return proven
    }
}

/// The references of a graph, for reading without checks.
struct HeapRows {
    /// The number of objects.
    let count: Int
    /// The index of each object's first reference; one element more than objects.
    let first: UnsafePointer<Int>
    /// The target of each reference.
    let targets: UnsafePointer<Int32>

    /// The number of references.
    var referenceCount: Int { first[count] }

    /// The indexes of the references of `object`.
    @inline(__always)
    func places(of object: Int32) -> Range<Int> {
        Range(uncheckedBounds: (first[Int(object)], first[Int(object) + 1]))
    }
}

extension HeapGraph {
    /// Calls `body` with the references, which must not escape.
    func withRows<Result>(_ body: (HeapRows) throws -> Result) rethrows -> Result {
        try firstReference.withUnsafeBufferPointer { first in
            try targets.withUnsafeBufferPointer { targets in
                let noTarget = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
                defer { noTarget.deallocate() }
                guard let first = first.baseAddress else {
                    let noReference = UnsafeMutablePointer<Int>.allocate(capacity: 1)
                    defer { noReference.deallocate() }
                    noReference.initialize(to: 0)
                    return try body(HeapRows(count: 0, first: noReference, targets: noTarget))
                }
                return try body(
                    HeapRows(count: count, first: first, targets: targets.baseAddress ?? UnsafePointer(noTarget)))
            }
        }
    }
}
