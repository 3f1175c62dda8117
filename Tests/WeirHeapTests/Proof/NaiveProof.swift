@testable import WeirHeap

/// The same answers as `HeapProof`, found by brute force.
struct NaiveProof {
    let graph: AbstractGraph
    /// The fewest references from one object to another, at least one; nil if there is no path.
    let distances: [[Int?]]

    init(_ graph: AbstractGraph) {
        self.graph = graph
        var distances: [[Int?]] = Array(repeating: Array(repeating: nil, count: graph.count), count: graph.count)
        for (source, targets) in graph.references.enumerated() {
            for target in targets { distances[source][target] = 1 }
        }
        for middle in 0..<graph.count {
            for source in 0..<graph.count {
                for target in 0..<graph.count {
                    guard let first = distances[source][middle], let second = distances[middle][target] else {
                        continue
                    }
                    distances[source][target] = min(distances[source][target] ?? .max, first + second)
                }
            }
        }
        self.distances = distances
    }

    /// The objects with references from outside.
    var sources: [Int] { graph.outside.indices.filter { graph.outside[$0] != 0 } }

    func isGarbage(_ object: Int) -> Bool {
        !sources.contains { $0 == object || distances[$0][object] != nil }
    }

    /// Whether two objects are on one cycle, or one object is on a cycle with itself.
    func areOnOneCycle(_ left: Int, _ right: Int) -> Bool {
        distances[left][right] != nil && distances[right][left] != nil
    }

    /// The component of an object; empty if it is on no cycle.
    func component(of object: Int) -> [Int] { (0..<graph.count).filter { areOnOneCycle(object, $0) } }

    /// The number of references from an object that is held from outside; nil for garbage.
    func distanceFromOutside(_ object: Int, beginningAt isAllowed: (Int) -> Bool = { _ in true }) -> Int? {
        sources.filter(isAllowed).compactMap { $0 == object ? 0 : distances[$0][object] }.min()
    }

    /// The objects that are alive, and would not be without the handlers.
    var heldByHandlersOnly: Set<Int> {
        var reached = Set(sources).subtracting(graph.handlers)
        var isGrowing = true
        while isGrowing {
            let targets = reached.flatMap { graph.references[$0] }.filter { !graph.handlers.contains($0) }
            isGrowing = !reached.isSuperset(of: targets)
            reached.formUnion(targets)
        }
        return Set((0..<graph.count).filter { !isGarbage($0) }).subtracting(reached)
    }

    /// Bytes that are freed with `objects`: repeatedly frees all objects without a holder.
    func bytes(freedWith objects: [Int]) -> Int {
        var freed = Set(objects)
        var isGrowing = true
        while isGrowing {
            let kept = (0..<graph.count).filter { !freed.contains($0) }
            let held = Set(kept.flatMap { graph.references[$0] })
            let isReferredTo = Set(graph.references.joined())
            let more = kept.filter { graph.outside[$0] == 0 && !held.contains($0) && isReferredTo.contains($0) }
            isGrowing = !more.isEmpty
            freed.formUnion(more)
        }
        return freed.reduce(0) { $0 + graph.sizes[$1] }
    }

    /// The objects, or their references by number, that need a reported cycle.
    var seeds: [(object: Int, number: Int?)] {
        var seeds: [(object: Int, number: Int?)] = []
        for object in 0..<graph.count {
            let component = component(of: object)
            let closures = component.flatMap { member in
                graph.references[member].indices.filter { isClosure(member, $0) }.map { (member, Optional($0)) }
                    + (graph.traits[member].contains(.isClosure) ? [(member, nil)] : [])
            }
            let instances = component.filter {
                graph.traits[$0].contains(.isInstance) && !graph.traits[$0].contains(.isStorage)
            }
            if !closures.isEmpty {
                seeds += closures.filter { $0.0 == object }
            } else if instances.isEmpty ? !component.isEmpty : instances.contains(object) {
                seeds.append((object, nil))
            }
        }
        return seeds
    }

    /// The length of a shortest cycle through a seed.
    func length(through seed: (object: Int, number: Int?)) -> Int? {
        guard let number = seed.number else { return distances[seed.object][seed.object] }
        let target = graph.references[seed.object][number]
        return target == seed.object ? 1 : distances[target][seed.object].map { $0 + 1 }
    }

    private func isClosure(_ object: Int, _ number: Int) -> Bool {
        let target = graph.references[object][number]
        return graph.closures.contains([object, number]) && !graph.traits[target].contains(.isClosure)
            && areOnOneCycle(object, target)
    }
}
