#if canImport(Glibc)
import Testing
import WeirTestSupport

@testable import WeirHeap

/// The work of a search for holders, in counts: a checkpoint of many objects must not wait for more than one of few.
@Suite(.ahead) struct HolderSearchTests {
    private final class Item {}

    private final class Holder {
        let held: AnyObject
        init(_ held: AnyObject) { self.held = held }
    }

    /// Expects a bound on the work of a report on `count` objects, each of which `depth` objects hold, one the other, and memory of C
    /// the outermost.
    private static func expectLittleWork(for count: Int, depth: Int) {
        let held = UnsafeMutablePointer<Unmanaged<AnyObject>>.allocate(capacity: count)
        defer {
            for place in 0..<count { held[place].release() }
            held.deallocate()
        }
        var roots: [HeapRoot] = []
        for place in 0..<count {
            var object: AnyObject = Item()
            roots.append(HeapRoot(address: UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())))
            for _ in 0..<depth { object = Holder(object) }
            (held + place).initialize(to: .passRetained(object))
        }
        let walker = HeapWalker()
        var options = HeapWalker.Options()
        options.holderSearch = .everything
        let report = walker.report(from: roots, options: options)
        #expect(report.foundHolders.count == count * depth)
        #expect(report.objects.count == count * (depth + 1))
        let work = walker.plans.work
        #expect(work.walks == depth + 1 && work.passes <= 2 * (depth + 1), "\(work)")
        // Each holder, and what else contains an address, such as arrays of the search; each object once in a pass, whatever it contains.
        #expect(work.objects <= 2 * count * (depth + 1) + 1000, "\(work)")
    }

    // Each in a process of its own, which is alone with its memory.

    @Test(arguments: [100, 10_000]) func `the passes over memory do not grow with the number of objects`(
        _ count: Int
    ) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            HolderSearchTests.expectLittleWork(for: count, depth: 0)
        }
    }

    @Test(arguments: [100, 3000]) func `each step to an unknown holder takes one more walk, however many objects`(
        _ count: Int
    ) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            HolderSearchTests.expectLittleWork(for: count, depth: 3)
        }
    }
}
#endif
