import Foundation
import Testing
import WeirTrace

@Suite(.timeLimit(.minutes(15)))
struct CommandRunTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func weir(_ arguments: String..., environment: [String: String] = [:]) throws
        -> BuiltCommand.Ended
    {
        try BuiltCommand("weir", arguments, in: folder, environment: environment).wait()
    }

    /// A trace of the sample, closed properly.
    private func trace(_ name: String = "login.weir") throws -> String {
        let ended = try BuiltCommand("weir-login", [], in: folder, environment: ["WEIR_TRACE": folder(name)])
            .wait()
        #expect(ended.status == 0)
        return folder(name)
    }

    @Test func `help comes from the tool, from each command, and when nothing is asked`() throws {
        let help = try weir("--help")
        #expect(help.status == 0 && help.errors.isEmpty)
        for command in [
            "demo", "record", "info", "events", "replay", "why", "why-not", "redundant", "leaks", "check",
            "graph", "view", "redact", "export", "facts", "import", "watch", "diff", "completions",
        ] {
            #expect(help.output.contains("\n  \(command) ") || help.output.contains("\n  \(command)  "))
            let page = try weir(command, "--help")
            #expect(page.status == 0 && page.output.contains("Usage: weir \(command)"))
            #expect(try weir("help", command).output == page.output)
        }
        #expect(try weir("help", "help").output == help.output)
        let bare = try weir()
        #expect(bare.status == 2 && bare.output.isEmpty && bare.errors == help.output)
        #expect(try weir("--version").output == "weir 0.1.0, reads trace format 1\n")
    }

    @Test(arguments: [
        (["inof"], "weir: there is no command 'inof'; did you mean 'info'?\n"),
        (["--versoin"], "weir: there is no option '--versoin'; did you mean '--version'?\n"),
        (["info", "x", "--strct"], "weir: 'weir info' has no option '--strct'; did you mean '--strict'?\n"),
        (["info"], "weir: 'weir info' needs TRACE; `weir info --help` shows how to write it.\n"),
        (["info", "x", "--format", "yaml"], "weir: --format cannot be 'yaml'; give it text or json.\n"),
        (["info", "x", "--format", "jsno"], "weir: --format cannot be 'jsno'; did you mean 'json'?\n"),
        (["info", "x", "--color", "alway"], "weir: --color cannot be 'alway'; did you mean 'always'?\n"),
        (["graph", "x", "--collapse", "ownr"], "weir: --collapse cannot be 'ownr'; did you mean 'owner'?\n"),
        (["export", "x", "--format", "perfeto"], "weir: --format cannot be 'perfeto'; did you mean 'perfetto'?\n"),
        (["export", "x", "--table", "event"], "weir: --table cannot be 'event'; did you mean 'events'?\n"),
        (["replay", "x", "--speed", "mx"], "weir: --speed cannot be 'mx'; did you mean 'max'?\n"),
        (
            ["record", "--values", "scalar", "--", "true"],
            "weir: --values cannot be 'scalar'; did you mean 'scalars'?\n"
        ),
        (["record", "--limit", "non", "--", "true"], "weir: --limit cannot be 'non'; did you mean 'none'?\n"),
        (["info", "x", "--top", "0"], "weir: --top cannot be '0'; give it a number above 0.\n"),
        (["help", "evnts"], "weir: there is no command 'evnts'; did you mean 'events'?\n"),
        (
            ["events", "x", "--after", "12"],
            "weir: --after cannot be '12'; give it a time such as 12ms, 1.5s or 300us.\n"
        ),
        (
            ["events", "x", "--kind", "emited"],
            "weir: there is no kind of event 'emited'; did you mean 'emitted'?\n"
        ),
        (
            ["record", "-o", "x"],
            "weir: 'weir record' needs COMMAND ARG…; `weir record --help` shows how to write it.\n"
        ),
        (
            ["events", "x", "--stimulus", ""],
            "weir: --stimulus cannot be ''; give it a part of a stimulus's text, or its number.\n"
        ),
        (["events", "x", "--node="], "weir: --node cannot be ''; give it a node's name or number.\n"),
        (
            ["info", ""],
            "weir: the name of the trace is empty; give the path of a file that 'weir record' wrote.\n"
        ),
        (
            ["events", "-"],
            "weir: a trace is not read from standard input or a pipe; save it to a file and name that "
                + "('./-' if it is named -).\n"
        ),
        (
            ["record", "--limit", "528383", "--", "true"],
            "weir: --limit cannot be '528383'; give it 528384 bytes (516 KiB) or more, or none.\n"
        ),
        (["record", "-o", "", "--", "true"], "weir: --output cannot be ''; give it the path of a file.\n"),
        (
            ["record", "--limit", "0", "--", "true"],
            "weir: --limit cannot be '0'; give it a size such as 64MiB, or none.\n"
        ),
    ])
    func `wrong usage exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors == sentence)
    }

    @Test(arguments: [
        ["record", "-o", "no/x", "--", "echo", "started"], ["view", "TRACE", "-o", "no/x"],
        ["export", "TRACE", "-o", "no/x"], ["export", "TRACE", "--format", "csv", "-o", "file/x"],
        ["graph", "TRACE", "-o", "no/x"], ["redact", "TRACE", "--all", "-o", "no/x"],
        ["facts", "TRACE", "-o", "file/x"],
        ["import", "file", "-o", "no/x"], ["policy", "init", "TRACE", "-o", "no/x"], ["demo", "--output", "file/x"],
        ["check", "TRACE", "--output", "json=no/x"], ["view", "TRACE", "-o", "."],
    ])
    func `a result that cannot be written exits with 5 and one sentence`(_ arguments: [String]) throws {
        let path = try trace()
        _ = try folder.write("file", [])
        let ended = try BuiltCommand("weir", arguments.map { $0 == "TRACE" ? path : $0 }, in: folder).wait()
        #expect(ended.status == 5 && ended.output.isEmpty, "\(ended.output)")
        #expect(ended.errors.hasPrefix("weir: ") && ended.errors.split(separator: "\n").count == 1, "\(ended.errors)")
    }

    @Test func `an answer of nothing is limited to what could be read`() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: trace()))
        let cut = try folder.write("cut.weir", whole.dropLast(9))
        let part = " in the part of the trace that could be read"
        #expect(
            try weir("redundant", cut, "--rule", "zombie-refresh").output.contains(
                "Nothing was found by zombie-refresh\(part)."))
        #expect(try weir("leaks", cut, "--rule", "growth").output.contains("Nothing was found by growth\(part)"))
        #expect(try weir("graph", cut).output.contains("events\(part)\n"))
        let difference = "No difference was found in the parts of the traces that could be read: nodes"
        #expect(try weir("diff", cut, cut).output.contains(difference))
        #expect(try weir("why-not", cut, "loginEnabled", "--after", "Maruko").output.contains(part))
        #expect(try weir("replay", cut, "--break", "username == \"Nobody\"").output.contains(": never true\(part); "))
    }

    @Test(arguments: ["info", "events"])
    func `a file that is no trace exits with 3 and one sentence`(_ command: String) throws {
        let valid = try Data(contentsOf: URL(fileURLWithPath: trace()))
        var newer = valid
        newer[8] = 9
        var damaged = valid
        damaged[30] ^= 1
        let files = [
            (folder("missing"), "no such file"), (folder.path, "is a directory"),
            (try folder.write("empty", []), "is empty"),
            (
                try folder.write("notes.txt", Array("Buy milk. Buy bread.".utf8)),
                "is not a Weir trace (byte 0"
            ),
            (try folder.write("newer", newer), "has format version 9 at byte 8"),
            (try folder.write("damaged", damaged), "its file header is damaged at byte 4032"),
            (try folder.write("short", valid.prefix(100)), "is cut off: it has 100 of the 4096 bytes of a header"),
        ]
        for (path, reason) in files {
            let ended = try weir(command, path)
            #expect(ended.status == 3 && ended.output.isEmpty)
            #expect(ended.errors.hasPrefix("weir: \(path): ") && ended.errors.contains(reason))
            #expect(ended.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `strict turns an incomplete trace into exit code 4`() throws {
        let path = try trace()
        #expect(try weir("info", path, "--strict").status == 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = try folder.write("cut.weir", whole.dropLast(9))
        let lenient = try weir("info", cut)
        #expect(lenient.status == 0 && lenient.errors.isEmpty && lenient.output.contains("\nIncomplete\n"))
        let strict = try weir("info", cut, "--strict")
        #expect(strict.status == 4 && strict.output == lenient.output)
        #expect(strict.errors.hasPrefix("weir: \(cut) is incomplete. "))
        let events = try weir("events", cut)
        #expect(events.status == 0 && events.errors.contains("is damaged in"))
    }

    @Test func `info and events agree, in text and in JSON`() throws {
        let path = try trace()
        let reader = try TraceReader(path: path)
        var count = 0
        reader.forEachEvent { _ in
            count += 1
            return true
        }
        #expect(count > 100)
        let text = try weir("events", path)
        #expect(text.outputLines.count == count)
        let lines = try weir("events", path, "--format", "json").outputLines
        #expect(lines.count == count)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["id"] is String && object?["kind"] is String && object?["nanoseconds"] is Int)
        }
        let info = try weir("info", path, "--format", "json").output
        let object = try JSONSerialization.jsonObject(with: Data(info.utf8)) as? [String: Any]
        #expect(object?["events"] as? Int == count && object?["complete"] as? Bool == true)
    }

    @Test func `events are chosen by node, kind, stimulus, time and number`() throws {
        let path = try trace()
        let emitted = try weir(
            "events", path, "--kind", "emitted", "--node", "instruction", "--node", "loginEnabled")
        #expect(emitted.outputLines.count > 3)
        #expect(
            emitted.outputLines.allSatisfy {
                $0.contains("instruction emitted") || $0.contains("Enabled emitted")
            })
        #expect(try weir("events", path, "--limit", "2").outputLines.count == 2)
        let none = try weir("events", path, "--before", "0")
        #expect(none.status == 0 && none.output.isEmpty)
        #expect(none.errors == "weir: no event matches; `weir info \(path)` shows what \(path) holds.\n")
        #expect(try weir("events", path, "--node", "node 999").errors.hasPrefix("weir: no event matches; "))
        #expect(
            try weir("events", path, "--kind", "emitted,suppressed").output
                == weir("events", path, "--kind", "emitted", "--kind", "suppressed").output)
        #expect(try weir("events", path, "--after", "1min").output.isEmpty)
        #expect(try weir("events", path, "--thread", "2").output.isEmpty)
        let tap = try weir("events", path, "--stimulus", "tap Login").outputLines
        #expect(tap.first?.hasSuffix("stimulus “tap Login”") == true)
        #expect(tap.contains { $0.contains(#"instruction emitted "Login succeeded (*^▽^*)""#) })
        #expect(try weir("events", path, "--stimulus", "4").outputLines == tap)
        #expect(try weir("events", path, "--stimulus", "TAP login").outputLines == tap)
        #expect(
            try weir("events", path, "--stimulus", "tap Logni").errors.hasSuffix("; did you mean 'tap Login'?\n"))
        let unknown = try weir("events", path, "--stimulus", "swipe")
        #expect(unknown.status == 2 && unknown.errors.contains("it has 'type user name 'Mar''"))
        let misspelt = try weir("events", path, "--node", "instructoin")
        #expect(
            misspelt.status == 2 && misspelt.errors.contains("did you mean 'LoginViewModel.instruction'?"))
    }

    @Test func `colours appear only when they are asked for or a terminal is there`() throws {
        let path = try trace()
        #expect(try !weir("info", path).output.contains("\u{1B}"))
        #expect(try weir("info", path, "--color", "always").output.contains("\u{1B}["))
        #expect(try !weir("info", path, "--color=never").output.contains("\u{1B}"))
    }

    @Test func `a reader that has seen enough ends the listing quietly`() throws {
        let ended = try BuiltCommand(
            "weir-login", ["--rounds", "50"], in: folder, environment: ["WEIR_TRACE": folder("long.weir")]
        ).wait()
        #expect(ended.status == 0)
        let pipe = Pipe()
        let listing = try BuiltCommand("weir", ["events", folder("long.weir")], in: folder, output: pipe)
        #expect(try pipe.fileHandleForReading.read(upToCount: 10)?.count == 10)
        try pipe.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
        let quiet = try listing.wait()
        #expect(quiet.status == 0 && !quiet.wasKilled && quiet.errors.isEmpty)
    }

    @Test func `a result that cannot be written is an error of its own`() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let command = "exec \(BuiltCommand.product("weir")) info \(try trace()) > /dev/full"
        let ended = try BuiltCommand("/bin/sh", ["-c", command], in: folder).wait()
        #expect(ended.status == 5 && ended.errors.hasPrefix("weir: the result cannot be written ("))
    }

    @Test func `the demonstration is a page that says what flowed, and keeps the password to itself`() throws {
        let ended = try weir(
            "demo", "--output", "new/traces", environment: ["WEIR_TRACE": folder("not-here.weir")])
        #expect(ended.status == 0 && ended.errors.isEmpty)
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        // Without debug information a few closures of the library have lines of their own.
        #expect((100...220).contains(lines.count))
        #expect(lines.allSatisfy { $0.count <= 210 })
        for line in ["As published", "Cured", "What flowed"] { #expect(lines.contains(Substring(line))) }
        #expect(
            lines.contains {
                $0.hasPrefix("  ╰─ passwordValid = ") || $0.contains("loginEnabled stops: equal")
            })
        #expect(lines.contains { $0.hasPrefix("  all together ") })
        // Six actions reach the model, each through its own handler; the seventh calls it directly.
        #expect(lines.contains { $0.contains("such as views; 6 of them carried a value on") })
        let needed = try #require(lines.firstIndex(of: "What was not needed"))
        let cured = try #require(lines.lastIndex { $0.hasPrefix("  Cured: 0 of ") })
        #expect(lines[needed..<cured].contains { $0.hasPrefix("    burst · warning  LoginViewModel.instruction ") })
        #expect(
            lines[needed..<cured].contains { $0.hasPrefix("    feedback · warning  LoginViewModel.usernameValid ") })
        #expect(
            lines[cured...].contains { $0.contains("· note") }
                && !lines[cured...].contains { $0.contains("· warning") || $0.contains("· error") }
        )
        // The models of the first run live on in cycles, and are nothing of the second one.
        let leftOver = try #require(lines.firstIndex(of: "What did not go away"))
        let wholly = try #require(lines.lastIndex { $0.hasPrefix("  Cured: No tracked object") })
        #expect(lines[leftOver..<wholly].count { $0.contains("┬ retain-cycle") } == 3)
        #expect(lines[wholly...].first { !$0.hasPrefix("  Cured") } == "")
        #expect(!lines[wholly...].contains { $0.contains("┬") || $0.contains("PublishedLoginModel") })
        #expect(lines.contains { $0.hasSuffix("in the published screen, and none in the cured one.") })
        let leaks = try weir("leaks", "--strict", "--format", "json", folder("new/traces/login-cured.weir"))
        #expect(leaks.status == 0 && leaks.output.contains("\"findings\": []"), "\(leaks.output)")
        for name in ["login-published.weir", "login-cured.weir"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("new/traces/" + name)))
            #expect(bytes.range(of: Data("secret".utf8)) == nil)
            #expect(try weir("info", folder("new/traces/" + name), "--strict").status == 0)
        }
        #expect(!ended.output.contains("secret"))
        #expect(!FileManager.default.fileExists(atPath: folder("not-here.weir")))
    }

    /// A program in a folder of its own that notes its argument, and the environment in which it is the only one.
    private func opener(_ name: String, status: Int = 0) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: folder("bin"), withIntermediateDirectories: true)
        let path = try folder.write("bin/" + name, "#!/bin/sh\necho \"$1\" >>\"${0%/*}/opened\"\nexit \(status)\n".utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return ["PATH": folder("bin"), "BROWSER": ""]
    }

    private func opened() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder("bin/opened"))), as: UTF8.self)
    }

    #if os(macOS)
    private static let opener = "open"
    #else
    private static let opener = "xdg-open"
    #endif

    @Test func `a page opens in the system's browser, or in the one that BROWSER names`() throws {
        var environment = try opener(Self.opener)
        let path = try trace()
        #expect(try weir("view", path, "--open", environment: environment).errors.isEmpty)
        #expect(try opened().hasSuffix("/report.html\n"))
        _ = try opener("mine")
        environment["BROWSER"] = "none-such:mine"
        #expect(try weir("view", path, "--open", "-o", "other.html", environment: environment).errors.isEmpty)
        #expect(try opened().hasSuffix("/other.html\n"))
        #expect(try weir("demo", "-o", "traces", "--open", environment: environment).errors.isEmpty)
        #expect(try opened().hasSuffix("/traces/report.html\n"))
    }

    @Test func `without a browser, the page is there, and a sentence says what to do`() throws {
        var environment = try opener("other")
        let path = try trace()
        let none = try weir("view", path, "--open", environment: environment)
        #expect(none.status == 0 && none.output == "report.html\n")
        #expect(
            none.errors == "weir: report.html was written, but not opened: \(Self.opener) is not on PATH; "
                + "set BROWSER to a program, or open the file yourself.\n")
        _ = try opener("broken", status: 3)
        environment["BROWSER"] = "broken"
        #expect(
            try weir("view", path, "--open", environment: environment).errors
                == "weir: report.html was written, but broken could not open it (exit code 3); "
                + "set BROWSER to another program, or open the file yourself.\n")
    }

    @Test func `following takes one trace, and ends with its recording`() throws {
        let path = try trace()
        let several = try weir("view", path, try trace("other.weir"), "--follow")
        #expect(several.status == 2 && several.errors.contains("--follow takes one trace; name one"))
        let ended = try weir("view", path, "--follow")
        #expect(ended.status == 0 && ended.output == "report.html\n")
        let page = String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder("report.html"))), as: UTF8.self)
        #expect(page.contains("<div id=\"app\" aria-busy=\"true\" data-ending=\"closed\">"), "it is over, not live")
    }

    @Test func `the demonstration says why it cannot write`() throws {
        let file = try folder.write("file", [1])
        let ended = try weir("demo", "-o", file + "/traces")
        #expect(ended.status == 5 && ended.errors.contains("cannot be made (Not a directory)"))
    }
}
