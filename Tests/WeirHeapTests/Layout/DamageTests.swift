import Testing

@testable import WeirHeap

/// Walks while words of the heap are not what they should be.
struct DamageTests {
    @Test func `a word that is no reference is a limitation, and the object with it is reported`() {
        let target = Target()
        let place = address(of: target) + 16
        let words: [UInt] = [0x10_0003, 0x7fff_ffff_f000, address(of: target) + 8, .max - 7]
        for word in words {
            let limitations = withWord(word, at: place) {
                HeapWalker().walkedReport(from: address(of: target)).limitations
            }
            #expect(limitations == [HeapLimitation(.notAnObject, "Target")], "\(word)")
        }
        #expect(HeapWalker().walkedReport(from: address(of: target)).limitations == [])
        withExtendedLifetime(target) {}
    }

    @Test func `an array that says it is endless is not followed`() {
        let target = Target()
        target.list = [Leaf()]
        let walker = HeapWalker()
        let storage = walker.references(of: address(of: target)).first { $0.label == ".list" }?.target ?? 0
        let limitations = withWord(.max >> 1, at: storage + 16) {
            walker.walkedReport(from: address(of: target)).limitations
        }
        #expect(limitations.map(\.reason) == [.notAnObject])
        withExtendedLifetime(target) {}
    }

    @Test func `a root that is no object is a limitation`() {
        let report = HeapWalker().report(from: [HeapRoot(address: 8, tag: 1), HeapRoot(address: 0, tag: 2)])
        #expect(report.limitations == [HeapLimitation(.notAnObject, "root")])
        #expect(report.cycles.isEmpty)
    }

    @Test func `whatever stands in one word of the heap, the walk comes to an end`() {
        let target = Target()
        target.fill()
        let walker = HeapWalker()
        let root = address(of: target)
        let graph = walker.walk(from: [root]).graph
        let words = graph.addresses.map(Memory.word)
        var random = SeededRandom(seed: 7)
        var unanalysed = 0
        for _ in 0..<150 {
            let victim = Int.random(in: 0..<graph.count, using: &random)
            if graph.strongCounts[victim] == .max { continue }
            let length = max(2, UInt(graph.sizes[victim]) / 8)
            let place = graph.addresses[victim] + UInt.random(in: 0..<length, using: &random) * 8
            let other = Int.random(in: 0..<graph.count, using: &random)
            let choices: [UInt] = [
                0, 9, graph.addresses[other], graph.addresses[other] + 8, graph.addresses[other] + 3, words[other],
                words[other] + 8, .random(in: 0...(.max), using: &random), Memory.word(place) ^ 1 << 40,
                .random(in: 0...0x7fff_ffff_ffff, using: &random), 1 << 63 | graph.addresses[other],
            ]
            let word = choices[Int.random(in: 0..<choices.count, using: &random)]
            let limitations = withWord(word, at: place) { walker.walkedReport(from: root).limitations }
            if !limitations.isEmpty { unanalysed += 1 }
        }
        #expect(unanalysed > 20)
        let after = walker.walk(from: [root])
        #expect(after.graph.addresses == graph.addresses)
        #expect(after.limitations == [])
        withExtendedLifetime(target) {}
    }

    /// The result of `body` while `place` contains `word`. It must not retain or release anything there.
    private func withWord<Result>(_ word: UInt, at place: UInt, _ body: () -> Result) -> Result {
        guard let pointer = UnsafeMutablePointer<UInt>(bitPattern: place) else { return body() }
        let saved = pointer.pointee
        pointer.pointee = word
        defer { pointer.pointee = saved }
        return body()
    }
}

extension HeapWalker {
    fileprivate func walkedReport(from address: UInt) -> HeapReport { report(from: [HeapRoot(address: address)]) }
}

private struct SeededRandom: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9e37_79b9_7f4a_7c15
        var mixed = seed
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}

private enum Choice {
    case none
    case leaf(Leaf)
    case both(Leaf, Int)
    case closure(() -> Void)
}

private final class Target {
    var leaf: Leaf?
    var list: [Leaf] = []
    var table: [String: Leaf] = [:]
    var any: Any = 0
    var choice = Choice.none
    var choices: [Choice] = []
    var closures: [() -> Void] = []
    weak var weakly: Leaf?

    func fill() {
        let leaf = Leaf(), other = Leaf()
        self.leaf = leaf
        list = [leaf, other]
        table = ["one": leaf, "two": other]
        any = (1, 2, 3, leaf)
        choice = .both(leaf, 3)
        choices = [.none, .leaf(other), .closure { use(leaf) }]
        closures = [
            { use(leaf) },
            {
                use(leaf)
                use(other)
            }, { [weak other] in use(other) },
        ]
        weakly = other
    }
}
