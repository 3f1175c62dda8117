import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// One leak is one finding: no second finding repeats what the first explains.
struct LeakExplanationTests {
    /// Rounds that each leave behind a screen with a subscription and two nodes.
    private func rounds(
        _ snapshot: TraceSnapshot?, expects: Bool, owns: Bool = true, names: [String] = ["closed"],
        _ more: (inout LeakTrace, UInt32) -> Void = { _, _ in }
    ) throws -> [LeakFinding] {
        var trace = LeakTrace()
        trace.node(1, "Session.refreshed", at: .screen(9))
        for id in 1...4 as ClosedRange<UInt32> {
            trace.object(id, "Screen")
            trace.subscription(id, to: 1, at: .screen(40), owner: owns ? id : nil)
            for node in [10 * id, 10 * id + 1] { trace.node(node, at: .screen(50)) }
        }
        for id in 1...4 as ClosedRange<UInt32> {
            trace.tracked(id)
            trace.started(id)
            for node in [10 * id, 10 * id + 1] { trace.created(node: node) }
            more(&trace, id)
            if expects { trace.expected(id) }
            for name in names { trace.checkpoint(name) }
        }
        if let snapshot { trace.taken(snapshot) }
        return try trace.findings().found
    }

    @Test func `the other closures that capture an object are named`() throws {
        var made = HandMadeSnapshot()
        let session = made.add("Session", outside: 1, by: .variable("static Session.shared"))
        let screen = made.add("Screen", .object(1))
        let (context, box) = (made.add("closure", kind: .closure), made.add("captured variable", kind: .box))
        made.hold(along: made.refer(session, ".first", to: screen, function: "closure #1 in f()", at: .screen(1)))
        // Directly, through a context, and through a variable that the closure captures.
        made.refer(session, ".second", to: screen, function: "closure #2 in f()", at: .screen(2))
        made.refer(session, ".third", to: context, function: "closure #3 in f()", at: .screen(3))
        made.refer(context, "captures", to: screen)
        made.refer(session, ".fourth", to: box, function: "closure #4 in f()", at: .screen(4))
        made.refer(box, ".value", to: screen)
        // A property, a closure of Weir, and one that holds something else.
        made.refer(session, ".last", to: screen)
        made.refer(session, ".own", to: screen, at: TraceSite(file: "Weir/Core.swift", line: 5))
        made.refer(session, ".other", to: session, function: "closure #6 in f()", at: .screen(6))
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        let finding = try #require(try trace.findings().found.first)
        #expect(finding.otherCaptures == [.screen(2), .screen(3), .screen(4)])
        let lines = LeakDrawing(finding, in: made.snapshot).lines()
        #expect(
            lines.contains(
                "Other closures capture Screen strongly, too: App/Screen.swift:2, App/Screen.swift:3, App/Screen.swift:4."
            ),
            "\(lines)")
    }

    @Test func `the other tasks that hold an object are named`() throws {
        func work(_ line: Int, _ wait: TaskWork.Wait, kind: FunctionKind = .closure, made: Int? = nil) -> TaskWork {
            TaskWork(
                function: "closure #1 in Screen.load()", kind: kind, site: .screen(line),
                madeAt: made.map { .screen($0) }, wait: wait)
        }
        var made = HandMadeSnapshot()
        let screen = made.add("Screen", .object(1), outside: 4, by: .task([work(1, .element, made: 1)])) {
            // The same again, one with a child, a closure that a timer keeps, and a task that is not known.
            $0.otherHolders = [
                .task([work(1, .element, made: 1)]),
                .task([work(2, .group, made: 2), work(3, .element, made: 3)]),
                .closure(.screen(4)), .task([]),
            ]
        }
        // A task that keeps a context, which is not on the path.
        let context = made.add("closure", kind: .closure, outside: 1, by: .task([work(5, .library)]))
        made.refer(context, "captures #1", to: screen)
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        let finding = try #require(try trace.findings().found.first)
        #expect(finding.otherCaptures == [.screen(4)])
        #expect(finding.otherTasks.map { $0.map(\.site) } == [[.screen(2), .screen(3)], [.screen(5)]])
        let lines = LeakDrawing(finding, in: made.snapshot).lines()
        #expect(
            lines.contains(
                "Other tasks hold Screen, too, it seems: the task made at App/Screen.swift:2 with its child task made at "
                    + "App/Screen.swift:3, a task that runs closure #1 in Screen.load()."),
            "\(lines)")
    }

    @Test(arguments: [("Thread", "end the thread made"), ("BlockOperation", "end the operation made"), ("Other", nil)])
    func `an object that a running method holds has the thread or operation that runs it in its remedy`(
        _ type: String, _ remedy: String?
    ) throws {
        var made = HandMadeSnapshot()
        let screen = made.add("Screen", .object(1), outside: 1)
        let runner = made.add(type, outside: 1) { $0.isOfSystem = true }
        made.refer(runner, "._main", to: screen, function: "closure #1 in Screen.run()", at: .screen(7))
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        let finding = try #require(try trace.findings().found.first)
        let words = LeakWords(finding, made.snapshot, nil).remedy
        #expect(
            words == remedy.map {
                "\($0) at App/Screen.swift:7 when this should go, and capture Screen weakly in its closure"
            }
                ?? "release it where it is held from outside")
        #expect(finding.otherCaptures == (remedy == nil ? [.screen(7)] : []))
    }

    @Test func `subscriptions whose handlers hold a reported object are no findings of their own`() throws {
        var made = HandMadeSnapshot.screens(1)
        let sink = made.add("TerminalSink<Int>", .subscription(2), at: .screen(50)) { $0.isInternal = true }
        let screen = try #require(made.snapshot.objects.firstIndex { $0.identity == .object(1) })
        made.refer(sink, ".handler", to: screen, function: "closure #2 in Screen.init()", at: .screen(50))
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.node(1, "Session.refreshed", at: .screen(9))
        trace.subscription(1, to: 1, at: .screen(40))
        trace.subscription(2, to: 1, at: .screen(50))
        trace.created(node: 1)
        trace.started(1)
        trace.started(2)
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        let found = try trace.findings().found
        #expect(found.map(\.rule) == [.outlivedScope])
        #expect(found.first?.otherCaptures == [.screen(50)])
    }

    @Test(arguments: [false, true])
    func `an await for a first value is named, and goes with the object that it waits for`(
        _ isOwned: Bool
    ) throws {
        var made = HandMadeSnapshot()
        let screen = made.add("Screen", .object(1), outside: 1)
        let node = made.add("Emitter<Int>", .node(1), label: "Screen.ready")
        if isOwned { made.hold(along: made.refer(screen, ".ready", to: node)) }
        var trace = LeakTrace()
        trace.object(1, "Screen")
        trace.node(1, "Screen.ready", at: .screen(9))
        trace.node(2, at: .screen(9))
        trace.subscription(1, to: 1, feeding: 2, isInternal: true, at: .screen(9))
        trace.subscription(2, to: 2, isOfAwait: true, at: .screen(9))
        trace.created(node: 1)
        trace.created(node: 2)
        trace.started(1)
        trace.started(2)
        trace.tracked(1)
        trace.expected(1)
        trace.checkpoint("closed", made.snapshot)
        trace.taken(made.snapshot)
        let found = try trace.findings().found
        #expect(found.map(\.rule) == (isOwned ? [.outlivedScope] : [.outlivedScope, .undisposed]))
        guard !isOwned, let open = found.last else { return }
        try trace.read { _, topology in
            let words = LeakWords(open, made.snapshot, topology.definitions)
            #expect(
                words.headline == "an await for the first value of Screen.ready is alive at the end of the recording")
            #expect(
                words.remedy
                    == "if its work is over by then, cancel the task that awaits the first value of Screen.ready")
        }
    }

    @Test func `screens that outlive their scope do not grow besides, nor what they own`() throws {
        let found = try rounds(nil, expects: true)
        #expect(found.map(\.rule) == [.outlivedScope] && found.map(\.count) == [4])
        let held = try rounds(HandMadeSnapshot.screens(4).snapshot, expects: true, owns: false)
        #expect(held.map(\.rule) == [.outlivedScope] && held.map(\.count) == [4])
    }

    @Test func `tracked objects that grow explain their subscriptions, and stand for nodes`() throws {
        let found = try rounds(nil, expects: false).filter { $0.rule == .growth }
        #expect(found.map(\.count) == [3])
        guard case .growth(let growth) = try #require(found.first).example else {
            Issue.record("\(found)")
            return
        }
        #expect(growth.line == .objects(type: "Screen", label: nil))
        // Subscriptions without an owner are reported separately.
        #expect(try rounds(nil, expects: false, owns: false).count { $0.rule == .growth } == 2)
    }

    @Test func `a line is reported once, with the checkpoints of which there are most`() throws {
        let found = try rounds(nil, expects: false, names: ["b"]) { trace, id in
            if id > 1 { trace.checkpoint("a") }
        }.filter { $0.rule == .growth }
        let rounds = found.compactMap { finding -> Int? in
            if case .growth(let growth) = finding.example { growth.rounds } else { nil }
        }
        #expect(rounds == [4])
    }

    @Test func `growth of a line is reported as far as others do not explain it`() throws {
        // Only one of the four subscriptions is explained: the one with a released owner.
        var trace = LeakTrace()
        trace.node(1, at: .screen(9))
        trace.object(1, "Screen")
        trace.tracked(1)
        for id in 1...4 as ClosedRange<UInt32> {
            trace.subscription(id, to: 1, at: .screen(40), owner: id == 4 ? 1 : nil)
            trace.started(id)
            trace.checkpoint("closed")
        }
        trace.released(1)
        #expect(try trace.findings().found.count { $0.rule == .growth } == 1)
    }

    @Test func `an object that hangs on another overdue one is reported with that`() throws {
        var made = HandMadeSnapshot()
        let router = made.add("Router", outside: 1)
        let screen = made.add("PlayerScreen", .object(1))
        let model = made.add("PlayerModel", .object(2))
        let helper = made.add("Helper")
        let cache = made.add("PlayerCache", .object(3))
        made.hold(along: made.refer(router, ".screen", to: screen))
        made.hold(along: made.refer(screen, ".model", to: model))
        made.hold(along: made.refer(model, ".helper", to: helper))
        made.hold(along: made.refer(helper, ".cache", to: cache))
        let findings = LeakFindings(made.snapshot) { $0.trackedObject != nil }
        #expect(findings.found.map(\.example) == [.object(screen)] && findings.found.map(\.count) == [1])
        #expect(findings.found.first?.expectation?.objects == 3 && findings.overdueCount == 3)
        let lines = findings.found.flatMap { LeakDrawing($0, in: made.snapshot).lines() }
        #expect(lines.contains("And with it 2 others: PlayerModel, PlayerCache."))
        #expect(lines.last == "Remedy: release it in Router: .screen holds it.")
        // An object that no overdue object holds is a finding of its own.
        let other = LeakFindings(made.snapshot) { $0.trackedObject.map { $0 > 1 } ?? false }
        #expect(other.found.map(\.example) == [.object(model)] && other.found.first?.companions == 1)
    }

    @Test func `garbage that was expected is reported with the cycle that keeps it`() {
        func made(_ isLinked: Bool, cycles: [Bool]) -> TraceSnapshot {
            var made = HandMadeSnapshot()
            let player = made.add("Player", .object(9)) { $0.isGarbage = true }
            for (number, isCut) in cycles.enumerated() {
                let model = made.add(isCut ? "InputCell<Int>" : "Model\(number)") { $0.isInternal = isCut }
                made.cycle([made.refer(model, ".strong", to: model)])
                if isLinked, number == cycles.count - 1 {
                    let box = made.add("Box") { $0.isGarbage = true }
                    made.refer(model, ".box", to: box)
                    made.refer(box, ".player", to: player)
                }
            }
            return made.snapshot
        }
        func findings(_ snapshot: TraceSnapshot, rules: Set<LeakRule> = Set(LeakRule.allCases)) -> [LeakFinding] {
            LeakFindings(snapshot, rules: rules) { $0.trackedObject == 9 }.found
        }
        let linked = made(true, cycles: [false, false])
        #expect(findings(linked).map(\.companions) == [0, 1])
        #expect(findings(linked).last?.typesOfCompanions == ["Player"])
        let words = LeakWords(findings(linked)[1], linked, nil)
        #expect(words.companions == "It keeps 1 other that should be gone: Player.")
        // If no known cycle leads to it, the first finding lists it.
        #expect(findings(made(false, cycles: [false, false])).map(\.companions) == [1, 0])
        // A cycle that Weir breaks itself is no finding, so the object is one.
        #expect(findings(made(true, cycles: [true])).map(\.rule) == [.outlivedScope])
        #expect(findings(linked, rules: [.outlivedScope]).map(\.rule) == [.outlivedScope])
    }

    @Test func `a cycle is reported once, whichever way it takes through Weir's objects`() {
        var made = HandMadeSnapshot()
        for model in [made.add("Model"), made.add("Model")] {
            let context = made.add("closure(Model)", kind: .closure)
            let down = made.refer(context, "captures", to: model)
            let bag = made.add("DisposeBag") { $0.isInternal = true }
            let held = made.refer(model, ".bag", to: bag)
            for (number, type) in ["Observable<Int>", "Map<Int>", "Filter<Int>"].enumerated() {
                let node = made.add(type, .node(UInt32(number))) { $0.isInternal = true }
                let sink = made.add("Sink<Int>", .subscription(UInt32(number)), at: .screen(number + 1)) {
                    $0.isInternal = true
                }
                made.cycle([
                    held, made.refer(bag, ".items[\(number)]", to: node), made.refer(node, ".sinks", to: sink),
                    made.refer(sink, ".handler", to: context, function: "closure #1", at: .screen(40)), down,
                ])
            }
        }
        let found = LeakFindings(made.snapshot).found
        #expect(found.map(\.count) == [2] && found.map(\.bytes) == [352])
        #expect(found.first?.example == .cycle(0))
    }

    @Test(arguments: [("static Session.shared" as String?, Finding.Severity.note), (nil, .warning)])
    func `a cycle that a variable of the program holds is a note`(_ name: String?, _ severity: Finding.Severity) {
        var made = HandMadeSnapshot()
        let session = made.add("Session", outside: 1, by: name.map(OutsideHolder.variable))
        let screen = made.add("Screen")
        let view = made.add("View")
        made.hold(along: made.refer(session, ".screen", to: screen))
        let down = made.refer(screen, ".view", to: view)
        made.hold(along: down)
        made.cycle([down, made.refer(view, ".parent", to: screen)], isProven: false)
        let found = LeakFindings(made.snapshot).found
        #expect(found.map(\.rule) == [.heldCycle] && found.map(\.severity) == [severity])
        let lines = found.flatMap { LeakDrawing($0, in: made.snapshot).lines() }
        #expect(lines.contains { $0.contains("held permanently by static Session.shared") } == (name != nil))
    }

    /// The optimizer makes the object of a `static let` at compile time: it is never released, and may have no name.
    @Test(arguments: ["static App.shared", nil])
    func `a cycle that a static object holds is a note`(_ name: String?) {
        var made = HandMadeSnapshot()
        let app = made.add("App", outside: .max, by: name.map(OutsideHolder.variable))
        let router = made.add("Router")
        let down = made.refer(app, ".router", to: router)
        made.hold(along: down)
        made.cycle([down, made.refer(router, ".app", to: app)], isProven: false)
        let found = LeakFindings(made.snapshot).found
        #expect(found.map(\.rule) == [.heldCycle] && found.map(\.severity) == [.note])
        let text = found.flatMap { LeakDrawing($0, in: made.snapshot).lines() }.joined(separator: "\n")
        #expect(text.contains("held permanently by \(name ?? "static memory")"), "\(text)")
        #expect(!text.contains("releases it") && !text.contains("nothing"), "\(text)")
    }
}
