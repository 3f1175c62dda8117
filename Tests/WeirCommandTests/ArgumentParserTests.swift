import Testing

@testable import WeirCommand

struct ArgumentParserTests {
    private static let grammar = CommandGrammar(
        name: "events", summary: "List events.", arguments: ["TRACE"],
        options: [
            .init(name: "node", short: "n", placeholder: "NAME", isRepeatable: true, help: "A node."),
            .init(name: "limit", placeholder: "N", help: "A limit."), .init(name: "follow", help: "Go on."),
        ])
    private static let recording = CommandGrammar(
        name: "record", summary: "Record.", arguments: ["COMMAND"], takesCommandLine: true,
        options: [.init(name: "output", short: "o", placeholder: "FILE", help: "A file.")])

    private func parse(
        _ arguments: [String], _ grammar: CommandGrammar = ArgumentParserTests.grammar
    ) throws -> ParsedArguments {
        try ArgumentParser(grammar).parse(arguments)
    }

    @Test func `values come after a space or an equals sign`() throws {
        let parsed = try parse(["--node", "a", "x.weir", "--node=b=c", "-n", "d", "--limit=", "--follow"])
        #expect(parsed.positional == ["x.weir"])
        #expect(parsed.values == ["node": ["a", "b=c", "d"], "limit": [""], "follow": [""]])
        #expect(parsed.has("follow") && !parsed.has("color"))
    }

    @Test func `nothing is an option after two dashes`() throws {
        #expect(try parse(["--", "--node"]).positional == ["--node"])
    }

    @Test func `a single dash is an argument`() throws {
        #expect(try parse(["-"]).positional == ["-"])
    }

    @Test func `another program's command line is left alone`() throws {
        let parsed = try parse(["-o", "x.weir", "--", "login", "--limit", "3", "--"], Self.recording)
        #expect(parsed.commandLine == ["login", "--limit", "3", "--"])
        #expect(parsed.value("output") == "x.weir")
        #expect(try parse(["login", "-o", "y"], Self.recording).commandLine == ["login", "-o", "y"])
    }

    @Test func `help is shown whatever else is missing`() throws {
        #expect(try parse(["--help"]).wantsHelp)
        #expect(try parse(["-h", "--nonsense"]).wantsHelp)
        #expect(try parse(["--output", "x", "-h"], Self.recording).wantsHelp)
    }

    @Test(arguments: [
        (["x", "--nodes", "a"], UsageError.unknownOption("--nodes", command: "events", nearest: ["--node"])),
        (["x", "--zzz"], .unknownOption("--zzz", command: "events", nearest: [])),
        (["x", "-z"], .unknownOption("-z", command: "events", nearest: [])),
        (["x", "--limit"], .missingValue(option: "limit", placeholder: "N")),
        (["x", "--limit", "--", "y"], .missingValue(option: "limit", placeholder: "N")),
        (["x", "--follow=yes"], .unwantedValue(option: "follow")),
        (["x", "--limit", "1", "--limit", "2"], .repeatedOption("limit")),
        ([], .missingArgument("TRACE", command: "events")),
        (["x", "y"], .unexpectedArgument("y", command: "events")),
    ])
    func `what makes no sense is named`(_ arguments: [String], _ error: UsageError) {
        #expect(throws: error) { try parse(arguments) }
    }

    @Test func `record needs a command`() {
        #expect(throws: UsageError.missingArgument("COMMAND", command: "record")) {
            try parse(["-o", "x", "--"], Self.recording)
        }
    }

    @Test func `every command's options have different names and letters`() {
        for command in Tool.commands {
            let options = command.grammar.allOptions
            #expect(Set(options.map(\.name)).count == options.count)
            #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
        }
    }

    @Test(arguments: [
        ("12ms", 12_000_000), ("1.5s", 1_500_000_000), ("300us", 300_000), ("300µs", 300_000), ("80ns", 80),
        ("0", 0),
        ("2min", 120_000_000_000), ("0.1234567891s", 123_456_789), ("1.5ns", 1),
    ])
    func `times have units`(_ text: String, _ nanoseconds: UInt64) {
        #expect(Quantities.nanoseconds(text) == nanoseconds)
    }

    @Test(arguments: [
        "", "12", "ms", "-1s", "1e3s", ".5s", "5.s", "1 s", "1.2.3s", "99999999999999999999s",
        "18446744073709552s", "١s",
    ])
    func `what is no time is refused`(_ text: String) {
        #expect(Quantities.nanoseconds(text) == nil)
    }

    @Test(arguments: [
        ("65536", 65_536), ("64MiB", 67_108_864), ("64M", 67_108_864), ("1.5GiB", 1_610_612_736),
        ("2K", 2048),
    ])
    func `sizes may have units`(_ text: String, _ bytes: UInt64) {
        #expect(Quantities.bytes(text) == bytes)
        #expect(Quantities.bytes("-" + text) == nil)
        #expect(Quantities.bytes(text + "X") == nil)
    }

    @Test func `kinds are named one by one or in groups`() throws {
        #expect(try EventKinds.named("emitted") == [.emitted])
        #expect(try EventKinds.named("DELIVERYBEGAN") == [.deliveryBegan])
        #expect(try EventKinds.named("stimulus") == [.stimulusBegan, .stimulusEnded])
        #expect(try EventKinds.named("hop") == [.hopBegan, .hopEnded, .hopScheduled])
        #expect(try EventKinds.named("batch") == [.batchBegan, .batchEnded])
        #expect(try EventKinds.named("ending") == [.completed, .failed])
        #expect(throws: UsageError.unknownKind("emited", nearest: ["emitted"])) {
            try EventKinds.named("emited")
        }
        #expect(throws: UsageError.unknownKind("context", nearest: [])) { try EventKinds.named("context") }
    }
}
