import Foundation
import Testing

/// Runs `weir check` and `weir policy` as a user or a build does.
@Suite(.timeLimit(.minutes(15))) struct CheckCommandTests {
    private let folder: BuiltCommand.Folder
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    init() throws { folder = try BuiltCommand.Folder() }

    /// A recording of a sample in a folder of the test's.
    @discardableResult
    private func record(_ sample: String, _ arguments: String..., to name: String) throws -> String {
        let path = folder(name)
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        let environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_SNAPSHOTS": "standard"]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func check(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["check", "--source-root", Self.root] + arguments, in: folder).wait()
    }

    private func write(_ name: String, _ text: String) throws -> String { try folder.write(name, Array(text.utf8)) }

    @Test(arguments: [
        ([], "weir: 'weir check' needs TRACE; `weir check --help` shows how to write it.\n"),
        (
            ["x", "--policy", "none.json"],
            "weir: none.json cannot be read (No such file or directory); check its path and permissions.\n"
        ),
        (
            ["x", "--baseline", "none.json"],
            "weir: there is no baseline none.json; write it once with --update-baseline, and commit it.\n"
        ),
        (
            ["x", "--update-baseline"],
            "weir: --update-baseline works only with --baseline FILE; add it, or leave --update-baseline out.\n"
        ),
        (
            ["x", "--output", "yaml"],
            "weir: --output cannot be 'yaml'; give it text, json, sarif, junit, github, gitlab or markdown, or one of "
                + "these with a file: sarif=weir.sarif.\n"
        ),
        (["x", "--output", "sarf"], "weir: --output cannot be 'sarf'; did you mean 'sarif'?\n"),
        (["x", "--output", "sarf=a.x"], "weir: --output cannot be 'sarf=a.x'; did you mean 'sarif=a.x'?\n"),
        (["x", "--output", "sarif="], "weir: --output cannot be 'sarif='; give it a file after the '='.\n"),
        (
            ["x", "--output", "json", "--output", "sarif"],
            "weir: --output json and --output sarif would both be printed; give one of them a file: json=FILE.\n"
        ),
        (["x", "--date", "2026-02-30"], "weir: --date cannot be '2026-02-30'; give it a day, such as 2026-12-31.\n"),
        (
            ["x", "--source-root", "nowhere"],
            "weir: there is no folder nowhere; give --source-root the folder that contains the sources.\n"
        ),
        (["."], "weir: . contains no file whose name ends with '.weir'; name a trace, or a folder with traces.\n"),
        ([""], "weir: the name of the trace is empty; give the path of a file that 'weir record' wrote.\n"),
    ])
    func `wrong usage exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", ["check"] + arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors == sentence)
    }

    @Test func `a mistake in the policy exits with 2, and validate says the same`() throws {
        try record("login", "cured", to: "a.weir")
        _ = try write("weir.json", #"{"version": 1, "rules": {"burts": "off"}}"#)
        let sentence = "weir: weir.json: rules: \"burts\" is not allowed; did you mean \"burst\"?\n"
        let ended = try check("a.weir", "--policy", "weir.json")
        #expect(ended.status == 2 && ended.errors == sentence && ended.output.isEmpty)
        let validated = try BuiltCommand.weir("policy", "validate", "weir.json", in: folder)
        #expect(validated.status == 2 && validated.errors == sentence)
        let several =
            #"{"version": 1, "rules": {"burts": "off"}, "budgets": [{"nodes": ["a"]}], "waivers": [{"rule": "burst"}]}"#
        _ = try write("weir.json", several)
        let all = try BuiltCommand.weir("policy", "validate", "weir.json", in: folder)
        #expect(all.status == 2 && all.output.isEmpty && all.errors.split(separator: "\n").count == 3)
        #expect(all.errors.contains("weir: weir.json: waivers[0]: \"reason\" is missing; add it.\n"))
        _ = try write("weir.json", #"{"version": 1, "rules": {"burst": "off"}}"#)
        let valid = try BuiltCommand.weir("policy", "validate", "weir.json", in: folder)
        #expect(
            valid.status == 0
                && valid.output == "weir.json is a policy: 1 rule, 0 overrides, 0 budgets and 0 waivers.\n")
    }

    @Test func `the cured model passes, and the published one fails at lines of the repository`() throws {
        try record("login", "cured", to: "cured.weir")
        try record("login", "published", to: "published.weir")
        let cured = try check("cured.weir")
        #expect(cured.status == 0 && cured.errors.isEmpty && cured.output.hasSuffix("The check passed.\n"))
        let published = try check("published.weir")
        #expect(published.status == 1 && published.errors.isEmpty)
        for line in [18, 21, 29] {
            let place = "Samples/Login/Sources/PublishedLoginModel.swift:\(line)"
            #expect(published.output.contains("retain-cycle · error · at \(place) · in published.weir"))
            #expect(published.output.contains("Remedy: capture [weak self] at \(place)."))
        }
        #expect(published.output.hasSuffix("The check failed: 5 new findings.\n"))
    }

    @Test func `a policy with the budgets of the cured run fails on the published one`() throws {
        try record("login", "cured", to: "cured.weir")
        try record("login", "published", to: "published.weir")
        let made = try BuiltCommand.weir(
            "policy", "init", "cured.weir", "-o", "weir.json", "--head-room", "0", in: folder)
        #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
        #expect(try BuiltCommand.weir("policy", "validate", "weir.json", in: folder).status == 0)
        #expect(try check("cured.weir", "--policy", "weir.json").status == 0)
        let published = try check("published.weir", "--policy", "weir.json")
        #expect(published.status == 1)
        #expect(published.output.contains("redundant-percent · error · in all traces"))
        // An existing file is left alone.
        let again = try BuiltCommand.weir("policy", "init", "cured.weir", "-o", "weir.json", in: folder)
        #expect(again.status == 2 && again.errors.contains("weir.json exists, so it is left alone"))
    }

    @Test func `with a baseline only new findings fail, and a cured one is reported`() throws {
        try record("login", "published", to: "traces/login.weir")
        let written = try check("traces", "--baseline", "baseline.json", "--update-baseline")
        #expect(written.status == 0 && written.output.contains("5 in the baseline"), "\(written.errors)")
        let known = try check("traces", "--baseline", "baseline.json")
        #expect(known.status == 0 && known.output.contains(" 0 new findings, "))
        // A new leak in another model.
        try record("signin", "observable", to: "traces/deep/signin.weir")
        let new = try check("traces", "--baseline", "baseline.json")
        #expect(new.status == 1 && new.output.contains("Samples/SignIn/Sources/ObservableForm.swift:17"))
        #expect(!new.output.contains("retain-cycle · error · at Samples/Login"))
        try record("login", "cured", to: "cured.weir")
        let cured = try check("cured.weir", "--baseline", "baseline.json")
        #expect(cured.status == 0 && cured.output.contains("5 findings of the baseline no longer fail the check: "))
        let text = try String(contentsOfFile: folder("baseline.json"), encoding: .utf8)
        _ = try check("traces/login.weir", "--baseline", "baseline.json", "--update-baseline")
        #expect(try String(contentsOfFile: folder("baseline.json"), encoding: .utf8) == text)
    }

    @Test func `a waiver accepts a finding until it expires`() throws {
        try record("login", "published", to: "login.weir")
        _ = try write(
            "weir.json",
            #"""
            {"version": 1, "failOn": "error", "waivers": [{"rule": "retain-cycle", "files": ["Samples/Login/**"],
             "reason": "rewritten in version 3", "expires": "2026-12-31"}]}
            """#)
        let held = try check("login.weir", "--policy", "weir.json", "--date", "2026-12-31")
        #expect(held.status == 0 && held.output.contains("3 waived"))
        #expect(held.output.contains("; waived until 2026-12-31: rewritten in version 3"))
        let expired = try check("login.weir", "--policy", "weir.json", "--date", "2027-01-01")
        #expect(expired.status == 1)
        #expect(expired.output.contains("waivers[0] expired after 2026-12-31: “rewritten in version 3”"))
    }

    @Test func `the documented exit codes are those of the command`() throws {
        try record("login", "cured", to: "cured.weir")
        try record("login", "published", to: "published.weir")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("cured.weir")))
        _ = try folder.write("damaged.weir", bytes.prefix(bytes.count * 3 / 4))
        _ = try write("weir.json", #"{"version": 1, "budgts": []}"#)
        _ = try write("baseline.json", #"{"version": 99, "findings": []}"#)
        try FileManager.default.createDirectory(atPath: folder("empty"), withIntermediateDirectories: true)
        let cases: [(code: Int32, arguments: [String])] = [
            (0, ["cured.weir"]), (1, ["published.weir"]), (1, ["published.weir", "nowhere", "damaged.weir"]),
            (2, ["cured.weir", "--policy", "weir.json"]), (2, ["cured.weir", "--baseline", "baseline.json"]),
            (2, ["empty"]), (3, ["nowhere"]), (3, ["damaged.weir", "nowhere"]), (4, ["damaged.weir"]),
            (5, ["cured.weir", "--output", "junit=nowhere/weir.xml"]), (5, ["cured.weir", ">/dev/full"]),
        ]
        for (code, arguments) in cases {
            let command = "exec '\(BuiltCommand.product("weir"))' check \(arguments.joined(separator: " "))"
            let ended = try BuiltCommand(
                "/bin/sh", ["-c", command], in: folder
            ).wait()
            #expect(ended.status == code, "\(arguments): \(ended.output)\(ended.errors)")
        }
        // The help, the README and the article name them all.
        let help = try BuiltCommand.weir("check", "--help", in: folder).output
        let readme = try String(contentsOfFile: Self.root + "/README.md", encoding: .utf8)
        let article = try String(
            contentsOfFile: Self.root + "/Sources/WeirReport/WeirReport.docc/CheckingInCI.md", encoding: .utf8)
        for text in [help, readme, try BuiltCommand.weir("--help", in: folder).output] {
            let codes = text.components(separatedBy: "Exit codes: ").last?.components(separatedBy: "\n\n")[0] ?? ""
            let numbers = codes.components(separatedBy: .whitespacesAndNewlines).filter { $0.count == 1 }.compactMap(
                Int.init)
            #expect(Set(numbers) == Set(0...5), "\(codes)")
        }
        for code in Set(cases.map(\.code)) { #expect(article.contains("\n| \(code) | ")) }
    }

    @Test func `a trace that cannot be read is named, the others are judged, and the exit code is 3`() throws {
        try record("login", "cured", to: "traces/a.weir")
        _ = try write("traces/b.weir", "no trace")
        _ = try write("traces/c.weir", "")
        let ended = try check("traces")
        #expect(ended.status == 3)
        #expect(ended.output.contains("traces/b.weir: unreadable-trace (error): is not a Weir trace"))
        #expect(ended.output.contains("traces/c.weir: unreadable-trace (error): is empty"))
        #expect(
            ended.output.contains("Checked 1 trace ")
                && ended.output.hasSuffix("The check failed: 2 traces could not be read.\n"))
        let missing = try check("traces", "nothing.weir").output
        #expect(missing.contains("nothing.weir: unreadable-trace (error): no such file"))
        _ = try write("off.json", #"{"version": 1, "rules": {"unreadable-trace": "off"}}"#)
        let tolerant = try check("traces", "--policy", "off.json")
        #expect(tolerant.status == 0 && !tolerant.output.contains("unreadable-trace"))
        // A baseline is never made of what is left, whatever the policy says.
        for policy in [[], ["--policy", "off.json"]] {
            let arguments = ["check", "traces", "--baseline", "b.json", "--update-baseline"] + policy
            let update = try BuiltCommand("weir", arguments, in: folder).wait()
            #expect(update.status == 3 && !FileManager.default.fileExists(atPath: folder("b.json")))
            #expect(
                update.errors.hasPrefix(
                    "weir: b.json was not updated, because 2 traces cannot be read: traces/b.weir: is not a Weir trace"),
                "\(update.errors)")
        }
        // New findings weigh more.
        try record("login", "published", to: "traces/d.weir")
        #expect(try check("traces").status == 1)
        _ = try write(
            "weir.json",
            #"{"version": 1, "rules": {"unreadable-trace": "note", "retain-cycle": "off", "burst": "off", "feedback": "off"}}"#
        )
        #expect(try check("traces", "--policy", "weir.json").status == 0)
    }

    @Test func `an incomplete trace exits with 4, unless the policy allows it`() throws {
        let path = try record("login", "cured", to: "login.weir")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = try folder.write("damaged.weir", bytes.prefix(bytes.count * 3 / 4))
        let ended = try check("damaged.weir")
        #expect(
            ended.status == 4 && ended.output.contains("damaged.weir: incomplete-trace (warning): "), "\(ended.output)")
        _ = try write("weir.json", #"{"version": 1, "rules": {"incomplete-trace": "note", "aborted-walk": "note"}}"#)
        #expect(try check("damaged.weir", "--policy", "weir.json").status == 0)
    }

    @Test func `a baseline that is updated from an incomplete trace keeps what was not found`() throws {
        let path = try record("login", "published", to: "login.weir")
        #expect(try check("login.weir", "--baseline", "baseline.json", "--update-baseline").status == 0)
        let text = try String(contentsOfFile: folder("baseline.json"), encoding: .utf8)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = try folder.write("login.weir", bytes.prefix(bytes.count / 4))
        _ = try write("weir.json", #"{"version": 1, "rules": {"incomplete-trace": "off", "aborted-walk": "off"}}"#)
        for policy in [[], ["--policy", "weir.json"]] {
            let arguments = ["check", "login.weir", "--baseline", "baseline.json", "--update-baseline"] + policy
            let ended = try BuiltCommand("weir", arguments, in: folder).wait()
            #expect(ended.status == (policy.isEmpty ? 4 : 0))
            #expect(
                ended.output.contains(
                    "5 findings of the baseline no longer fail the check, but a trace was not read in full: "
                ), "\(ended.output)")
            #expect(try String(contentsOfFile: folder("baseline.json"), encoding: .utf8) == text)
        }
    }

    @Test func `a finding of the baseline that the policy covers is not said to be gone`() throws {
        try record("login", "published", to: "login.weir")
        #expect(try check("login.weir", "--baseline", "baseline.json", "--update-baseline").status == 0)
        _ = try write("weir.json", #"{"version": 1, "rules": {"feedback": "off"}}"#)
        let ended = try check("login.weir", "--baseline", "baseline.json", "--policy", "weir.json")
        let sentence = "1 finding of the baseline no longer fails the check: "
        #expect(ended.status == 0 && ended.output.contains(sentence), "\(ended.output)")
    }

    @Test func `a result that cannot be written is exit code 5, a trace in its place wrong usage`() throws {
        try record("login", "cured", to: "login.weir")
        let ended = try check("login.weir", "--output", "sarif=nowhere/weir.sarif")
        #expect(ended.status == 5 && ended.errors.hasPrefix("weir: nowhere/weir.sarif cannot be written"))
        let trace = try check("login.weir", "--output", "sarif=login.weir")
        #expect(trace.status == 2 && trace.errors.contains("login.weir is a trace, so it is not replaced"))
        let full = try BuiltCommand(
            "/bin/sh", ["-c", "exec '\(BuiltCommand.product("weir"))' check login.weir >/dev/full"], in: folder)
        #expect(try full.wait().status == 5)
    }

    @Test(arguments: ["redundant", "leaks", "check"])
    func `a verdict that nobody reads has the same exit code`(command: String) throws {
        try record("login", "published", to: "published.weir")
        // A pipe whose reader has gone.
        let script = """
            mkfifo pipe; : <pipe & exec 4>pipe; wait
            exec '\(BuiltCommand.product("weir"))' \(command) published.weir >&4
            """
        let ended = try BuiltCommand("/bin/sh", ["-c", script], in: folder).wait()
        #expect(ended.status == 1, "\(ended.errors)")
    }

    @Test func `many outputs come from one run, and every run gives the same bytes`() throws {
        for name in ["a", "b", "c"] { try record("login", "published", to: "traces/\(name).weir") }
        try record("signin", "observable", to: "traces/d.weir")
        let formats = ["json", "sarif", "junit", "gitlab", "markdown", "text"]
        func run(_ round: String) throws -> [String] {
            let outputs = formats.flatMap { ["--output", "\($0)=\(round).\($0)"] }
            let arguments = ["check", "traces", "--source-root", Self.root, "--output", "github"] + outputs
            let ended = try BuiltCommand("weir", arguments, in: folder).wait()
            #expect(ended.status == 1)
            #expect(
                ended.output.contains("\n::error file=Samples/Login/Sources/PublishedLoginModel.swift,line=18,title="))
            return try [ended.output]
                + formats.map { try String(contentsOfFile: folder("\(round).\($0)"), encoding: .utf8) }
        }
        let first = try run("one")
        for round in ["two", "three"] { #expect(try run(round) == first) }
        // The same line in three traces is one finding.
        let json = try JSONSerialization.jsonObject(with: Data(first[1].utf8)) as? [String: Any]
        let findings = try #require(json?["findings"] as? [[String: Any]])
        let cycles = findings.filter {
            $0["rule"] as? String == "retain-cycle" && ($0["path"] as? String)?.contains("Login") == true
        }
        #expect(
            cycles.count == 3
                && cycles.allSatisfy { $0["traces"] as? Int == 3 && $0["trace"] as? String == "traces/a.weir" })
        #expect(cycles.compactMap { $0["line"] as? Int } == [18, 21, 29])
    }
}
