import Foundation
import Testing
import WeirTrace

/// `weir replay` on the login sample under a virtual clock, so that every trace is the same.
@Suite(.timeLimit(.minutes(15)))
struct ReplayRunTests {
    private let folder: BuiltCommand.Folder

    init() throws {
        folder = try BuiltCommand.Folder()
        let environment = ["WEIR_TRACE": folder("login.weir"), "WEIR_CLOCK": "virtual"]
        let ended = try BuiltCommand("weir-login", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0)
    }

    private func replay(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["replay", "login.weir"] + arguments, in: folder).wait()
    }

    @Test func `the state at an event`() throws {
        let ended = try replay("--at", "1:92", "--node", "loginEnabled", "--node", "password", "--node", "loginTouched")
        #expect(ended.status == 0 && ended.errors.isEmpty)
        #expect(
            ended.output == """
                login.weir at 55 µs, after 92 events, within stimulus 3 “type password”
                  last: 1:92  LoginViewModel.loginEnabled emitted true

                   Node                         Value      Changed at µs  by event  Emissions  Handlers  Feeds
                ●  LoginViewModel.loginEnabled  true                55.0  1:92              2         1      –
                   LoginViewModel.password      ‹private›           53.0  1:82              1         1      1
                   LoginViewModel.loginTouched  –                      –  –                 0         –      –
                  ● changed with this event

                """)
    }

    @Test func `the state when a stimulus is over, and which one that is`() throws {
        let ended = try replay("--at", "type password")
        #expect(ended.output.hasPrefix("login.weir at 83 µs, after 131 events, after stimulus 5 “type password”\n"))
        #expect(ended.output.contains("type password”\n  the last of 2 such stimuli\n\n"))
        #expect(ended.output.hasSuffix("\n  ● changed by stimulus 5\n"))
        #expect(ended.output.contains("\n●  LoginViewModel.loginEnabled       false "))
        #expect(ended.output.contains("\n   LoginViewModel.usernameValid      true "))
    }

    @Test func `times and events name the same moments, with and without counting`() throws {
        #expect(try replay("--at", "126us").output == replay("--at", "end").output)
        #expect(try replay("--at", "1:200").output == replay("--at", "end").output)
        #expect(try replay("--at", "0").output.hasPrefix("login.weir at 0, after "))
    }

    @Test func `nodes that are not alive are counted, or listed when asked for`() throws {
        let end = try replay("--at", "end").output
        #expect(end.contains("  3 nodes already released (--all)\n") && !end.contains("released, was"))
        let all = try replay("--at", "end", "--all").output
        #expect(all.contains("LoginView.loginButtonTouched      released, was () ") && !all.contains("--all"))
        #expect(
            try replay("--at", "1:1", "--all").output.contains("LoginView.usernameDidChange       not yet heard of "))
    }

    @Test func `values take the room that they need where no terminal limits it`() throws {
        let output = try replay("--at", "1:45", "--node", "instruction").output
        #expect(output.contains(#"LoginViewModel.instruction  "*User name must have at least 6 characters"  "#))
    }

    @Test func `each change is a line with its refreshes, under its stimulus`() throws {
        let ended = try replay("--until", "1:68")
        #expect(ended.status == 0 && ended.errors.isEmpty)
        #expect(
            ended.output == """
                1:30             26.0  stimulus 1 “type user name 'Mar'”
                1:31            ~26.0    LoginView.usernameDidChange  "Mar"  1 refresh
                1:33            ~27.0    LoginViewModel.username  "" → "Mar"  1 refresh
                1:35            ~27.0    LoginViewModel.instruction  "" → "*User name must have at least 6 characters"  1 refresh
                1:38            ~29.0    LoginViewModel.usernameValid  nil → false  1 refresh
                1:40            ~29.0    LoginViewModel.passwordValid  nil → false  1 refresh
                1:45            ~29.0    LoginViewModel.loginEnabled  nil → false  1 refresh
                1:59             41.0  stimulus 2 “type user name 'Maruko'”
                1:60            ~41.0    LoginView.usernameDidChange  "Mar" → "Maruko"  1 refresh
                1:62            ~42.0    LoginViewModel.username  "Mar" → "Maruko"
                1:64            ~42.0    LoginViewModel.usernameValid  false → true
                1:66            ~42.0    LoginViewModel.instruction  "*User name must have at least 6 charac… → "*Password must not be empty"  1 refresh

                """)
    }

    @Test func `a node alone, under the stimuli that changed it`() throws {
        #expect(
            try replay("--node", "loginEnabled", "--speed", "1000x").output == """
                1:30             26.0  stimulus 1 “type user name 'Mar'”
                1:45            ~29.0    LoginViewModel.loginEnabled  nil → false  1 refresh
                1:79             52.0  stimulus 3 “type password”
                1:92            ~55.0    LoginViewModel.loginEnabled  false → true  1 refresh
                1:111            72.0  stimulus 5 “type password”
                1:123           ~75.0    LoginViewModel.loginEnabled  true → false  1 refresh
                1:153            96.0  stimulus 7 “autofill”
                1:178          ~104.0    LoginViewModel.loginEnabled  false → true  1 refresh

                """)
    }

    @Test func `a watch tells its value whenever it changes`() throws {
        #expect(
            try replay("--watch", "count(username)", "--watch", "loginEnabled && usernameValid").output == """
                                         watch count(username)  0
                                         watch loginEnabled && usernameValid  unknown
                1:33            ~27.0    watch count(username)  0 → 1
                1:38            ~29.0    watch loginEnabled && usernameValid  unknown → false
                1:62            ~42.0    watch count(username)  1 → 2
                1:92            ~55.0    watch loginEnabled && usernameValid  false → true
                1:123           ~75.0    watch loginEnabled && usernameValid  true → false
                1:136           ~86.0    watch count(username)  2 → 3
                1:154           ~96.0    watch count(username)  3 → 4
                1:178          ~104.0    watch loginEnabled && usernameValid  false → true

                """)
    }

    @Test func `a break stops where it becomes true, with the causes and its nodes`() throws {
        let ended = try replay("--break", "username == \"never\"", "--break", "loginEnabled == true")
        #expect(ended.status == 0 && ended.errors.isEmpty)
        let lines = ended.outputLines
        #expect(lines.first == "break: loginEnabled == true is true")
        #expect(lines.contains { $0.hasPrefix("LoginViewModel.loginEnabled became true at 1:92") })
        #expect(lines.contains { $0.contains("stimulus “type password”") })
        #expect(lines.contains("login.weir at 55 µs, after 92 events, within stimulus 3 “type password”"))
        #expect(lines.contains { $0.hasPrefix("●  LoginViewModel.loginEnabled  true ") })
        // Only the nodes in the condition.
        #expect(!lines.contains { $0.hasPrefix("   LoginViewModel.username ") })
    }

    @Test func `a break that is never true exits with 1, and says what it was instead`() throws {
        let never = try replay("--break", "count(username) > 4")
        #expect(never.status == 1 && never.errors.isEmpty)
        let end = #"At the end, LoginViewModel.username is "Maruko"."#
        #expect(never.output == "count(username) > 4: never true; it was false throughout. \(end)\n")
        let unknown = try replay("--break", #"LoginViewModel.password == "x""#)
        #expect(unknown.status == 1)
        #expect(unknown.output.hasSuffix("never true; at the end it is unknown: LoginViewModel.password is private.\n"))
        #expect(
            unknown.errors
                == "weir: 'LoginViewModel.password == \"x\"' could not be judged at 3 moments: LoginViewModel.password is private.\n"
        )
    }

    @Test func `what is true from the beginning breaks only when it becomes true again`() throws {
        let once = try replay("--break", "count(username) == 0", "--format", "text")
        #expect(once.status == 1)
        #expect(
            once.output.hasPrefix(
                "count(username) == 0: was true from the beginning and never became true again. At the end, "))
        let json = try replay("--break", "count(username) == 0", "--format", "json").output
        #expect(json.contains(#""kind":"neverTrue""#) && json.contains(#""wasTrueAtFirst":true"#))
        // False when the second of these begins, and true again after the third.
        let again = try replay("--break", "count(username) == 0 || count(username) == 2")
        #expect(again.status == 0 && again.output.contains("became \"Maruko\" at 1:62"))
    }

    @Test func `a change breaks each time, also at one event after the other`() throws {
        let first = try replay("--break", "changed(loginEnabled)", "--format", "json").outputLines
        let object = try JSONSerialization.jsonObject(with: Data(first[0].utf8)) as? [String: Any]
        #expect(first.count == 1 && object?["kind"] as? String == "break" && object?["event"] as? String == "1:45")
        let state = object?["state"] as? [String: Any]
        #expect(state?["position"] as? Int == 45 && (state?["nodes"] as? [Any])?.count == 1)
    }

    @Test func `every line is an object in JSON, and the state is one`() throws {
        let lines = try replay("--format", "json", "--watch", "count(username)", "--node", "username").outputLines
        let kinds = try lines.map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["kind"] as? String
        }
        #expect(kinds.filter { $0 == "change" }.count == 4 && kinds.filter { $0 == "watch" }.count == 5)
        let state = try JSONSerialization.jsonObject(
            with: Data(replay("--at", "end", "--format", "json").output.utf8))
        let object = try #require(state as? [String: Any])
        #expect(object["position"] as? Int == 200 && object["nanoseconds"] as? Int == 126_000)
        let nodes = try #require(object["nodes"] as? [[String: Any]])
        #expect(nodes.count == 9 && nodes[1]["valueForm"] as? String == "private" && nodes[1]["value"] is NSNull)
    }

    @Test(arguments: [
        (
            ["--at", "3s"],
            "weir: 3s lies behind the end of login.weir: it holds what happened from 0 to 126 µs.\n"
        ),
        (["--at", "zap"], "weir: no stimulus of login.weir is 'zap'; it has 'type user name 'Mar''"),
        (["--at", "1:999"], "weir: login.weir has no event 1:999; "),
        (["--at", ""], "weir: --at cannot be ''; give it a time (12ms), an event (1:42), "),
        (["--at", "end", "--until", "end"], "weir: --at and --until do not go together; leave out one of them.\n"),
        (
            ["--node", "pasword"],
            "weir: no node of login.weir is named 'pasword'; did you mean 'LoginViewModel.password'?\n"
        ),
        (
            ["--watch", "usernameDidChange"],
            "weir: 'usernameDidChange' may be LoginView.usernameDidChange (7, WeirLogin/LoginView.swift:18) or "
        ),
        (
            ["--break", "loginEnabled = true"],
            "weir: --break 'loginEnabled = true' is no expression: '=' at character 14 must be doubled; "
                + "`weir replay --help` shows how to write one.\n"
        ),
        (
            ["--node", "99"],
            "weir: login.weir defines no node 99; the last one is node "
        ),
        (["--break", "#99 == 1"], "weir: login.weir defines no node 99; the last one is node "),
        (["--speed", "fast"], "weir: --speed cannot be 'fast'; give it 1x, 2x, 0.5x or max.\n"),
        (["--speed", "0x"], "weir: --speed cannot be '0x'; give it 1x, 2x, 0.5x or max.\n"),
    ])
    func `what makes no sense exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", ["replay", "login.weir"] + arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors.hasPrefix(sentence), "\(ended.errors)")
        #expect(ended.errors.split(separator: "\n").count == 1)
    }

    @Test func `of a damaged trace the answer is weakened, and strict makes it an exit code`() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder("login.weir")))
        _ = try folder.write("cut.weir", whole.dropLast(9))
        for option in [["--at", "end"], ["--until", "end"]] {
            let lenient = try BuiltCommand("weir", ["replay", "cut.weir"] + option, in: folder).wait()
            #expect(lenient.status == 0 && !lenient.output.isEmpty && lenient.errors.contains("is incomplete"))
            let strict = try BuiltCommand("weir", ["replay", "cut.weir", "--strict"] + option, in: folder).wait()
            #expect(strict.status == 4 && strict.output == lenient.output)
        }
    }
}
