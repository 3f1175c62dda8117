import Testing

/// The complete output of `weir redundant` for the samples, as a user reads it.
///
/// The samples run under a virtual clock, so that times are the same in each run; with two threads, numbers of events and
/// times are left out.
@Suite(.timeLimit(.minutes(15))) struct RedundancyGoldenTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    @Test(arguments: [
        ("login", ["published"], published, 1), ("login", ["cured"], cured, 0), ("dice", [], dice, 0),
        ("form", [], form, 0),
    ])
    func `the findings of a sample`(sample: String, arguments: [String], golden: String, status: Int32) throws {
        let ended = try redundant(sample, arguments)
        expectEqual(ended.output, golden)
        #expect(ended.status == status && ended.errors.isEmpty)
    }

    @Test(arguments: [("travel", travel), ("lookup", lookup)])
    func `the findings of a sample with two threads`(sample: String, golden: String) throws {
        let ended = try redundant(sample, [])
        let masked = ended.output.replacing(/\d+:\d+/, with: "…").replacing(/[\d.]+ µs/, with: "… µs")
        expectEqual(masked, golden)
        #expect(ended.status == 0 && ended.errors.isEmpty)
    }

    @Test func `the findings of the cured login model for a program`() throws {
        let ended = try redundant("login", ["cured"], "--format", "json", "--rule", "noop-evaluation")
        let text = ended.output.replacing(#/"path": ".*"/#, with: #""path": "login.weir""#)
        expectEqual(text, Self.curedJSON)
    }

    private func redundant(_ sample: String, _ arguments: [String], _ options: String...) throws -> BuiltCommand.Ended {
        let trace = folder(sample + ".weir")
        let environment = ["WEIR_TRACE": trace, "WEIR_CLOCK": "virtual"]
        #expect(try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait().status == 0)
        return try BuiltCommand("weir", ["redundant", trace] + options, in: folder).wait()
    }

    private func expectEqual(_ text: String, _ golden: String) {
        let (lines, wanted) = (text.split(separator: "\n"), golden.split(separator: "\n"))
        for (line, wanted) in zip(lines, wanted) where line != wanted { #expect(line == wanted) }
        #expect(lines.count == wanted.count)
    }
}
