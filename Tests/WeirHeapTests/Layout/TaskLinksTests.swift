#if canImport(Glibc)
import CWeir
import Testing
import WeirTestSupport

@testable import WeirHeap

/// The links between tasks, in memory that a test fills.
struct TaskLinksTests {
    /// Memory that looks like tasks and what they refer to.
    private final class Forged {
        let plans = Plans()
        let start: UnsafeMutableRawPointer
        static let (pieces, size) = (16, 1024)
        private let kind: UInt

        init() async {
            kind = await Task.detached { Memory.word(weir_current_task()) }.value
            start = .allocate(byteCount: Self.pieces * Self.size, alignment: 16)
            start.initializeMemory(as: UInt.self, repeating: 0, count: Self.pieces * Self.size / 8)
            plans.memory.refresh()
        }

        deinit { start.deallocate() }

        func address(_ piece: Int) -> UInt { UInt(bitPattern: start) + UInt(piece * Self.size) }

        func set(_ piece: Int, _ offset: Int, _ value: UInt) {
            start.storeBytes(of: value, toByteOffset: piece * Self.size + offset, as: UInt.self)
        }

        /// Makes a piece a task; a child of another piece, if one is given.
        func task(_ piece: Int, of parent: Int? = nil, next: Int? = nil, isOfGroup: Bool = true) {
            set(piece, 0, kind)
            set(piece, 8, 3)
            let flags = TaskLinks.isChild | (isOfGroup ? TaskLinks.isOfGroup : 0)
            set(piece, 32, parent == nil ? 0 : UInt(flags))
            set(piece, 208, parent.map(address) ?? 0)
            set(piece, 216, next.map(address) ?? 0)
        }

        /// Lets a task wait: the record in another piece says for what.
        func wait(_ task: Int, kind: UInt, for awaited: Int, record: Int) {
            set(task, 104, address(record))
            set(record, 16, address(awaited))
            set(record, 32, kind)
            set(record, 40, address(task))
        }

        /// A group with a first child.
        func group(_ piece: Int, first: Int) {
            set(piece, 8, 2)
            set(piece, 24, address(first))
        }
    }

    @Test func `a task waits for another, or for the children of its group`() async {
        let forged = await Forged()
        let links = TaskLinks(forged.plans)
        for piece in 0...1 { forged.task(piece) }
        #expect(links.awaited(by: forged.address(0)) == nil)
        forged.wait(0, kind: 1, for: 1, record: 5)
        #expect(links.awaited(by: forged.address(0)) == .task(forged.address(1)))
        forged.group(6, first: 2)
        forged.task(2, of: 0, next: 3)
        forged.task(3, of: 0)
        forged.wait(0, kind: 3, for: 6, record: 5)
        #expect(links.awaited(by: forged.address(0)) == .group([forged.address(2), forged.address(3)]))
        #expect(links.parents(of: forged.address(3)) == [forged.address(0)])
        #expect(!links.isAsyncLet(forged.address(3), of: forged.address(0)))
        forged.task(4, of: 3, isOfGroup: false)
        #expect(links.isAsyncLet(forged.address(4), of: forged.address(3)))
        #expect(!links.isAsyncLet(forged.address(4), of: forged.address(0)))
        #expect(links.parents(of: forged.address(4)) == [forged.address(0), forged.address(3)])
    }

    @Test func `what is no child of the task, or no task, is not followed`() async {
        let forged = await Forged()
        let links = TaskLinks(forged.plans)
        forged.task(0)
        forged.group(6, first: 2)
        forged.wait(0, kind: 3, for: 6, record: 5)
        #expect(links.awaited(by: forged.address(0)) == .group([]))
        // The child of another one, a list without an end, and parents without one.
        forged.task(1)
        forged.task(2, of: 1)
        #expect(links.awaited(by: forged.address(0)) == .group([]))
        forged.task(2, of: 0, next: 3)
        forged.task(3, of: 0, next: 2)
        #expect(links.awaited(by: forged.address(0)) == .group([forged.address(2), forged.address(3)]))
        forged.task(0, of: 3)
        #expect(links.parents(of: forged.address(0)) == [forged.address(3)])
        forged.task(0, of: 0)
        #expect(links.parents(of: forged.address(0)).isEmpty)
        forged.wait(0, kind: 1, for: 7, record: 5)
        #expect(links.awaited(by: forged.address(0)) == nil)
    }

    @Test func `whatever stands in the memory of tasks, the search for their links comes to an end`() async {
        let forged = await Forged()
        var random = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            for piece in 0..<6 {
                forged.task(piece, of: (piece + 1) % 6, next: .random(in: 0..<6, using: &random))
                forged.wait(piece, kind: .random(in: 0...4, using: &random), for: piece, record: 6 + piece)
                forged.group(12, first: piece)
            }
            for _ in 0..<8 {
                let word: [UInt] = [
                    .random(in: 0...(.max), using: &random), .random(in: 0...0x7fff_ffff_ffff, using: &random) & ~7,
                    forged.address(.random(in: 0..<14, using: &random)), UInt.max & ~7, 8,
                ]
                let offset = Int.random(in: 0..<32, using: &random) * 8
                forged.set(.random(in: 0..<14, using: &random), offset, word.randomElement(using: &random) ?? 0)
            }
            let all = Set((0..<6).map(forged.address))
            _ = TaskHolders(forged.plans).holders(among: all, most: 9)
        }
    }
}
#endif
