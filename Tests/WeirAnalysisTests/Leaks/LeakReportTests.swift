import Foundation
import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// The complete report on handmade traces.
struct LeakReportTests {
    /// A session keeps three screens that should be gone, a login model is garbage, and each round leaves a row behind.
    private static var program: LeakTrace {
        var trace = LeakTrace()
        trace.node(1, "Session.refreshed", at: .screen(9))
        for id in 1...3 as ClosedRange<UInt32> {
            trace.object(id, "Screen", label: "screen \(id - 1)")
            trace.subscription(id, to: 1, at: .screen(40), owner: id)
        }
        trace.node(7, "LoginViewModel.loginTouched", at: .login(30))
        trace.object(9, "LoginViewModel")
        trace.subscription(9, to: 1, at: .screen(77), owner: 9)
        trace.subscription(10, to: 1, at: .screen(90))
        trace.tracked(9)
        for round in 0..<3 as Range<UInt32> {
            trace.object(20 + round, "Row")
            trace.tracked(20 + round)
            trace.expected(round + 1)
            trace.started(round + 1)
            trace.checkpoint("round")
            trace.emitted(1, to: round + 1)
        }
        trace.started(9)
        trace.started(10)
        trace.released(9)
        trace.taken(snapshot)
        return trace
    }

    private static var snapshot: TraceSnapshot {
        var made = HandMadeSnapshot.screens(3)
        let model = made.add("LoginViewModel", .object(30), at: .login(18))
        let touched = made.add("Observer<Void>", .node(7), label: "LoginViewModel.loginTouched", at: .login(30))
        made.cycle([
            made.refer(model, ".loginTouched", to: touched),
            made.refer(
                touched, ".handler", to: model, function: "closure #3 in LoginViewModel.init()", at: .login(64)),
        ])
        made.limitation(.noReflection, "Legacy")
        var snapshot = made.snapshot
        (snapshot.walkedObjects, snapshot.walkedReferences, snapshot.walkedBytes) = (12_040, 45_000, 1 << 20)
        return snapshot
    }

    @Test func `cycles that one change to a closure breaks are one finding`() throws {
        var made = HandMadeSnapshot()
        let model = made.add("CartModel", .object(30), at: .login(18))
        for (property, id) in [(".total", 7), (".pay", 8)] as [(String, UInt32)] {
            let node = made.add("Combiner<Int>", .node(id), label: "CartModel\(property)", at: .login(30))
            made.cycle([
                made.refer(model, property, to: node),
                made.refer(node, ".handler", to: model, function: "closure #1 in CartModel.init()", at: .login(64)),
            ])
        }
        var trace = LeakTrace()
        trace.object(30, "CartModel")
        trace.tracked(30)
        trace.taken(made.snapshot)
        let text = try text(trace)
        #expect(text.contains("1 finding:"))
        #expect(text.contains("CartModel keeps itself alive through .pay, and nothing outside holds it"))
        #expect(text.contains("The same closure closes 1 other cycle, through .total."))
    }

    private func text(_ trace: LeakTrace, style: Style = .plain, at name: String? = nil) throws -> String {
        try report(trace, at: name) { $0.text(style: style) }
    }

    private func report<Result>(
        _ trace: LeakTrace, at name: String? = nil, rules: Set<LeakRule> = Set(LeakRule.allCases),
        _ body: (LeakReport) -> Result
    ) throws -> Result {
        try trace.read { reader, topology in
            let known = LeakCheckpoints(reader)
            let pass = LeakPass(reader, topology, upTo: name.flatMap(known.place(named:)), of: known)
            let findings = LeakFindings(pass, reader, rules: rules, snapshot: reader.snapshot)
            return body(LeakReport(pass, findings, rules: rules, snapshot: reader.snapshot))
        }
    }

