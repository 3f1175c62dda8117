@testable import WeirHeap

/// A random graph of real objects, whose references are known because the test made them.
final class FuzzGraph {
    /// The strong references of each node by number, with repetitions.
    private(set) var references: [[Int]]
    /// The address of each node, also after its death.
    let addresses: [UInt]
    /// The nodes that the test itself holds, once each.
    private(set) var held: Set<Int>
    /// The nodes that are alive, according to the nodes themselves.
    var alive: Set<Int> { census.alive }

    private let census: FuzzCensus
    private var holding: [FuzzNode]

    /// The same graph for the same state of `random`; each node is held with the probability `share`.
    init(_ random: inout SeededGenerator, held share: Double) {
        let census = FuzzCensus()
        var references: [[Int]] = []
        var addresses: [UInt] = []
        holding = Self.build(&random, share, census, &references, &addresses)
        self.census = census
        self.references = references
        self.addresses = addresses
        held = Set(holding.map(\.number))
    }

    @inline(never)
    private static func build(
        _ random: inout SeededGenerator, _ share: Double, _ census: FuzzCensus, _ references: inout [[Int]],
        _ addresses: inout [UInt]
    ) -> [FuzzNode] {
        let count = Int.random(in: 2...40, using: &random)
        let nodes = (0..<count).map { FuzzNode($0, census) }
        references = Array(repeating: [], count: count)
        addresses = nodes.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        var used = Array(repeating: Set<String>(), count: count)
        for _ in 0..<Int.random(in: 1...(count * 3), using: &random) {
            let source = Int.random(in: 0..<count, using: &random)
            let first = nodes[Int.random(in: 0..<count, using: &random)]
            let second = nodes[Int.random(in: 0..<count, using: &random)]
            guard let edge = FuzzEdge.allCases.randomElement(using: &random) else { continue }
            references[source] += edge.connect(nodes[source], first, second, &used[source]).map(\.number)
        }
        return nodes.filter { _ in Double.random(in: 0..<1, using: &random) < share }
    }

    /// Releases all references. Afterwards nothing may be alive, because a walk changes no count.
    @inline(never)
    func tearDown() {
        for number in alive {
            guard let node = UnsafeRawPointer(bitPattern: addresses[number]) else { continue }
            holding.append(Unmanaged<FuzzNode>.fromOpaque(node).takeUnretainedValue())
        }
        for node in holding { node.clear() }
        holding = []
    }

    /// The nodes that strong references lead to from `numbers`, including these.
    func reached(from numbers: some Sequence<Int>) -> Set<Int> {
        var reached = Set(numbers)
        var rest = Array(reached)
        while let next = rest.popLast() {
            for target in references[next] where reached.insert(target).inserted { rest.append(target) }
        }
        return reached
    }

    /// The planted cycles: nodes that lead to each other, or to themselves.
    var components: [Set<Int>] {
        let targets = references.indices.map { reached(from: references[$0]) }
        var components: Set<Set<Int>> = []
        for node in references.indices where targets[node].contains(node) {
            components.insert(
                Set(references.indices.filter { targets[node].contains($0) && targets[$0].contains(node) }))
        }
        return Array(components)
    }
}
