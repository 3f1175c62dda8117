import Testing

@testable import WeirTrace

struct RemovedValuesTests {
    @Test func `A value is known in whatever form it stands`() {
        var removed = RemovedValues()
        removed.insert(.string("Maruko"))
        removed.insert(.signed(5500))
        removed.insert(.double(0.5))
        removed.insert(.cutString("a long text", fingerprint: 77))
        for value: TraceValue in [
            .string("Maruko"), .described("Maruko"), .signed(5500), .unsigned(5500), .double(0.5), .fingerprint(77),
            .cutDescription("other", fingerprint: 77), .enumCase("typed", .fingerprint(77)),
            .hashedDescription("Maruko", isCut: false, fingerprint: 1),
            .hashedDescription("User(…", isCut: true, fingerprint: 77),
        ] {
            #expect(removed.contains(value), "\(value)")
        }
        for value: TraceValue in [.string("Momoko"), .signed(-5500), .double(0.25), .fingerprint(78), .withheld, .void]
        {
            #expect(!removed.contains(value), "\(value)")
        }
    }

    @Test func `Values that many nodes have by chance tell nothing`() {
        var removed = RemovedValues()
        let values: [TraceValue] = [
            .bool(true), .signed(7), .unsigned(999), .double(3), .float(0), .string("a"), .string(""), .nil, .void,
            .enumCase("done", .none), .double(.nan),
        ]
        for value in values { removed.insert(value) }
        #expect(!values.contains { removed.contains($0) })
    }

    @Test func `Few others are taken for removed ones, and no removed one is missed`() {
        var removed = RemovedValues()
        for number in 0..<100_000 { removed.insert(.string("value \(number)")) }
        #expect((0..<100_000).allSatisfy { removed.contains(.string("value \($0)")) })
        let mistaken = (0..<100_000).count { removed.contains(.string("other \($0)")) }
        #expect(mistaken < 100)
    }
}
