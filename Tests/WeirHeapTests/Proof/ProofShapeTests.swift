import Testing
import WeirTestSupport

@testable import WeirHeap

/// Shapes on which a proof could take forever, overflow the stack, or report far too much.
struct ProofShapeTests {
    @Test func `hundreds of thousands of objects in a row do not overflow the stack`() throws {
        // The first refers to itself and to the second. Each later one refers to the next, and the last one back to the second.
        let count = 100_000
        let targets = [Int32(0)] + (1..<count).map { Int32($0) } + [Int32(1)]
        var strongCounts = Array(repeating: Int32(1), count: count)
        strongCounts[0] = 2
        strongCounts[1] = 2
        let graph = HeapGraph(
            addresses: Array(repeating: 0, count: count), firstReference: [0] + Array(2...(count + 1)),
            targets: targets,
            strongCounts: strongCounts, traits: Array(repeating: .isInstance, count: count),
            sizes: Array(repeating: 1, count: count))
        let proof = try HeapProof(
            graph: graph, pins: [:], handlerRoots: [], wanted: [0], rootCount: 1, cycleLimit: 10)
        #expect(proof.cycles.map(\.objects.count) == [1, count - 1])
        #expect(proof.cycles.map(\.isProven) == [false, false])
        #expect(proof.holder(of: Int32(count - 1)) == Int32(count - 2))
        #expect(proof.retainedSize(of: 0) == 1)
    }

    @Test func `a ring of many objects is one cycle, be they closures or not`() {
        let count = 20_000
        var graph = AbstractGraph((0..<count).map { [($0 + 1) % count] })
        for kind in [HeapGraph.Traits.isInstance, .isClosure, .isStorage] {
            graph.traits = Array(repeating: kind, count: count)
            let proof = graph.proof()
            #expect(proof.cycles.map(\.objects.count) == [count])
            #expect(proof.cycles.map(\.isProven) == [true])
            #expect(proof.omittedCycles == 0)
        }
    }

    @Test func `a doubly linked list tells some of its cycles, and counts the others`() {
        let count = 100_000
        let proof = AbstractGraph((0..<count).map { [$0 - 1, $0 + 1].filter((0..<count).contains) }).proof()
        #expect(proof.cycles.count == ReportedCycles.limitWithoutClosures)
        #expect(proof.cycles.allSatisfy { $0.objects.count == 2 && $0.componentObjects == count && $0.isProven })
        #expect(proof.omittedCycles > 0)
    }

    @Test func `many rows that hold their controller are a cycle each, up to the limit`() {
        // A controller, the storage of its rows, the rows, and a closure for each row.
        let count = 20_000
        let rows = (0..<count).map { [2 + count + $0] }
        var graph = AbstractGraph([[1], Array(2..<(2 + count))] + rows + Array(repeating: [0], count: count))
        graph.traits[1] = .isStorage
        for closure in (2 + count)..<graph.count { graph.traits[closure] = .isClosure }
        let proof = graph.proof(cycleLimit: 1_500)
        #expect(proof.cycles.count == 1_500)
        #expect(proof.cycles.allSatisfy { $0.objects.count == 4 && $0.objects[0] == 0 })
        #expect(proof.omittedCycles == count - 1_500)
    }

    @Test func `closures on long cycles that share most of their way do not take for ever`() {
        let count = 60_000
        var graph = AbstractGraph((0..<count).map { [($0 + 1) % count, ($0 + 2) % count] })
        graph.traits = Array(repeating: .isClosure, count: count)
        let proof = graph.proof()
        #expect(proof.cycles.count >= 1)
        #expect(proof.cycles.count < 50)
    }

    @Test func `a large component does not hide small ones`() {
        let large = 50_000
        var references = (0..<large).map { [($0 + 1) % large, ($0 &* 7919 + 13) % large] }
        for pair in 0..<100 {
            references.append([large + 2 * pair + 1])
            references.append([large + 2 * pair])
        }
        let proof = AbstractGraph(references).proof()
        let pairs = proof.cycles.filter { $0.componentObjects == 2 }
        #expect(pairs.count == 100)
        #expect(proof.cycles.contains { $0.componentObjects == large })
    }

