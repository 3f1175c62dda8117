import Testing

@testable import WeirHeap

/// Compares a walk of a random graph with what is known of the graph.
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

    /// What is held, what lies on circles, and what these lead to is alive; nothing else is.
    func checkModel() {
        #expect(graph.alive == graph.reached(from: graph.held.union(components.joined())), comment)
    }

    /// Walks from the nodes `roots`.
    func check(roots: [Int]) -> FuzzTally {
        let walked = graph.reached(from: roots)
        // What is not walked holds from outside, as the test itself does.
        var outside = graph.held
        var counts = Dictionary(uniqueKeysWithValues: graph.held.map { ($0, 1) })
        for node in graph.alive.subtracting(walked) {
            for target in graph.references[node] {
                counts[target, default: 0] += 1
                outside.insert(target)
            }
        }
        let garbage = walked.subtracting(graph.reached(from: outside))
        checkObjects(roots, walked, counts, garbage)
        let expected = Set(components.filter { !$0.isDisjoint(with: walked) })
        checkReport(roots, expected, garbage)
        return FuzzTally(
            walks: 1, objects: UInt64(walked.count), circles: UInt64(expected.count),
            proven: UInt64(expected.filter { !$0.isDisjoint(with: garbage) }.count))
    }

    /// Every node that was walked: found, its references from outside counted, garbage or not.
    private func checkObjects(_ roots: [Int], _ walked: Set<Int>, _ outside: [Int: Int], _ garbage: Set<Int>) {
        let walk = walker.walk(from: roots.map { graph.addresses[$0] })
        #expect(walk.doubts == [], comment)
        let proof = HeapProof(
            graph: walk.graph, pins: [:], handlerRoots: [], wanted: [], rootCount: roots.count, circleLimit: 10_000)
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
    }

    /// The report's circles: each planted component has one, no circle is of anything else.
    private func checkReport(_ roots: [Int], _ expected: Set<Set<Int>>, _ garbage: Set<Int>) {
        let report = walker.report(from: roots.map { HeapRoot(address: graph.addresses[$0]) })
        #expect(report.doubts == [], comment)
        var found: Set<Set<Int>> = []
        for circle in report.circles {
            let objects = circle.references.map { report.references[$0].source }
            let nodes = Set(objects.compactMap { numbers[report.objects[$0].address] })
            let component = expected.first { !nodes.isEmpty && nodes.isSubset(of: $0) }
            #expect(component != nil, comment)
            guard let component else { continue }
            found.insert(component)
            #expect(circle.isProven == component.isSubset(of: garbage), comment)
            #expect(circle.componentObjects >= component.count, comment)
        }
        #expect(found == expected, comment)
    }
}
