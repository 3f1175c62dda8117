import Testing

@testable import WeirHeap

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Compares walks of random graphs of real objects with the known facts about the graphs.
///
/// `WEIR_FUZZ_GRAPHS` sets the number of graphs (default 300), `WEIR_FUZZ_SEED` the first seed (default 1).
@Suite(.serialized)
struct FuzzTests {
    private static func setting(_ name: String, _ usual: UInt64) -> UInt64 {
        guard let text = getenv(name) else { return usual }
        return UInt64(String(cString: text)) ?? usual
    }

    @Test func `every planted cycle is found, nothing else is, and each verdict is right`() throws {
        let (graphs, seed) = (Self.setting("WEIR_FUZZ_GRAPHS", 300), Self.setting("WEIR_FUZZ_SEED", 1))
        let walker = HeapWalker()
        var total = FuzzTally()
        for number in 0..<graphs {
            var random = SeededGenerator(seed: seed &* 1_000_003 &+ number)
            let graph = FuzzGraph(&random, held: [0.0, 0.1, 0.3][Int(number % 3)])
            let check = FuzzCheck(graph, walker, "seed \(seed), graph \(number)")
            check.checkModel()
            let reports = number % 8 == 0
            let alive = graph.alive.sorted()
            for root in alive.shuffled(using: &random).prefix(3) {
                total.add(try check.check(roots: [root], reports: reports))
            }
            let several = alive.filter { _ in Bool.random(using: &random) }
            if !several.isEmpty { total.add(try check.check(roots: several, reports: reports)) }
            graph.tearDown()
            #expect(graph.alive == [], "seed \(seed), graph \(number)")
        }
        // A fuzz that plants nothing must not look like one that finds everything.
        #expect(total.cycles > graphs)
        #expect(total.proven > graphs / 2)
        #expect(total.cycles - total.proven > graphs / 2)
        print("fuzz: \(graphs) graphs from seed \(seed): \(total)")
    }
}

/// The number of walks, objects and cycles so far.
struct FuzzTally: CustomStringConvertible {
    var walks: UInt64 = 0, objects: UInt64 = 0, cycles: UInt64 = 0, proven: UInt64 = 0

    mutating func add(_ other: FuzzTally) {
        walks += other.walks
        objects += other.objects
        cycles += other.cycles
        proven += other.proven
    }

    var description: String {
        "\(walks) walks, \(objects) objects, \(cycles) planted components with cycles, \(proven) of them garbage"
    }
}
