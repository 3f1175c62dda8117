import Foundation
import Testing

/// Runs `weir diff` and `weir completions` as a user does.
@Suite(.timeLimit(.minutes(15))) struct DiffCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func record(_ sample: String, _ arguments: String..., to name: String) throws {
        let environment = ["WEIR_TRACE": folder(name), "WEIR_CLOCK": "virtual", "WEIR_SNAPSHOTS": "standard"]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private func diff(_ arguments: String..., root: String = root) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["diff", "--source-root", root] + arguments, in: folder).wait()
    }

    @Test func `a run does not differ from another run of the same program`() throws {
        try record("login", "published", to: "one.weir")
        try record("login", "published", to: "two.weir")
        let ended = try diff("one.weir", "two.weir", "--fail-on", "note")
        #expect(ended.status == 0 && ended.errors.isEmpty)
        #expect(
            ended.output
                == "one.weir → two.weir\n\nNo difference in nodes, edges, refreshes, end states and findings.\n")
    }

    @Test func `the cured login model has fewer findings and refreshes, and no new finding that fails`() throws {
        try record("login", "published", to: "published.weir")
        try record("login", "cured", to: "cured.weir")
        let ended = try diff("published.weir", "cured.weir", "--fail-on", "warning")
        #expect(ended.status == 0 && ended.errors.isEmpty)
        for line in [18, 21, 29] {
            #expect(
                ended.outputLines.contains {
                    $0.hasPrefix("  retain-cycle · error · ")
                        && $0.hasSuffix(" at Samples/Login/Sources/PublishedLoginModel.swift:\(line)")
                })
        }
        #expect(ended.outputLines.contains("  LoginViewModel.instruction  8 → 7 (÷ 1.1); redundant 1 → 0"))
        #expect(ended.outputLines.contains("  LoginViewModel.usernameValid → LoginViewModel.passwordValid"))
        let json = try diff("published.weir", "cured.weir", "--format", "json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let cured = try #require(object["cured"] as? [[String: Any]])
        #expect(Set(cured.compactMap { $0["rule"] as? String }).isSuperset(of: ["retain-cycle", "burst", "feedback"]))
        #expect(object["same"] as? Bool == false)
        // And the other way round: the findings are new, and fail.
        let back = try diff("cured.weir", "published.weir", "--fail-on", "error")
        #expect(
            back.status == 1
                && back.output.hasPrefix("cured.weir → published.weir\n\nNew findings\n  retain-cycle · error · "))
        #expect(try diff("cured.weir", "published.weir").status == 0)
        let markdown = try diff("cured.weir", "published.weir", "--format", "markdown")
        #expect(markdown.output.hasPrefix("### weir diff\n\ncured.weir → published.weir\n"))
        #expect(markdown.output.contains("\n```mermaid\nflowchart LR\n") && markdown.output.contains(" -.->|gone| "))
    }

    @Test func `lines are paths in the repository, as weir check gives them`() throws {
        try record("login", "published", to: "published.weir")
        try record("login", "cured", to: "cured.weir")
        let path = "Samples/Login/Sources/PublishedLoginModel.swift"
        let json = try diff("cured.weir", "published.weir", "--format", "json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let new = try #require(object["new"] as? [[String: Any]])
        let cycle = try #require(new.first)
        #expect(cycle["path"] as? String == path && cycle["line"] as? Int == 18)
        #expect(cycle["site"] as? String == "WeirLogin/PublishedLoginModel.swift:18")
        #expect(cycle["remedy"] as? String == "capture [weak self] at \(path):18")
        #expect((cycle["lines"] as? [String])?.contains { $0.hasSuffix("\(path):18") } == true)
        // Each finding is at the path at which `weir check` reports it.
        let checked = try BuiltCommand.weir(
            "check", "published.weir", "--source-root", Self.root, "--output", "json", in: folder)
        let check = try #require(try JSONSerialization.jsonObject(with: Data(checked.output.utf8)) as? [String: Any])
        let found = try #require(check["findings"] as? [[String: Any]])
        for finding in new {
            let same = found.first { $0["fingerprint"] as? String == finding["fingerprint"] as? String }
            for field in ["path", "line", "lines", "remedy"] {
                #expect("\(finding[field] ?? "")" == "\(same?[field] ?? "none")", "\(field)")
            }
        }
        let markdown = try diff("cured.weir", "published.weir", "--format", "markdown")
        #expect(markdown.output.contains(" at \(path):18\n"))
        // By default the root is the git repository around the current folder; here there is none, and no such file.
        let unresolved = try BuiltCommand.weir("diff", "cured.weir", "published.weir", in: folder)
        #expect(unresolved.output.contains(" at WeirLogin/PublishedLoginModel.swift:18\n"))
        for name in [".git", "one", "two"] {
            try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
        }
        _ = try folder.write("one/PublishedLoginModel.swift", [])
        let only = try BuiltCommand.weir("diff", "cured.weir", "published.weir", in: folder)
        #expect(only.output.contains(" at one/PublishedLoginModel.swift:18\n"))
        // An ambiguous name is said.
        _ = try folder.write("two/PublishedLoginModel.swift", [])
        let ambiguous = try diff("cured.weir", "published.weir", root: folder.path)
        #expect(ambiguous.output.contains(" at WeirLogin/PublishedLoginModel.swift:18\n"))
        #expect(
            ambiguous.output.contains(
                "\nLines without one path\n  WeirLogin/PublishedLoginModel.swift may be one/PublishedLoginModel.swift or "
                    + "two/PublishedLoginModel.swift\n"))
    }

    @Test func `folders are compared as a whole, and a trace that cannot be read ends the comparison`() throws {
        for side in ["before", "after"] {
            try FileManager.default.createDirectory(atPath: folder(side), withIntermediateDirectories: true)
            for name in ["a", "b"] { try record("dice", to: "\(side)/\(name).weir") }
        }
        let same = try diff("before", "after")
        #expect(same.status == 0 && same.output.hasPrefix("before (2 traces) → after (2 traces)\n\nNo difference"))
        _ = try folder.write("after/c.weir", Array("no trace".utf8))
        let broken = try diff("before", "after")
        #expect(
            broken.status == 3 && broken.output.isEmpty
                && broken.errors.hasPrefix("weir: after/c.weir: is not a Weir trace"))
    }

    @Test func `repeated runs differ where their ranges do not overlap`() throws {
        for side in ["before", "after"] {
            try FileManager.default.createDirectory(atPath: folder(side), withIntermediateDirectories: true)
            for run in 1...3 {
                try record("login", side == "before" ? "cured" : "published", to: "\(side)/\(run).weir")
            }
        }
        let same = try diff("before", "before", "--runs")
        #expect(
            same.output
                == "before (3 traces) → before (3 traces)\n\nNo difference in nodes, edges, refreshes, end states, "
                + "handler times and findings.\n")
        let ended = try diff("before", "after", "--runs", "--fail-factor", "1.1")
        #expect(ended.status == 1 && ended.errors.isEmpty)
        #expect(ended.outputLines.contains("  LoginViewModel.instruction  7 → 8 (× 1.1); redundant 0 → 1"))
        #expect(try diff("before", "after", "--runs", "--fail-factor", "9").status == 0)
        _ = try FileManager.default.removeItem(atPath: folder("after/3.weir"))
        let few = try diff("before", "after", "--runs")
        #expect(
            few.status == 2 && few.errors == "weir: --runs needs at least 3 traces on each side; after has 2.\n")
    }

    @Test(arguments: [
        (["x"], "weir: 'weir diff' needs AFTER; `weir diff --help` shows how to write it.\n"),
        (["x", "y", "z"], "weir: 'z' is one argument too many for 'weir diff'; leave it out.\n"),
        (
            ["x", "y", "--fail-factor", "1"],
            "weir: --fail-factor cannot be '1'; give it a number above 1, such as 1.5.\n"
        ),
        (
            ["x", "y", "--source-root", "nowhere"],
            "weir: there is no folder nowhere; give --source-root the folder that contains the sources.\n"
        ),
        (["x", "y", "--fail-on", "eror"], "weir: --fail-on cannot be 'eror'; did you mean 'error'?\n"),
        (["x", "y", "--format", "mardown"], "weir: --format cannot be 'mardown'; did you mean 'markdown'?\n"),
        (["x", "y", "--fail-on", "all"], "weir: --fail-on cannot be 'all'; give it note, warning or error.\n"),
    ])
    func `wrong usage exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", ["diff"] + arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty && ended.errors == sentence)
    }

    @Test func `bash completes commands, their second words, and options`() throws {
        let script = try BuiltCommand.weir("completions", "bash", in: folder)
        #expect(script.status == 0)
        _ = try folder.write("weir.bash", Array(script.output.utf8))
        func complete(_ words: String...) throws -> [Substring] {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let text =
                "source weir.bash; COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _weir; printf '%s\\n' \"${COMPREPLY[@]}\""
            return try BuiltCommand("/bin/bash", ["-c", text], in: folder).wait().outputLines
        }
        #expect(try complete("weir", "ch") == ["check"])
        #expect(try complete("weir", "po") == ["policy"])
        #expect(try complete("weir", "policy", "") == ["init", "validate", "schema"])
        #expect(try complete("weir", "policy", "init", "--he") == ["--head-room", "--help"])
        #expect(try complete("weir", "check", "--up") == ["--update-baseline"])
        #expect(try complete("weir", "diff", "--so") == ["--source-root"])
        #expect(try complete("weir", "help", "gr") == ["graph"])
        #expect(try complete("weir", "check", "tra") == [])
    }

    @Test(arguments: ["zsh", "fish"])
    func `the other shells accept their scripts, where they are installed`(_ shell: String) throws {
        let script = try BuiltCommand.weir("completions", shell, in: folder)
        #expect(script.status == 0 && script.output.contains("policy") && script.output.contains("update-baseline"))
        let path = folder("weir.\(shell)")
        try Data(script.output.utf8).write(to: URL(fileURLWithPath: path))
        guard
            let program = ["/usr/bin/", "/bin/"].map({ $0 + shell }).first(where: FileManager.default.isExecutableFile)
        else {
            return
        }
        let ended = try BuiltCommand(program, ["-n", path], in: folder).wait()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended.errors)")
    }

    @Test func `an unknown shell is told with the nearest one`() throws {
        let ended = try BuiltCommand.weir("completions", "bsh", in: folder)
        #expect(
            ended.status == 2
                && ended.errors == "weir: there are no completions for 'bsh'; did you mean 'bash' or 'zsh'?\n")
    }
}
