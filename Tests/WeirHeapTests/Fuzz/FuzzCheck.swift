import Testing

@testable import WeirHeap

/// Compares a walk of a random graph with the known facts about the graph.
struct FuzzCheck {
    private let graph: FuzzGraph
    private let walker: HeapWalker
    private let comment: Comment
    private let components: [Set<Int>]
    private let numbers: [UInt: Int]

    init(_ graph: FuzzGraph, _ walker: HeapWalker, _ comment: Comment) {
        self.graph = graph
        self.walker = walker
        self.comment = comment
        components = graph.components
        numbers = Dictionary(uniqueKeysWithValues: graph.alive.map { (graph.addresses[$0], $0) })
    }

    /// Checks that held objects, objects on cycles, and everything they lead to are alive, and nothing else.
    func checkModel() {
        #expect(graph.alive == graph.reached(from: graph.held.union(components.joined())), comment)
    }

    /// Walks from the nodes `roots`. Also makes a report if `reports` is true, which takes much longer.
    func check(roots: [Int], reports: Bool) throws -> FuzzTally {
        let walked = graph.reached(from: roots)
        // Nodes that are not walked hold from outside, as the test itself does.
        var outside = graph.held
        var counts = Dictionary(uniqueKeysWithValues: graph.held.map { ($0, 1) })
        for node in graph.alive.subtracting(walked) {
            for target in graph.references[node] {
                counts[target, default: 0] += 1
                outside.insert(target)
            }
        }
        let garbage = walked.subtracting(graph.reached(from: outside))
        let expected = Set(components.filter { !$0.isDisjoint(with: walked) })
        try checkWalk(roots, walked, counts, expected, garbage)
        if reports { checkReport(roots, expected, garbage) }
        return FuzzTally(
            walks: 1, objects: UInt64(walked.count), cycles: UInt64(expected.count),
            proven: UInt64(expected.filter { !$0.isDisjoint(with: garbage) }.count))
    }

    /// Checks that every walked node is found, with the right outside references and verdict, and checks the cycles.
    private func checkWalk(
        _ roots: [Int], _ walked: Set<Int>, _ outside: [Int: Int], _ expected: Set<Set<Int>>, _ garbage: Set<Int>
    ) throws {
        let walk = walker.walk(from: roots.map { graph.addresses[$0] })
        #expect(walk.limitations == [], comment)
        let proof = try HeapProof(
            graph: walk.graph, pins: [:], handlerRoots: [], wanted: [], rootCount: roots.count, cycleLimit: 10_000)
        #expect(proof.inconsistent == [], comment)
        var found: Set<Int> = []
        for (object, address) in walk.graph.addresses.enumerated() {
            let object = Int32(object)
            guard let number = numbers[address] else { continue }
            found.insert(number)
            #expect(proof.outsideReferences(object) == outside[number, default: 0], comment)
            #expect(proof.isGarbage(object) == garbage.contains(number), comment)
        }
        #expect(found == walked, comment)
        let cycles = proof.cycles.map { cycle in
            (cycle.objects.map { walk.graph.addresses[Int($0)] }, cycle.isProven, cycle.componentObjects)
        }
        checkCycles(cycles, expected, garbage)
    }

    private func checkReport(_ roots: [Int], _ expected: Set<Set<Int>>, _ garbage: Set<Int>) {
        let report = walker.report(from: roots.map { HeapRoot(address: graph.addresses[$0]) })
        #expect(report.limitations == [], comment)
        let cycles = report.cycles.map { cycle in
            (
                cycle.references.map { report.objects[report.references[$0].source].address }, cycle.isProven,
                cycle.componentObjects
            )
        }
        checkCycles(cycles, expected, garbage)
    }

    /// Each planted component has a cycle, and every cycle belongs to one.
    private func checkCycles(
        _ cycles: [(addresses: [UInt], isProven: Bool, componentObjects: Int)], _ expected: Set<Set<Int>>,
        _ garbage: Set<Int>
    ) {
        var found: Set<Set<Int>> = []
        for cycle in cycles {
            let nodes = Set(cycle.addresses.compactMap { numbers[$0] })
            let component = expected.first { !nodes.isEmpty && nodes.isSubset(of: $0) }
            #expect(component != nil, comment)
            guard let component else { continue }
            found.insert(component)
            #expect(cycle.isProven == component.isSubset(of: garbage), comment)
            #expect(cycle.componentObjects >= component.count, comment)
        }
        #expect(found == expected, comment)
    }
}
