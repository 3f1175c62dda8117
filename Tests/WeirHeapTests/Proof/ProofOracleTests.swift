import Testing
import WeirTestSupport

@testable import WeirHeap

/// Compares the proof with one found by brute force, on random graphs.
struct ProofOracleTests {
    private static let seeds = Repeats.seeds(400, from: 1)

    @Test func `garbage and outside references are what trying everything finds`() {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            let (proof, naive) = (graph.proof(), NaiveProof(graph))
            for object in 0..<graph.count {
                let outside = graph.outside[object] == .max ? .max : Int32(graph.outside[object])
                #expect(proof.outsideReferences(Int32(object)) == outside, "seed \(seed), object \(object)")
                #expect(proof.isGarbage(Int32(object)) == naive.isGarbage(object), "seed \(seed), object \(object)")
            }
            #expect(proof.inconsistent == [], "seed \(seed)")
        }
    }

    @Test func `ways are shortest, and end at what nobody asked about where they can`() throws {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            let (proof, naive) = (graph.proof(), NaiveProof(graph))
            for object in 0..<graph.count {
                var way = [object]
                while let holder = proof.holder(of: Int32(way[way.count - 1])) {
                    #expect(graph.references[Int(holder)].contains(way[way.count - 1]), "seed \(seed)")
                    way.append(Int(holder))
                    try #require(way.count <= graph.count, "seed \(seed), object \(object): the way has no end")
                }
                let distance = naive.distanceFromOutside(object)
                #expect(way.count - 1 == distance ?? 0, "seed \(seed), object \(object)")
                guard let distance else { continue }
                let end = way[distance]
                #expect(graph.outside[end] != 0, "seed \(seed), object \(object)")
                let unasked = naive.distanceFromOutside(object) { !graph.wanted.contains($0) }
                #expect(graph.wanted.contains(end) == (unasked != distance), "seed \(seed), object \(object)")
            }
        }
    }

    @Test func `held by handlers only is what nothing else leads to`() {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            let proof = graph.proof()
            let held = Set((0..<graph.count).filter { proof.isHeldByHandlersOnly(Int32($0)) })
            #expect(held == NaiveProof(graph).heldByHandlersOnly, "seed \(seed)")
        }
    }

    @Test func `retained sizes are what reference counting would free`() {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            let (proof, naive) = (graph.proof(), NaiveProof(graph))
            for object in 0..<graph.count {
                let expected = graph.wanted.contains(object) ? naive.bytes(freedWith: [object]) : nil
                #expect(proof.retainedSize(of: Int32(object)) == expected, "seed \(seed), object \(object)")
            }
            for cycle in proof.cycles {
                let component = naive.component(of: Int(cycle.objects[0]))
                #expect(cycle.retainedSize == naive.bytes(freedWith: component), "seed \(seed)")
                #expect(cycle.componentObjects == component.count, "seed \(seed)")
                #expect(cycle.componentBytes == component.reduce(0) { $0 + graph.sizes[$1] }, "seed \(seed)")
                #expect(cycle.isProven == naive.isGarbage(component[0]), "seed \(seed)")
            }
        }
    }

    @Test func `a shortest cycle is reported through each closure, or each instance, and no other`() {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            let (proof, naive, heap) = (graph.proof(), NaiveProof(graph), graph.heapGraph)
            #expect(proof.omittedCycles == 0)
            for cycle in proof.cycles { checkCycle(cycle, heap, "seed \(seed)") }
            #expect(Set(proof.cycles.map { Set($0.references) }).count == proof.cycles.count, "seed \(seed)")
            #expect(proof.cycles.map(\.isProven) == proof.cycles.map(\.isProven).sorted { $0 && !$1 }, "seed \(seed)")
            var reasons = Array(repeating: 0, count: proof.cycles.count)
            for planted in naive.seeds {
                let length = naive.length(through: planted)
                let through = proof.cycles.indices.filter { place in
                    let cycle = proof.cycles[place]
                    guard cycle.references.count == length else { return false }
                    guard let number = planted.number else { return cycle.objects.contains(Int32(planted.object)) }
                    return cycle.references.contains(heap.firstReference[planted.object] + number)
                }
                #expect(!through.isEmpty, "seed \(seed): nothing is reported through \(planted)")
                for place in through { reasons[place] += 1 }
            }
            #expect(!reasons.contains(0), "seed \(seed): a cycle without a reason")
        }
    }

    @Test func `a cycle begins at its first root, else at an instance that the source names`() {
        for seed in Self.seeds {
            let graph = AbstractGraph(seed: seed)
            for cycle in graph.proof().cycles {
                let objects = cycle.objects.map { Int($0) }
                let named = objects.filter {
                    graph.traits[$0].contains(.isInstance) && !graph.traits[$0].contains(.isStorage)
                }
                let own = named.filter { !graph.traits[$0].contains(.isInternal) }
                let candidates = [objects.filter { $0 < graph.rootCount }, own, named, objects].first { !$0.isEmpty }
                #expect(objects[0] == candidates?.min(), "seed \(seed)")
            }
        }
    }

    private func checkCycle(_ cycle: HeapProof.Cycle, _ heap: HeapGraph, _ comment: Comment) {
        #expect(cycle.objects.count == cycle.references.count, comment)
        #expect(Set(cycle.objects).count == cycle.objects.count, comment)
        for (place, reference) in cycle.references.enumerated() {
            let source = Int(cycle.objects[place])
            #expect(heap.firstReference[source]..<heap.firstReference[source + 1] ~= reference, comment)
            #expect(heap.targets[reference] == cycle.objects[(place + 1) % cycle.objects.count], comment)
        }
    }
}