    @Test func `a report reads like this`() throws {
        let text = try text(Self.program)
        #expect(
            text == """
                Of 12 tracked objects, nodes and subscriptions that were alive at the end of the recording, 6 should be gone: 2 of them proven garbage.

                5 findings, worst first:

                  1  3 objects of Screen were to be gone by checkpoint “round”, and were not
                     outlived-scope · error · fingerprint 4be1a1c0a01a9dbf
                     ┬ outlived-scope · keeps 2 KiB · held by handlers only
                     │  static Session.shared
                     ├─ Session
                     │    ↓ .refreshed: Emitter<Int>                              App/Screen.swift:9
                     │    ↓ .subscriptions[0]: subscription to Session.refreshed  App/Screen.swift:40
                     │    ↓ .handler: closure                                     App/Screen.swift:40
                     │    ~ captures Screen strongly
                     ╰→ Screen “screen 0”
                     2 more like it.
                     They were expected to be gone by checkpoint “round”, and received 3 values after that.
                     Remedy: capture Screen weakly in the handler of the subscription made at App/Screen.swift:40, and dispose the subscription with its owner, if no bag does so yet: `.disposed(by: bag)`.

                  2  LoginViewModel keeps itself alive through .loginTouched, and nothing outside holds it
                     retain-cycle · error · fingerprint 3c224c6e1cc33dd0
                     ┬ retain-cycle · 2 objects, 176 bytes · proven: nothing outside holds them
                     ├─ LoginViewModel                     Login/LoginViewModel.swift:18
                     │    ↓ .loginTouched: Observer<Void>  Login/LoginViewModel.swift:30
                     │    ↓ .handler: closure              Login/LoginViewModel.swift:64
                     │    ~ captures self strongly
                     ╰→ LoginViewModel (the same object)
                     Remedy: capture [weak self] at Login/LoginViewModel.swift:64.

                  3  tracked objects of Row: 2 more of them alive at the last of 3 checkpoints “round” than at the first, and more each time
                     growth · warning · fingerprint c927f08169b9e261
                     Remedy: release the objects of Row made in one round before the next begins.

                  4  a subscription to Session.refreshed (made at App/Screen.swift:77) is alive although LoginViewModel, for which it works, was released
                     undisposed · warning · fingerprint d6db32394c70794b
                     Remedy: dispose the subscription made at App/Screen.swift:77: `.disposed(by: bag)`.

                  5  a subscription to Session.refreshed (made at App/Screen.swift:90) is alive at the end of the recording
                     undisposed · note · fingerprint 88835860502814ab
                     Remedy: if its work is over by then, dispose the subscription made at App/Screen.swift:90, or release the bag that holds it.

                The snapshot at the end of the recording walked 12,040 objects with 45,000 references, 1 MiB.

                Not analysed:
                  Legacy was built without reflection metadata: what it holds is not known.

                """)
    }

    @Test(arguments: [
        (NodeTechnique.weir, "dispose the subscription made at App/Screen.swift:90, or release the bag that holds it"),
        (.combine, "cancel the subscription made at App/Screen.swift:90: `.store(in: &cancellables)`"),
        (
            .render,
            "dispose of the render made at App/Screen.swift:90: keep what `Trace.render` gives, and dispose of that"
        ),
        (.foreign, "end the subscription made at App/Screen.swift:90 together with what it works for"),
    ])
    func `an open subscription may be right, so its remedy is a condition`(
        _ technique: NodeTechnique, _ remedy: String
    ) throws {
        var trace = LeakTrace()
        trace.node(1, "Session.refreshed", at: .screen(9))
        trace.subscription(10, to: 1, at: .screen(90))
        trace.started(10)
        trace.taken(TraceSnapshot())
        var definitions = TraceDefinitions()
        definitions.nodes[1] = TraceNode(id: 1, rawKind: 1, technique: technique)
        definitions.subscriptions[10] = TraceSubscription(id: 10, source: 1, site: .screen(90))
        let finding = try #require(try trace.findings().found.first)
        let words = LeakWords(finding, TraceSnapshot(), definitions)
        #expect(words.remedy == "if its work is over by then, \(remedy)")
    }

    @Test(arguments: [false, true]) func `a loop over the values of a property is a task to cancel`(
        _ isCurrent: Bool
    ) throws {
        let source: UInt32 = isCurrent ? 2 : 1
        var trace = LeakTrace()
        trace.node(1, "Session.user", at: .screen(9))
        trace.node(2, at: .screen(9))
        trace.subscription(10, to: source, at: .screen(9))
        trace.started(10)
        trace.taken(TraceSnapshot())
        var definitions = TraceDefinitions()
        definitions.nodes[1] = TraceNode(id: 1, rawKind: 1, label: "Session.user", site: .screen(9), owner: 1)
        definitions.nodes[2] = TraceNode(id: 2, rawKind: NodeKind.current.rawValue, site: .screen(9))
        definitions.subscriptions[9] = TraceSubscription(id: 9, source: 1, target: 2, isInternal: true)
        definitions.subscriptions[10] = TraceSubscription(id: 10, source: source, site: .screen(9))
        let finding = try #require(try trace.findings().found.first)
        let words = LeakWords(finding, TraceSnapshot(), definitions)
        #expect(words.headline == "a loop over Session.user is alive at the end of the recording")
        #expect(words.remedy == "if its work is over by then, cancel the task that loops over Session.user")
        // A handler on another line is none.
        definitions.subscriptions[10]?.site = .screen(10)
        #expect(LeakWords(finding, TraceSnapshot(), definitions).remedy?.contains("dispose the subscription") == true)
    }

    @Test func `where nothing was found, one sentence says what was looked at`() throws {
        var trace = LeakTrace()
        trace.taken(TraceSnapshot())
        #expect(
            try text(trace) == """
                No tracked object, node or subscription was alive at the end of the recording.
                Nothing was found by any rule. Weir analyses adopted and tracked objects and everything they reference.

                The snapshot at the end of the recording walked 0 objects with 0 references, 0 bytes.

                """)
        let some = try report(trace, rules: [.growth, .heldCycle]) { $0.text() }
        #expect(some.contains("\nNothing was found by held-cycle and growth.\n"))
    }

    @Test func `without a snapshot the report says what is lacking, and what to do`() throws {
        let end = try text(LeakTrace())
        #expect(end.contains("Nothing was found by any rule, without a snapshot (partial analysis). Weir"))
        #expect(end.contains("The trace has no snapshot of references at the end of the recording, so cycles"))
        #expect(end.contains("call Trace.checkpoint(…) or let the program end by itself.\n"))
        var lost = LeakTrace()
        lost.checkpoint("closed")
        lost.taken(TraceSnapshot(), isLost: true)
        #expect(try text(lost).contains("The snapshot at the end of the recording is lost or damaged, so cycles"))
        #expect(try text(lost).contains("are unknown: record the program again.\n"))
        #expect(try text(lost, at: "closed").contains("that were alive at checkpoint “closed”") == false)
    }

    @Test func `an aborted walk is reported as such`() throws {
        var trace = LeakTrace()
        var snapshot = TraceSnapshot()
        snapshot.limitations = [SnapshotLimitation(.noReflection, "A"), SnapshotLimitation(.walkCrashed, "SIGABRT")]
        trace.taken(snapshot)
        let sentence = "Heap walk aborted: it crashed (SIGABRT). The program was not affected."
        #expect(
            try report(trace) { $0.abortedWalks } == [
                "Heap walk at the end of the recording aborted: it crashed (SIGABRT). The program was not affected."
            ])
        #expect(try text(trace).contains("Not analysed:\n  A was built without reflection metadata"))
        #expect(try text(trace).contains("\n  \(sentence)\n"))
        trace = LeakTrace()
        trace.taken(TraceSnapshot())
        #expect(try report(trace) { $0.abortedWalks } == [])
    }

    @Test func `an aborted walk of an earlier checkpoint is reported with its checkpoint`() throws {
        var trace = LeakTrace()
        var aborted = TraceSnapshot()
        aborted.limitations = [SnapshotLimitation(.noReflection, "A"), SnapshotLimitation(.tooManyObjects, "9")]
        trace.checkpoint("opened", TraceSnapshot())
        trace.checkpoint("shown", aborted)
        aborted.limitations = [SnapshotLimitation(.walkTimedOut, "10 s")]
        trace.checkpoint("closed", aborted)
        trace.taken(TraceSnapshot())
        let shown = "Heap walk at checkpoint “shown” aborted at its limit of 9 objects."
        let closed = "Heap walk at checkpoint “closed” aborted: it took longer than 10 s."
        #expect(try report(trace) { $0.abortedWalks } == [shown, closed])
        #expect(try text(trace).hasSuffix("\nNot analysed:\n  \(shown)\n  \(closed)\n"))
        #expect(try report(trace, at: "opened") { $0.abortedWalks } == [])
        #expect(try report(trace, at: "shown") { $0.abortedWalks } == [shown])
        // The judged walk's own limitations stand first; they need no moment.
        #expect(
            try text(trace, at: "closed").hasSuffix(
                "\nNot analysed:\n  Heap walk aborted: it took longer than 10 s.\n  \(shown)\n"))
        trace.checkpoint("again", aborted)
        trace.checkpoint("again", aborted)
        #expect(try report(trace) { $0.abortedWalks }.last == "1 more heap walk was aborted.")
        let json = try report(trace) { $0.json(path: "x", isComplete: false).indentedText }
        #expect(json.contains("\"checkpoint\": \"shown\",\n      \"reason\": \"tooManyObjects\""), "\(json)")
    }

    @Test func `where the last snapshot is lost, the report names the last whole one as --at takes it`() throws {
        var lost = LeakTrace()
        lost.checkpoint("closed", TraceSnapshot())
        lost.checkpoint("closed", TraceSnapshot())
        lost.checkpoint("closed")
        lost.taken(TraceSnapshot(), isLost: true)
        #expect(try text(lost).contains("use --at 'closed#2' for the last complete snapshot.\n"))
    }

    @Test func `where nothing tells what holds an object, the report has no remedy`() throws {
        var unseen = LeakTrace()
        unseen.object(1, "Screen")
        unseen.expected(1)
        let reported = try text(unseen)
        #expect(reported.contains("Screen was to be gone by the end of the recording, and was not"))
        #expect(!reported.contains("Remedy"))
        #expect(try report(unseen) { $0.json(path: "x", isComplete: true).indentedText }.contains("\"sentence\": null"))
    }

    @Test func `names from a trace steer no terminal`() throws {
        let evil = "Evil\u{1B}[2J\u{202E}\n\u{7F}"
        var made = HandMadeSnapshot()
        let work = TaskWork(function: evil, kind: .closure, madeAt: TraceSite(file: evil, line: 5))
        let model = made.add(
            evil, .object(7), label: evil + "2", at: TraceSite(file: evil, line: 1), outside: 2, by: .task([work]))
        let other = made.add(evil, .node(1), label: evil)
        made.cycle(
            [
                made.refer(model, evil, to: other, function: evil, at: TraceSite(file: evil, line: 2)),
                made.refer(other, "." + evil, to: model, function: evil),
            ], isProven: false)
        let plain = made.add(evil, .object(2))
        made.hold(along: made.refer(model, "." + evil, to: plain))
        made.limitation(.noReflection, evil)
        var trace = LeakTrace()
        trace.object(1, evil, label: evil)
        trace.object(2, evil, label: evil)
        trace.object(3, evil, label: evil)
        trace.node(1, evil, at: TraceSite(file: evil, line: 3))
        trace.subscription(1, to: 1, at: TraceSite(file: evil, line: 4), owner: 1)
        for id in 1...3 as ClosedRange<UInt32> { trace.expected(id) }
        for round in 10...12 as ClosedRange<UInt32> {
            trace.object(round, evil)
            trace.tracked(round)
            trace.checkpoint(evil)
        }
        trace.started(1)
        trace.released(1)
        trace.taken(made.snapshot)
        let text = try text(trace)
        let json = try report(trace) { $0.json(path: "x", isComplete: true).indentedText }
        for output in [text, json] {
            let steering = output.unicodeScalars.filter { $0 != "\n" && TerminalText.mustBeEscaped($0) }
            #expect(steering.isEmpty)
        }
        for rule in LeakRule.allCases where rule != .retainCycle {
            #expect(text.contains("\(rule.rawValue) · "), "\(rule)")
        }
        #expect(text.contains("growth · "))
    }

    @Test func `a cycle of twenty thousand objects is drawn in short`() {
        var made = HandMadeSnapshot()
        let count = 20_000
        for _ in 0..<count { _ = made.add("Node") }
        made.cycle((0..<count).map { made.refer($0, ".next", to: ($0 + 1) % count) })
        let findings = LeakFindings(made.snapshot).found
        let lines = LeakDrawing(findings[0], in: made.snapshot).lines()
        #expect(lines.count < 40 && lines.contains("│    … 19,976 more steps"))
        // A weak '.next' would lose the rest of each list.
        #expect(lines.last?.hasPrefix("Remedy: break the cycle at one of its references") == true)
    }

    /// A screen that a task holds, which waits for a task that waits for a continuation.
    private static var heldByTask: LeakTrace {
        screen(heldBy: [
            TaskWork(
                function: "Screen.load()", kind: .function, site: .screen(12), madeAt: .screen(9), wait: .task),
            TaskWork(
                function: "closure #2 in Store.get()", kind: .closure, site: .screen(40), madeAt: .screen(40),
                wait: .continuation),
        ])
    }

    private static func screen(heldBy tasks: [TaskWork]) -> LeakTrace {
        var made = HandMadeSnapshot()
        _ = made.add("Screen", .object(1), outside: 1, by: .task(tasks))
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        return trace
    }

    @Test func `the JSON has what tasks do as fields, not only in words`() throws {
        let text = try report(Self.heldByTask) { $0.json(path: "x", isComplete: true).text }
        let holder =
            #""outsideHolder":{"kind":"task","tasks":[{"function":"Screen.load()","functionKind":"function","#
            + #""site":"App/Screen.swift:12","madeAt":"App/Screen.swift:9","waitsFor":"task"},"#
            + #"{"function":"closure #2 in Store.get()","functionKind":"closure","site":"App/Screen.swift:40","#
            + #""madeAt":"App/Screen.swift:40","waitsFor":"continuation"}]}"#
        #expect(text.contains(holder), "\(text)")
        #expect(text.contains("resume the continuation that the closure at App/Screen.swift:40 waits for"), "\(text)")
    }

    @Test(arguments: [
        (
            TaskWork.Wait.element, TaskWork.Wait.group,
            "cancel the task made at App/Screen.swift:9 when this should go, and hold Screen weakly in it and in the loop of "
                + "its child task made at App/Screen.swift:12"
        ),
        (
            .library, .asyncLet,
            "cancel the task made at App/Screen.swift:9 when this should go, and hold Screen weakly in it and in its "
                + "`async let` at App/Screen.swift:12 while that waits"
        ),
        (
            .unknown, .group,
            "cancel the task made at App/Screen.swift:9 when this should go, and hold Screen weakly in it and in its child "
                + "task made at App/Screen.swift:12 while that waits, or resume the continuation if the closure at "
                + "App/Screen.swift:12 waits for one"
        ),
        (.continuation, .group, "resume the continuation that the closure at App/Screen.swift:12 waits for"),
        (
            .element, .task,
            "hold Screen weakly while the task made at App/Screen.swift:9 waits, or cancel the task made at "
                + "App/Screen.swift:12 if nothing else needs it"
        ),
    ]) func `a remedy names the task to cancel and the child task that waits`(
        _ child: TaskWork.Wait, _ parent: TaskWork.Wait, _ remedy: String
    ) throws {
        let tasks = [
            TaskWork(
                function: "closure #1 in Screen.load()", kind: .closure, site: .screen(9), madeAt: .screen(9),
                wait: parent),
            TaskWork(
                function: "closure #1 in closure #1 in Screen.load()", kind: .closure, site: .screen(12),
                madeAt: .screen(12), wait: child),
        ]
        let text = try text(Self.screen(heldBy: tasks))
        #expect(text.contains("Remedy: \(remedy).\n"), "\(text)")
    }

    @Test func `a task that waits for its group, of which nothing more is known, is cancelled`() throws {
        let parent = TaskWork(
            function: "closure #1 in Screen.load()", kind: .closure, site: .screen(9), madeAt: .screen(9), wait: .group)
        let text = try text(Self.screen(heldBy: [parent]))
        #expect(text.contains(", which waits for the child tasks of its group, it seems\n"), "\(text)")
        #expect(
            text.contains(
                "Remedy: cancel the task made at App/Screen.swift:9 when this should go, and hold Screen weakly while it waits.\n"
            ), "\(text)")
    }

    /// Every field of the JSON is on the page, and every field on the page is printed.
    @Test func `the page tells the fields of the JSON`() throws {
        var names: Set<String> = []
        func collect(_ value: JSONValue) {
            switch value {
            case .array(let elements): elements.forEach(collect)
            case .object(let members):
                for member in members {
                    names.insert(member.name)
                    collect(member.value)
                }
            default: break
            }
        }
        collect(try report(Self.program) { $0.json(path: "x", isComplete: true) })
        // A tracked object that is in no snapshot.
        var unseen = LeakTrace()
        unseen.object(1, "Screen")
        unseen.expected(1)
        collect(try report(unseen) { $0.json(path: "x", isComplete: true) })
        collect(try report(Self.heldByTask) { $0.json(path: "x", isComplete: true) })
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/WeirReport/WeirReport.docc/JSONOutput.md"), encoding: .utf8
        )
        let start = try #require(page.range(of: "\n## weir leaks\n"))
        let end = try #require(page.range(of: "\n## ", range: start.upperBound..<page.endIndex))
        let words = Set(page[start.upperBound..<end.lowerBound].matches(of: /`(\w+)`/).map { String($0.1) })
        #expect(names.subtracting(words).isEmpty)
        let values: Set<String> = [
            "note", "warning", "error", "growth", "cycle", "tracked", "WeirAnalysis", "nodes", "subscriptions",
            "instance", "box", "storage", "task", "unknown", "other",
            "taskResult", "variable", "library", "element", "continuation", "autoclosure", "group", "asyncLet",
        ]
        let reasons = SnapshotLimitation.Reason.allCases.map { "\($0)" }
        let kinds = [
            "captureWeakly", "endRecursion", "cancelTask", "holdWeakly", "breakCycle", "replaceAssign", "dispose",
            "letGo", "endEarlier", "takeValueFirst", "resumeContinuation", "awaitWork", "invalidateSession",
            "removeFromCollection", "stopCaller",
        ]
        #expect(words.subtracting(names).subtracting(values).subtracting(reasons).subtracting(kinds).isEmpty)
    }

    @Test(arguments: [
        ("Observer<()>", "Observer<Void>"), ("Combiner<Optional<Bool>>", "Combiner<Bool?>"),
        ("Dictionary<String, Array<Optional<Int>>>", "[String: [Int?]]"),
        ("Array<(Int, Array<Int>)>", "[(Int, Array<Int>)]"),
        ("Optional<(Int) -> ()>", "((Int) -> ())?"), ("Optional<any Error>", "(any Error)?"), ("Model", "Model"),
        ("Outer<Int>.Inner<()>", "Outer<Int>.Inner<()>"), ("Table.Cell<()>", "Table.Cell<Void>"), ("", ""),
        ("<>", "<>"),
        ("Optional<", "Optional<"), ("a b<()>", "a b<()>"), ("Optional<Optional<Int>>", "Int??"),
    ])
    func `types are reported as in the source`(_ type: String, _ written: String) {
        #expect(SourceType.written(type) == written)
    }

    @Test func `types of any depth and length are reported`() {
        let deep = String(repeating: "Optional<", count: 50_000) + "Int" + String(repeating: ">", count: 50_000)
        #expect(SourceType.written(deep).hasSuffix("????????????????"))
    }
}