    @Test func `proven cycles come first where there is no room for all`() {
        var references: [[Int]] = []
        for pair in 0..<100 { references += [[2 * pair + 1], [2 * pair]] }
        let held = Dictionary(uniqueKeysWithValues: (0..<50).map { (2 * $0, 1) })
        let proof = AbstractGraph(references, outside: held).proof(cycleLimit: 60)
        #expect(proof.cycles.map(\.isProven) == Array(repeating: true, count: 50) + Array(repeating: false, count: 10))
        #expect(proof.omittedCycles == 40 * 2)
    }

    @Test func `the component that is searched is the one that is numbered`() throws {
        for seed in Repeats.seeds(250, from: 1) {
            let graph = AbstractGraph(seed: seed)
            let heap = graph.heapGraph
            try heap.withRows { rows in
                let found = try OutsideReferences(of: heap, rows, pins: [:]).found
                let searched = try CyclicComponents(rows, found: found, searchedFrom: 0)
                let numbered = try CyclicComponents(rows, found: found, searchedFrom: .max)
                #expect(members(searched, graph.count) == members(numbered, graph.count), "seed \(seed)")
                let naive = NaiveProof(graph)
                let expected = Set((0..<graph.count).map { naive.component(of: $0) }).subtracting([[]])
                #expect(members(numbered, graph.count) == expected, "seed \(seed)")
            }
        }
    }

    private func members(_ components: CyclicComponents, _ count: Int) -> Set<[Int]> {
        var members: [Int32: [Int]] = [:]
        for object in 0..<count where components.component(of: Int32(object)) >= 0 {
            members[components.component(of: Int32(object)), default: []].append(object)
        }
        #expect(members.count == components.count)
        #expect(members.keys.allSatisfy { $0 < components.count })
        return Set(members.values)
    }

    @Test func `an object with fewer references than were found is taken for held, and said`() {
        var graph = AbstractGraph([[1], [0]])
        graph.outside = [0, -1]
        let proof = graph.proof()
        #expect(proof.inconsistent == [1])
        #expect(proof.outsideReferences(1) == -1)
        #expect(!proof.isGarbage(0) && !proof.isGarbage(1))
        #expect(proof.cycles.map(\.isProven) == [false])
    }

    @Test func `a way begins at a wrong count only where nothing else holds`() {
        var graph = AbstractGraph([[2], [2], [], [4], []])
        graph.outside = [-1, 1, 0, -1, 0]
        graph.wanted = [1]
        let proof = graph.proof()
        #expect(proof.holder(of: 2) == 1)
        #expect(proof.holder(of: 4) == 3)
    }

    @Test func `counts at their limits do not trap`() throws {
        let graph = HeapGraph(
            addresses: [1, 2, 3], firstReference: [0, 1, 2, 3], targets: [1, 0, 2],
            strongCounts: [.max - 1, .max, .min], traits: [.isInstance, .isInstance, []], sizes: [.max, .max, .min])
        let proof = try HeapProof(
            graph: graph, pins: [0: .max, 1: .min, 2: .min], handlerRoots: [0, 0], wanted: [0, 0, 1], rootCount: 9,
            cycleLimit: 0)
        #expect(proof.cycles == [])
        #expect(proof.omittedCycles == 3)
        #expect(proof.outsideReferences(1) == .max)
        #expect(!proof.isGarbage(2))
    }

    @Test func `an empty graph proves nothing`() throws {
        let graph = HeapGraph(
            addresses: [], firstReference: [0], targets: [], strongCounts: [], traits: [], sizes: [])
        let proof = try HeapProof(
            graph: graph, pins: [:], handlerRoots: [], wanted: [], rootCount: 0, cycleLimit: 10)
        #expect(proof.cycles == [])
        #expect(proof.inconsistent == [])
    }
}
