import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// The findings of the rules in snapshots, and how they are grouped.
struct LeakFindingsTests {
    @Test func `a thousand equal cycles are one finding`() {
        var made = HandMadeSnapshot()
        for number in 0..<1000 as Range<UInt32> {
            let cell = made.add("Cell", .object(number + 1))
            let rows = made.add("Array<Row>", kind: .storage)
            let row = made.add("Row")
            let cycle = [
                made.refer(cell, ".rows", to: rows), made.refer(rows, "[\(number)]", to: row),
                made.refer(row, ".cell", to: cell),
            ]
            // The starting point of the walk does not change the cycle.
            let start = Int(number % 3)
            made.cycle(Array(cycle[start...] + cycle[..<start]))
        }
        let findings = LeakFindings(made.snapshot)
        #expect(findings.found.count == 1)
        #expect(findings.found.first?.count == 1000)
        #expect(findings.found.first?.example == .cycle(0))
        #expect(findings.found.first?.bytes == 176_000)
        #expect(findings.overdueCount == 1000 && findings.garbageCount == 1000)
    }

    @Test func `cycles through closures of different lines are different findings`() {
        func made(_ lines: [Int]) -> TraceSnapshot {
            var made = HandMadeSnapshot()
            for line in lines {
                let model = made.add("LoginViewModel", .object(UInt32(line)))
                let touched = made.add("Observer<Void>", .node(UInt32(line)))
                made.cycle([
                    made.refer(model, ".loginTouched", to: touched),
                    made.refer(touched, ".handler", to: model, at: .login(line)),
                ])
            }
            return made.snapshot
        }
        let findings = LeakFindings(made([64, 70, 64])).found
        #expect(findings.map(\.count) == [2, 1])
        #expect(findings.map(\.remedy.site) == [.login(64), .login(70)])
        #expect(Set(findings.map(\.fingerprint)).count == 2)
        // Fingerprints stay the same when lines move.
        #expect(LeakFindings(made([94, 99, 94])).found.map(\.fingerprint) == findings.map(\.fingerprint))
        #expect(LeakFindings(made([64])).found.map(\.fingerprint) != [findings[1].fingerprint])
    }

    @Test func `a thousand screens that subscriptions hold are one finding, a warning, with the line to change`() {
        let findings = LeakFindings(HandMadeSnapshot.screens(1000).snapshot).found
        #expect(findings.map(\.rule) == [.undisposed] && findings.map(\.severity) == [.warning])
        #expect(findings.map(\.count) == [1000] && findings.map(\.bytes) == [2_048_000])
        #expect(findings.first?.remedy.kind == .dispose)
        #expect(findings.first?.remedy.site == .screen(40) && findings.first?.subscription == 1)
    }

    @Test func `a single object that only a handler holds is a note, and one that something else holds is nothing`() {
        let alone = LeakFindings(HandMadeSnapshot.screens(1).snapshot)
        #expect(alone.found.map(\.severity) == [.note] && !alone.hasFaults)
        #expect(LeakFindings(HandMadeSnapshot.screens(2, isHeldByHandlers: false).snapshot).found.isEmpty)
    }

    @Test func `what was expected to be gone is reported as that, once, unless it is garbage`() {
        let isExpected = { (object: SnapshotObject) in object.trackedObject != nil }
        let screens = LeakFindings(HandMadeSnapshot.screens(3).snapshot, isExpected: isExpected)
        #expect(screens.found.map(\.rule) == [.outlivedScope] && screens.found.map(\.severity) == [.error])
        #expect(screens.found.first?.expectation == MissedExpectation(objects: 3, deadline: .now))
        #expect(screens.overdueCount == 3 && screens.garbageCount == 0)
        let login = LeakFindings(HandMadeSnapshot.login.snapshot, isExpected: isExpected)
        #expect(login.found.map(\.rule) == [.retainCycle])
        #expect(login.found.first?.expectation == MissedExpectation(objects: 1, deadline: .now))
        #expect(LeakFindings(HandMadeSnapshot.login.snapshot).found.first?.expectation == nil)
    }

    @Test func `only the rules that are asked for are applied`() {
        #expect(LeakFindings(HandMadeSnapshot.login.snapshot, rules: [.heldCycle]).found.isEmpty)
        #expect(LeakFindings(HandMadeSnapshot.login.snapshot, rules: [.retainCycle]).found.count == 1)
    }

