import Testing

@testable import WeirReport

/// Every command obeys the terminal's width, down to 60 columns.
@Suite(.timeLimit(.minutes(15))) struct WidthTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    /// The output of a command for a person, on both channels.
    private func printed(_ arguments: [String], columns: Int) throws -> String {
        let ended = try BuiltCommand("weir", arguments, in: folder, environment: ["COLUMNS": "\(columns)"]).wait()
        return ended.output + ended.errors
    }

    /// The lines that are too wide, and not because of a single long word.
    private func wide(_ text: String, _ columns: Int) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            Style.width(line) > columns && line.drop { $0 == " " }.contains(" ")
        }
    }

    @Test(arguments: [60, 80]) func `no line of any command is wider than the terminal`(columns: Int) throws {
        let run = try BuiltCommand(
            "weir-login", [], in: folder,
            environment: ["WEIR_TRACE": folder("login.weir"), "WEIR_SNAPSHOTS": "standard"])
        #expect(try run.wait().status == 0)
        let node = "LoginViewModel.loginEnabled"
        var commands = [
            ["info"], ["events"], ["why", node], ["why-not", node], ["redundant"], ["redundant", "--what-if"],
            ["leaks"],
            ["graph"], ["graph", "--collapse", "none", "--at", "end"], ["check"], ["watch", "--once"], ["replay"],
            ["replay", "--at", "end"],
        ].map { [$0[0], "login.weir"] + $0.dropFirst() }
        commands.append(["diff", "login.weir", "login.weir"])
        commands.append(["record", "-o", "\(columns).weir", "--", BuiltCommand.product("weir-dice")])
        // Mistakes, too.
        commands += [
            ["nonsense"], ["why", "login.weir", "LoginViewModel.loginEnable"], ["info", "login.weir", "--nonsense"],
            ["watch"],
            ["info", "a folder that is not there/and another one/login.weir"], ["graph", "login.weir", "--depth", "1"],
        ]
        for name in [
            "record", "info", "events", "why", "redundant", "graph", "replay", "check", "view", "watch", "export",
        ] {
            commands.append([name, "--help"])
        }
        for command in commands {
            let text = try printed(command, columns: columns)
            #expect(!text.isEmpty, "weir \(command.joined(separator: " "))")
            let own =
                command[0] == "record"
                ? text.split(separator: "\n").filter { $0.hasPrefix("weir: ") }.joined(separator: "\n") : text
            #expect(wide(own, columns) == [], "weir \(command.joined(separator: " "))")
        }
    }

    @Test func `what goes into a file or a pipe does not break, and its heading fits a terminal`() throws {
        let variables = ["WEIR_TRACE": folder("login.weir"), "WEIR_SNAPSHOTS": "standard"]
        #expect(try BuiltCommand("weir-login", [], in: folder, environment: variables).wait().status == 0)
        let heading = try BuiltCommand.weir("info", "login.weir", in: folder).output
            .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        #expect(heading.contains { $0.contains("snapshots 2; the app paused") })
        #expect(heading.filter { Style.width(String($0)) > 80 } == [])
        let ended = try BuiltCommand.weir("info", "nowhere.weir", in: folder)
        #expect(ended.errors.split(separator: "\n").count == 1)
    }
}
