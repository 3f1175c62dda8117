import Foundation
import Testing

/// `weir why` and `weir why-not` on recorded samples, as a person would ask; times vary and are masked.
@Suite(.timeLimit(.minutes(15)))
struct WhyTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func record(_ sample: String, _ arguments: String...) throws -> String {
        let command = ["record", "-o", "\(sample).weir", "--", BuiltCommand.product("weir-\(sample)")] + arguments
        let ended = try BuiltCommand("weir", command, in: folder).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return "\(sample).weir"
    }

    private func ask(_ arguments: String...) throws -> String {
        let ended = try BuiltCommand("weir", arguments, in: folder).wait()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended.errors)")
        return Self.masked(ended.output)
    }

    /// The text without times, which differ between runs.
    private static func masked(_ text: String) -> String {
        text.replacing(#/ +~?\d+\.\d  /#, with: "  …  ")
            .replacing(/[\d.]+ (ns|µs|ms|s)\b/, with: "… ms")
    }

    @Test func `every changed input of a combiner is reported, and what only took part`() throws {
        let trace = try record("login", "published")
        #expect(
            try ask("why", trace, "1:92") == """
                LoginViewModel.loginEnabled became true at 1:92, about … ms after the start, on thread 1; before, it was false.

                  1:79  …  stimulus “type password”
                  1:80  …  LoginView.passwordDidChange = ‹private›  WeirLogin/LoginView.swift:19
                                          ↓ in the handler of LoginViewModel.passwordDidChange, subscribed at WeirLogin/LoginView.swift:35
                  1:82  …  LoginViewModel.password = ‹private›  WeirLogin/PublishedLoginModel.swift:10
                  1:87  …  LoginViewModel.passwordValid = true, before false  WeirLogin/PublishedLoginModel.swift:13
                                              ← LoginViewModel.usernameValid = true, had changed (1:64)
                                              ← LoginViewModel.password = ‹private›, triggered it (1:82)
                  1:92  …  LoginViewModel.loginEnabled = true, before false  WeirLogin/PublishedLoginModel.swift:14
                                              ← LoginViewModel.usernameValid = true, had changed (1:64)
                                              ← LoginViewModel.passwordValid = true, triggered it (1:87)

                Also a cause: LoginViewModel.usernameValid = true, before false (1:64)
                  1:59  …  stimulus “type user name 'Maruko'”
                  1:60  …  LoginView.usernameDidChange = "Maruko"  WeirLogin/LoginView.swift:18
                                          ↓ in the handler of LoginViewModel.usernameDidChange, subscribed at WeirLogin/LoginView.swift:34
                  1:62  …  LoginViewModel.username = "Maruko", before "Mar"  WeirLogin/PublishedLoginModel.swift:9
                  1:64  …  LoginViewModel.usernameValid = true, before false  WeirLogin/PublishedLoginModel.swift:12
                                              ← LoginViewModel.username = "Maruko", triggered it (1:62)
                                              ← LoginViewModel.passwordValid = false, had changed (1:40)

                Also a cause: LoginViewModel.passwordValid = false, before nil (1:40)
                  1:30  …  stimulus “type user name 'Mar'”
                  1:31  …  LoginView.usernameDidChange = "Mar"  WeirLogin/LoginView.swift:18
                                          ↓ in the handler of LoginViewModel.usernameDidChange, subscribed at WeirLogin/LoginView.swift:34
                  1:33  …  LoginViewModel.username = "Mar", before ""  WeirLogin/PublishedLoginModel.swift:9
                  1:38  …  LoginViewModel.usernameValid = false, before nil  WeirLogin/PublishedLoginModel.swift:12
                                              ← LoginViewModel.username = "Mar", triggered it (1:33)
                                                LoginViewModel.passwordValid = nil, never changed
                  1:40  …  LoginViewModel.passwordValid = false, before nil  WeirLogin/PublishedLoginModel.swift:13
                                              ← LoginViewModel.usernameValid = false, triggered it (1:38)
                                                LoginViewModel.password = ‹private›, never changed

                """)
    }

    @Test func `a node's last change up to a moment is explained`() throws {
        let trace = try record("login", "published")
        let whole = try ask("why", trace, "instruction")
        #expect(whole.hasPrefix("LoginViewModel.instruction became \"\" at 1:170"))
        let early = try ask("why", trace, "instruction", "--at", "tap Login")
        #expect(early.hasPrefix("LoginViewModel.instruction became \"Login succeeded (*^▽^*)\" at 1:105"))
        let first = try ask("why", trace, "instruction", "--at", "1:90")
        #expect(first.hasPrefix("LoginViewModel.instruction became \"\" at 1:84"))
        #expect(
            first.hasSuffix(
                "\n\nIt emitted a value again after that: at 1:105, about … ms after the start, as `weir why` without --at shows.\n"
            ))
        #expect(!whole.contains("changed again"))
        #expect(
            try ask("why", trace, "instruction", "--at", "1:2")
                == "LoginViewModel.instruction had not changed yet by '1:2'. It first changed at 1:35, about … ms after the start.\n"
        )
    }

    @Test func `what stopped an expected change is reported with its inputs and a remedy`() throws {
        let trace = try record("login", "published")
        #expect(
            try ask("why-not", trace, "loginEnabled", "--after", "Maruko") == """
                Stimulus 2, “type user name 'Maruko'” (1:59, … ms after the start), did not change LoginViewModel.loginEnabled, which had been false since 1:45.

                Where it stopped:
                  ✗ LoginViewModel.loginEnabled emitted nothing: equal to the current value (1:71, WeirLogin/PublishedLoginModel.swift:14)
                      its inputs then:
                        ← LoginViewModel.usernameValid = true, triggered it (1:64)
                          LoginViewModel.passwordValid = false, unchanged since 1:40
                      → LoginViewModel.loginEnabled must get a value other than false; of its inputs, LoginViewModel.passwordValid has not changed.

                The stimulus reached 4 nodes and 4 refreshes: LoginView.usernameDidChange, LoginViewModel.username, LoginViewModel.usernameValid, LoginViewModel.instruction.

                """)
    }

    @Test func `a suppressed value can be asked about as an event`() throws {
        let trace = try record("login", "published")
        let answer = try ask("why-not", trace, "loginEnabled", "--after", "1:71")
        let start =
            "The suppressed value of LoginViewModel.loginEnabled (1:71, … ms after the start) did not change LoginViewModel.loginEnabled, which had been false since 1:45."
        #expect(answer.hasPrefix(start), "\(answer)")
        #expect(answer.contains("emitted nothing: equal to the current value (1:71, "), "\(answer)")
    }

    @Test func `a node that a stimulus cannot reach is reported with what it depends on`() throws {
        let trace = try record("login", "published")
        #expect(
            try ask("why-not", trace, "username", "--after", "4") == """
                Stimulus 4, “tap Login” (1:102, … ms after the start), did not change LoginViewModel.username, which had been "Maruko" since 1:62.
                The stimulus changed nothing that LoginViewModel.username depends on. For it to change, this must emit: LoginView.usernameDidChange; or other code must write to it.

                The stimulus reached 2 nodes and 2 refreshes: LoginView.loginButtonTouched, LoginViewModel.instruction.

                """)
        #expect(
            try ask("why-not", trace, "instruction", "--after", "tap Login") == """
                Stimulus 4, “tap Login” (1:102, … ms after the start), changed LoginViewModel.instruction.
                It became "Login succeeded (*^▽^*)" at 1:105, and stayed so until 1:116.
                1 handler was called with it.
                `weir why` shows the cause: ask for 1:105; for what replaced it, ask for 1:116.

                """)
    }

    @Test func `a handler's line stands for what it is subscribed to`() throws {
        let trace = try record("login", "published")
        let answer = try ask("why", trace, "LoginView.swift:27", "--at", "tap Login")
        let start = "The handler at WeirLogin/LoginView.swift:27 receives the values of LoginViewModel.username.\n\n"
        #expect(answer.hasPrefix(start + "LoginViewModel.username became \"Maruko\" at 1:62, "))
        #expect(try ask("why", trace, "WeirLogin/LoginView.swift:27", "--at", "tap Login") == answer)
        #expect(try ask("why-not", trace, "LoginView.swift:27", "--after", "4").hasPrefix(start))
        let form = try record("form")
        let binding = try ask("why", form, "binding FormView.swift:23")
        #expect(
            binding.hasPrefix("binding FormView.swift:23 receives the values of current FormView.swift:23.\n\ncurrent"))
    }

    @Test func `a handler that took another branch is reported`() throws {
        let trace = try record("dice")
        let answer = try ask("why-not", trace, "thirtySix", "--after", "3")
        #expect(
            answer.contains(
                """
                  ✗ The handler at WeirDice/DiceView.swift:22 was called, and did not write to DiceModel.thirtySix (1:62)
                      → The handler at WeirDice/DiceView.swift:22 must take the branch that writes to DiceModel.thirtySix.
                """))
    }

    @Test func `a failure on the way, behind hops to two threads, is reported and explained`() throws {
        let trace = try record("lookup")
        let answer = try ask("why-not", trace, "table", "--after", "tap Go")
        #expect(answer.contains(/execution #\d+ emitted no value: map \S+ #\d+ failed with there is no user 'nobody'/))
        #expect(answer.contains("LookupModel.fetch.values → LookupModel.posts → LookupModel.table"))
        let event = try #require(answer.firstMatch(of: /nobody' \((\d+:\d+),/)?.output.1)
        let cause = try ask("why", trace, String(event))
        let steps = cause.split(separator: "\n").filter { $0.firstMatch(of: #/^ +\d+:\d+/#) != nil }
        #expect(steps.first?.hasSuffix("stimulus “tap Go”") == true)
        #expect(steps.last?.contains("LookupModel.fetch.execution") == true)
        #expect(cause.contains(/given to a scheduler, ran … ms later on thread 2/))
        #expect(cause.contains(/given to a scheduler, ran … ms later on thread 1/))
    }

    @Test func `a command's work, and who had a part in it, is followed back to the tap`() throws {
        let trace = try record("form")
        #expect(
            try ask("why", trace, "clear.isEnabled") == """
                FormModel.clear.isEnabled became false at 1:242, about … ms after the start, on thread 1; before, it was true.

                  1:234  …  stimulus “tap Clear”
                  1:235  …  FormView.clearButtonTouched = ()  WeirForm/FormView.swift:11
                                          ↓ in the handler at WeirForm/FormView.swift:24
                  1:238  …  FormModel.clear = ()  WeirForm/FormModel.swift:16
                                          ↓ while it was delivered to FormModel.clear.execution
                  1:240  …  FormModel.clear.isExecuting = true, before false  WeirForm/FormModel.swift:16
                  1:242  …  FormModel.clear.isEnabled = false, before true  WeirForm/FormModel.swift:16
                                              ← FormModel.clear.isExecuting = true, triggered it (1:240)
                                                FormModel.isValid = true, unchanged since 1:183

                """)
    }

    @Test func `a model's own change after an arrival is reported, whatever other threads do`() throws {
        let trace = try record("travel")
        let answer = try ask("why", trace, "currentCity").replacing(/\d+:\d+/, with: "ID")
        #expect(
            answer == """
                TravelModel.currentCity became 2 at ID, about … ms after the start, on thread 1; before, it was 1.

                  ID  …  stimulus “arrive in Shanghai”
                  ID  …  TravelModel.currentCity = 2, before 1  WeirTravel/TravelModel.swift:24

                """)
    }

    @Test(arguments: [
        (["why", "login.weir", "usernme"], "no node of login.weir is named 'usernme'; did you mean"),
        (["why", "login.weir", "1:4000"], "login.weir has no event 1:4000; the last event of that thread is 1:"),
        (
            ["why", "login.weir", "1:0"],
            "login.weir has no event 1:0; numbers begin with 1, and the last event of that"
        ),
        (["why", "login.weir", "0"], "login.weir defines no node 0; the last one is node "),
        (
            ["why", "login.weir", "username", "--at", "3s"],
            "3s lies behind the end of login.weir: it holds what happened from 0 to"
        ),
        (["why", "login.weir", "usernameDidChange"], "'usernameDidChange' may be LoginView.usernameDidChange ("),
        (["why", "login.weir"], "'weir why' needs NODE|EVENT;"),
        (
            ["why-not", "login.weir", "username", "--after", "1s"],
            "no stimulus of login.weir began at 1s or later; the last one began"
        ),
        (
            ["why-not", "login.weir", "username", "--after", "tap Lgin"],
            "no stimulus of login.weir is 'tap Lgin'; did you mean 'tap Login'?"
        ),
        (["why-not", "login.weir", "username", "--after", "1:5"], "--after cannot be '1:5'; give it a time"),
    ])
    func `bad input gets one sentence`(_ arguments: [String], _ sentence: String) throws {
        _ = try record("login", "published")
        let ended = try BuiltCommand("weir", arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors.hasPrefix("weir: " + sentence), "\(ended.errors)")
        #expect(ended.errors.count { $0 == "\n" } == 1)
    }

    @Test func `a damaged trace is answered with a warning, and with 4 under strict`() throws {
        let trace = try record("login", "published")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder(trace)))
        bytes.removeLast(30)
        try bytes.write(to: URL(fileURLWithPath: folder(trace)))
        for command in [["why", trace, "username"], ["why-not", trace, "username"]] {
            let ended = try BuiltCommand("weir", command, in: folder).wait()
            #expect(ended.status == 0 && ended.output.contains("LoginViewModel.username"))
            #expect(ended.errors.hasPrefix("weir: login.weir is incomplete, and so may be this answer. "))
            let strict = try BuiltCommand("weir", command + ["--strict"], in: folder).wait()
            #expect(strict.status == 4 && strict.output == ended.output)
        }
    }

    @Test func `JSON names each step's way and inputs`() throws {
        let trace = try record("login", "published")
        let ended = try BuiltCommand("weir", ["why", trace, "1:92", "--format", "json"], in: folder).wait()
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "1:92")
        let chains = try #require(object["chains"] as? [[String: Any]])
        #expect(chains.count == 3)
        let steps = try #require(chains[0]["steps"] as? [[String: Any]])
        #expect(steps.map { $0["id"] as? String } == ["1:79", "1:80", "1:82", "1:87", "1:92"])
        #expect(
            steps.map { ($0["way"] as? [String: Any])?["is"] as? String } == [
                "root", "within", "delivery", "delivery", "delivery",
            ])
        let inputs = try #require(steps[4]["inputs"] as? [[String: Any]])
        #expect(inputs.map { $0["role"] as? String } == ["changed", "triggered"])
        #expect(inputs.map { $0["emission"] as? String } == ["1:64", "1:87"])
        let stopped = try BuiltCommand(
            "weir", ["why-not", trace, "loginEnabled", "--after", "2", "--format", "json"], in: folder
        ).wait()
        let answer = try #require(
            try JSONSerialization.jsonObject(with: Data(stopped.output.utf8)) as? [String: Any])
        #expect(answer["outcome"] as? String == "stopped")
        let stops = try #require(answer["stops"] as? [[String: Any]])
        #expect(stops.map { $0["reason"] as? String } == ["equal"])
        #expect(stops.map { $0["event"] as? String } == ["1:71"])
    }
}
