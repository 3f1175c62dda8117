import Foundation
import Testing
import WeirReport

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct GraphCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws {
        folder = try BuiltCommand.Folder()
        let environment = ["WEIR_TRACE": folder("login.weir")]
        #expect(try BuiltCommand("weir-login", [], in: folder, environment: environment).wait().status == 0)
    }

    private func graph(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["graph", "login.weir"] + arguments, in: folder).wait()
    }

    @Test(arguments: [
        (
            ["--node", "usernam"],
            "no node of login.weir is named 'usernam'; did you mean 'LoginViewModel.username'?"
        ),
        (
            ["--node", "usernameDidChange"],
            "'usernameDidChange' may be LoginView.usernameDidChange (7, WeirLogin/LoginView.swift:18) or "
                + "LoginViewModel.usernameDidChange (10, WeirLogin/PublishedLoginModel.swift:16); give more of the name, or "
                + "its number."
        ),
        (
            ["--at", "1:201"],
            "login.weir has no event 1:201; the last event of that thread is 1:200."
        ),
        (["--at", "9:1"], "login.weir has no event 9:1; it holds those of thread 1."),
        (["--at", "tap Logn"], "no stimulus of login.weir is 'tap Logn'; did you mean 'tap Login'?"),
        (
            ["--at", "99"],
            "no stimulus of login.weir is '99'; it has 'type user name 'Mar'', 'type user name 'Maruko'', "
                + "'type password', 'tap Login', 'type user name ''' and 'autofill'."
        ),
        (
            ["--at", ""],
            "--at cannot be ''; give it a time (12ms), an event (1:42), a stimulus (its number, or a part of its text) "
                + "or 'end'."
        ),
        (["--format", "png"], "--format cannot be 'png'; give it text, dot, mermaid, svg or json."),
        (["--collapse", "all"], "--collapse cannot be 'all'; give it none, instances, owner or file."),
        (["--depth", "1"], "--depth works only with --node NAME; add it, or leave --depth out."),
        (["--node", "1", "--depth", "-1"], "--depth cannot be '-1'; give it a number of edges, such as 2."),
        (["-o", "login.weir"], "login.weir is a trace, so it is not replaced; choose another file with -o."),
    ])
    func `wrong arguments are reported in a sentence`(arguments: [String], sentence: String) throws {
        let ended = try BuiltCommand("weir", ["graph", "login.weir"] + arguments, in: folder).wait()
        #expect(ended.errors == "weir: \(sentence)\n")
        #expect(ended.status == 2 && ended.output == "")
    }

    @Test(arguments: ["graph", "export", "view", "import", "redact"])
    func `a file that cannot be made is a result that cannot be written`(command: String) throws {
        let trace = command == "import" ? "login.ndjson" : "login.weir"
        if command == "import" { _ = try folder.write(trace, "".utf8) }
        let arguments = [command, trace, "-o", "no/x"] + (command == "redact" ? ["--all"] : [])
        let ended = try BuiltCommand("weir", arguments, in: folder).wait()
        #expect(
            ended.errors == "weir: no/x cannot be written (No such file or directory); choose another file with -o.\n")
        #expect(ended.status == 5 && ended.output == "")
    }

    @Test func `a time behind the end is reported with the range`() throws {
        let ended = try graph("--at", "1min")
        #expect(ended.status == 2)
        #expect(
            ended.errors.hasPrefix("weir: 1min lies behind the end of login.weir: it holds what happened from 0 to "))
    }

    @Test func `at a moment, only what is alive then, with values`() throws {
        let before = try graph("--at", "0")
        #expect(before.output == "login.weir: 0 nodes and 0 edges, before the first event\n")
        let ended = try graph("--at", "tap Login", "--node", "LoginViewModel.loginTouched", "--depth", "1")
        // The time differs between runs.
        #expect(
            ended.outputLines.dropFirst() == [
                "                      kind        value                      emitted  refreshed  suppressed  activity",
                "LoginViewModel",
                "  instruction         observable  \"Login succeeded (*^▽^*)\"        4          4           2  ████████",
                "      → 1 handler",
                "  loginTouched        observer                                     ·          ·           ·",
                "      ⇢ instruction", "LoginView",
                "  loginButtonTouched  emitter     ()                               1          1           ·  █▌",
                "      → LoginViewModel.loginTouched", "→ feeds   ⇢ its code writes",
            ])
        #expect(ended.outputLines[0].hasSuffix(", after 109 events, the last of them 1:109"))
    }

    @Test func `a graph too large for GitHub is reported with what to do`() {
        #expect(
            Wording.notDrawable("x\u{1B}.weir", "it has 501 edges, and GitHub draws at most 500")
                == "GitHub will not draw this graph of x\\u{1B}.weir: it has 501 edges, and GitHub draws at most 500; "
                + "show less of it with --node NAME --depth N or --collapse owner.")
    }

    @Test func `what lies upstream or downstream is shown alone`() throws {
        let up = try graph("--node", "loginEnabled", "--upstream", "--collapse", "none")
        #expect(!up.output.contains("instruction") && up.output.contains("LoginView\n"))
        let down = try graph("--node", "LoginViewModel.username", "--downstream")
        #expect(!down.output.contains("LoginView\n") && down.output.contains("instruction"))
    }

    @Test func `a file takes the rendering, and a second one replaces it`() throws {
        for format in GraphFormat.allCases.map(\.rawValue) {
            let ended = try graph("--format", format, "-o", "graph.out")
            #expect(ended.status == 0 && ended.output == "" && ended.errors == "")
            let written = try String(contentsOfFile: folder("graph.out"), encoding: .utf8)
            #expect(try graph("--format", format).output == written)
        }
    }

    @Test func `JSON tells nodes, edges and the moment`() throws {
        let text = try graph("--format", "json", "--at", "1:33", "--node", "usernameValid", "--depth", "1").output
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let nodes = try #require(json["nodes"] as? [[String: Any]])
        let edges = try #require(json["edges"] as? [[String: Any]])
        #expect((json["asOf"] as? [String: Any])?["event"] as? String == "1:33")
        #expect(nodes.map { $0["name"] as? String } == ["username", "usernameValid", "passwordValid", "loginEnabled"])
        #expect(nodes[0]["value"] as? String == "Mar" && nodes[0]["valueForm"] as? String == "string")
        #expect(edges.map { $0["feedback"] as? Bool } == [false, false, false, true, false])
        #expect(edges.allSatisfy { $0["kind"] as? String == "data" })
    }

    @Test func `an incomplete trace is drawn, the answer weakened, and strictness ends with 4`() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("login.weir")))
        let whole = try graph("--strict")
        #expect(whole.status == 0 && whole.errors == "")
        try Data(bytes.prefix(bytes.count / 2)).write(to: URL(fileURLWithPath: folder("login.weir")))
        let cut = try graph()
        #expect(cut.status == 0 && cut.errors.hasPrefix("weir: login.weir is incomplete, and so may be this answer. "))
        let strict = try graph("--strict")
        #expect(strict.status == 4 && strict.output == cut.output && strict.errors == cut.errors)
    }
}
