import Testing

@testable import WeirHeap

/// A proof and a walk, while memory runs out at any of the points where they ask for it.
struct MemoryTests {
    private final class Link {
        var next: Link?
    }

    @Test func `a proof without memory is none, wherever it runs out, and a proof with enough is as ever`() throws {
        for seed in 0..<20 as Range<UInt64> {
            let graph = AbstractGraph(seed: seed)
            let whole = graph.proof()
            var refused = 0
            while true {
                let allowance = MemoryAllowance(columns: refused)
                do {
                    let proof = try MemoryAllowance.$current.withValue(allowance) { try graph.boundedProof() }
                    #expect(proof.cycles == whole.cycles)
                    break
                } catch is NoMemory {
                    refused += 1
                }
            }
            #expect(refused >= 6, "hardly anything asks for memory")
        }
    }

    @Test func `a walk that gets no memory says so, and proves nothing`() throws {
        #expect(HeapWalker.unknownLayout == [])
        let link = Link()
        link.next = link
        defer { link.next = nil }
        let root = HeapRoot(address: UInt(bitPattern: Unmanaged.passUnretained(link).toOpaque()), pins: 1)
        #expect(HeapWalker().report(from: [root]).cycles.count == 1)
        let report = MemoryAllowance.$current.withValue(MemoryAllowance(columns: 3)) {
            HeapWalker().report(from: [root])
        }
        #expect(report.limitations == [HeapLimitation(.outOfMemory, "1")])
        #expect(report.objects == [] && report.cycles == [] && report.walkedObjects == 1)
        let proven = MemoryAllowance.$current.withValue(MemoryAllowance(columns: 0)) {
            HeapWalker().prove(from: [root])
        }
        #expect(proven.objects == 1 && proven.cycles == 0 && proven.garbage == 0)
    }
}