    @Test(arguments: [
        (".rows[3].value", ".rows[…].value"), ("captures #1", "captures #1"), (#"["a]b"].x"#, "[…].x"),
        (#"["say \"]\""]"#, "[…]"), ("[1][2]", "[…][…]"), (".open[", ".open[…]"), ("]", "]"), ("", ""),
        ("[[1]]", "[…]"),
    ])
    func `indexes and keys are left out of signatures`(_ label: String, _ normalized: String) {
        #expect(ReferenceLabel.withoutIndexes(label) == normalized)
    }

    @Test func `the least rotation is the least of all rotations`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let words = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                LeakSignature.Word(text: ["a", "b"].randomElement(using: &random) ?? "")
            }
            let all = words.indices.map { Array(words[$0...] + words[..<$0]) }
            let least = all.min { $0.lexicographicallyPrecedes($1) } ?? []
            #expect(LeakSignature.leastRotation(of: words) == least)
        }
    }

    @Test(arguments: [
        ("LoginModel", "closure #1 in LoginModel.init()", true), ("LoginModel", "closure #1 in Other.init()", false),
        ("Box<Int>", "closure #2 in closure #1 in Box.fill(_:)", true),
        ("Inner", "closure #1 in Outer.Inner.go()", true),
        ("LoginModel", "closure #1 in makeLoginModel()", false), ("LoginModel", nil, false), ("", "x in y", false),
        ("Model", "closure #1 in ViewModel.init()", false), ("go", "closure #1 in LoginModel.go()", false),
        ("Model", "closure #1 in load(into: Model.Kind)", false),
    ])
    func `a closure captures self only where its name says so`(_ type: String, _ function: String?, _ isSelf: Bool) {
        #expect(StrongCapture.standsIn(type, function: function) == isSelf)
    }

    @Test
    func `a long list of what should be gone is one finding, and long ways take no longer to judge than short ones`() {
        var made = HandMadeSnapshot()
        var last = made.add("Store", outside: 1)
        for number in 1...2000 as ClosedRange<UInt32> {
            let entry = made.add("Entry", .object(number)) { $0.isHeldByHandlersOnly = true }
            made.hold(along: made.refer(last, number == 1 ? ".first" : ".next", to: entry))
            last = entry
        }
        let chain = LeakFindings(made.snapshot) { $0.trackedObject != nil }.found.filter { $0.rule == .outlivedScope }
        #expect(chain.map(\.count) == [1] && chain.map(\.companions) == [1999])
        // Nothing was expected to be gone: each object is reported with its own path.
        let held = LeakFindings(made.snapshot).found
        #expect(held.allSatisfy { $0.rule == .undisposed } && held.reduce(0) { $0 + $1.count } == 2000)
    }

    @Test func `places that lead nowhere, and ways without an end, harm nothing`() {
        var snapshot = TraceSnapshot()
        snapshot.objects = [SnapshotObject(kind: .instance, type: "A"), SnapshotObject(kind: .instance, type: "B")]
        snapshot.references = [
            SnapshotReference(source: 0, target: 1, label: ".b"), SnapshotReference(source: 1, target: 0, label: ".a"),
            SnapshotReference(source: 7, target: 9, label: ".x"),
        ]
        (snapshot.objects[0].holder, snapshot.objects[1].holder) = (1, 0)
        snapshot.objects[0].identity = .object(1)
        snapshot.cycles = [
            SnapshotCycle(references: [], isProven: true, componentObjects: 0, componentBytes: 0),
            SnapshotCycle(references: [2, 80], isProven: true, componentObjects: 2, componentBytes: 0),
        ]
        #expect(snapshot.way(to: 0).count == 2)
        let findings = LeakFindings(snapshot) { $0.trackedObject != nil }
        #expect(findings.found.map(\.rule) == [.outlivedScope])
    }

    @Test func `cycles of nodes and subscriptions that something holds are notes, and Weir's own are nothing`() {
        func findings(through type: String, isProven: Bool, _ handler: TraceSite?) -> [LeakFinding] {
            var made = HandMadeSnapshot()
            let source = made.add("Observable<Int>", .node(1), outside: 1) { $0.isInternal = true }
            let sink = made.add("EdgeSink<Int>", .subscription(1), at: .screen(40)) { $0.isInternal = true }
            let other = made.add(type) { $0.isInternal = type != "Screen" }
            made.cycle(
                [
                    made.refer(source, ".subscriptions[0]", to: sink),
                    made.refer(sink, ".handler", to: other, at: handler),
                    made.refer(other, ".strong", to: source),
                ], isProven: isProven)
            return LeakFindings(made.snapshot).found
        }
        #expect(findings(through: "Relay", isProven: false, .screen(40)).map(\.severity) == [.note])
        #expect(findings(through: "Relay", isProven: false, .screen(40)).map(\.remedy.kind) == [.dispose])
        #expect(findings(through: "Relay", isProven: true, .screen(40)).map(\.severity) == [.error])
        #expect(findings(through: "Screen", isProven: false, .screen(40)).map(\.severity) == [.warning])
        #expect(findings(through: "InputCell<Int>", isProven: false, nil).isEmpty)
        #expect(findings(through: "InputCell<Int>", isProven: true, nil).isEmpty)
        // With a closure of the program in the cycle, it is the program's.
        #expect(findings(through: "InputCell<Int>", isProven: true, .screen(40)).map(\.severity) == [.error])
    }

    @Test func `a cycle that outlived its scope is reported once`() {
        var made = HandMadeSnapshot()
        let screen = made.add("Screen", .object(1), outside: 1)
        let view = made.add("View")
        made.cycle([made.refer(screen, ".view", to: view), made.refer(view, ".screen", to: screen)], isProven: false)
        #expect(LeakFindings(made.snapshot).found.map(\.rule) == [.heldCycle])
        #expect(LeakFindings(made.snapshot) { $0.trackedObject == 1 }.found.map(\.rule) == [.outlivedScope])
    }

    @Test func `a cycle that a weak reference reaches, also through other garbage, is not proven`() {
        func finding(weakTo reached: String?, isExpected: Bool = false) -> (LeakFinding, String) {
            var made = HandMadeSnapshot()
            let weakly = { (type: String) in
                { (object: inout SnapshotObject) in
                    object.isWeaklyReferenced = type == reached
                }
            }
            let entry = made.add("Entry", change: weakly("Entry"))
            let screen = made.add("Screen", .object(1), change: weakly("Screen"))
            let view = made.add("View")
            made.refer(entry, ".screen", to: screen)
            made.cycle([made.refer(screen, ".view", to: view), made.refer(view, ".screen", to: screen)])
            var snapshot = made.snapshot
            snapshot.objects[entry].isGarbage = true
            let found = LeakFindings(snapshot) { isExpected && $0.trackedObject != nil }.found
            return (found[0], LeakDrawing(found[0], in: snapshot).lines().joined(separator: "\n"))
        }
        let (proven, provenText) = finding(weakTo: nil)
        #expect(proven.severity == .error && proven.weakEntry == nil)
        #expect(provenText.contains("proven: nothing outside holds them") && !provenText.contains("weak reference"))
        for reached in ["Screen", "Entry"] {
            let (found, text) = finding(weakTo: reached)
            #expect(found.rule == .retainCycle && found.severity == .warning && found.weakEntry != nil, "\(text)")
            #expect(text.contains("not proven: only weak references reach them from outside"), "\(text)")
            #expect(text.contains("A weak reference from elsewhere still reaches \(reached)"), "\(text)")
            #expect(finding(weakTo: reached, isExpected: true).0.severity == .error, "it should be gone")
        }
    }

    @Test func `objects that a snapshot has no room for count with the others of their type`() {
        var definitions = TraceDefinitions()
        for (id, type) in [(1, "Screen"), (2, "Model"), (3, "Screen"), (4, "Model"), (5, "Player")]
            as [(UInt32, String)]
        {
            definitions.objects[id] = TraceObject(id: id, type: type)
        }
        func omitted(_ id: UInt32, _ type: String) -> LeakInstance {
            var instance = LeakInstance(
                rule: .outlivedScope, signature: LeakSignature([.init(text: type)]), example: .tracked(id))
            instance.expected = [id]
            return instance
        }
        func shown(_ id: UInt32, by holder: String, with companion: UInt32?) -> LeakInstance {
            var instance = LeakInstance(
                rule: .outlivedScope, signature: LeakSignature([.init(text: holder)]), example: .object(Int(id)))
            instance.expected = [id]
            if let companion { instance.add(LeakCompanion(id: companion, type: "Model", isLate: false)) }
            return instance
        }
        var instances = [
            shown(1, by: "Session", with: 2), omitted(3, "Screen"), omitted(4, "Model"), omitted(5, "Player"),
        ]
        OmittedObjects.assign(in: &instances, definitions)
        let groups = LeakGroup.all(instances)
        #expect(groups.map(\.count) == [2, 1], "the two screens, and the player, whose type no finding shows")
        #expect(groups.map(\.companions) == [2, 0])
        #expect(groups[0].expected == [1, 3] && groups[0].typesOfCompanions == ["Model"])

        definitions.objects[6] = TraceObject(id: 6, type: "Screen")
        instances = [shown(1, by: "Session", with: nil), shown(6, by: "Cache", with: nil), omitted(3, "Screen")]
        OmittedObjects.assign(in: &instances, definitions)
        #expect(LeakGroup.all(instances).map(\.count) == [1, 1, 1], "two causes: that of the third is unknown")
    }
}
