import Foundation
import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension Everything {
    /// Each remedy for redundant work, applied as worded: the finding goes, none comes, and `--what-if` knew the figures.
    @Suite struct RedundancyRemedyTests {
        @Test func `Each remedy cures its finding, brings no other one, and saves what was predicted`() throws {
            var score = Score()
            for program in RemedyPrograms.all {
                let name = Comment(rawValue: program.name)
                let (ill, cured) = (try Outcome(of: program, isCured: false), try Outcome(of: program, isCured: true))
                guard let primary = ill.primary(program.finding) else {
                    Issue.record("\(program.name): \(program.finding) is missing in \(ill.reported)")
                    continue
                }
                let reported = ill.found.filter {
                    ill.remedy($0) != ill.remedy(program.finding) && !program.besides.contains($0)
                }
                #expect(reported.isEmpty, "\(program.name): \(ill.reported)")
                #expect(primary.remedy.kind == program.remedy, name)
                #expect(primary.text == program.says, name)
                let claimed = Set(ill.found.filter { ill.remedy($0) == ill.remedy(program.finding) } + primary.others)
                let left = cured.found.filter { claimed.contains($0) }
                #expect(left.isEmpty, "\(program.name): \(left) remain")
                let new = cured.found.filter {
                    !claimed.contains($0) && !program.leaves.contains($0.rule) && !program.besides.contains($0)
                }
                #expect(new.isEmpty, "\(program.name): \(new) are new")
                #expect(cured.notes.isSuperset(of: cured.found.filter { !program.besides.contains($0) }), name)
                if program.showsSame { #expect(ill.shown == cured.shown, name) }
                let predicted = primary.prediction
                #expect(predicted.answer == program.prediction, "\(program.name): \(predicted.answer)")
                if predicted.answer == .exact, program.isPredictedAsWorded {
                    var expected = cured.figures.counts(without: program.addedEvaluations)
                    // How much of the handler's work is moved, no trace shows.
                    if primary.remedy.kind == .lightenHandler {
                        #expect(cured.figures.handlerTicks < predicted.handlerTicks, name)
                        expected["handler time"] = predicted.handlerTicks
                    }
                    #expect(predicted.counts() == expected, "\(program.name), called \(ill.calledLines)")
                }
                score.count(predicted.answer)
            }
            print("\(RemedyPrograms.all.count) remedies for redundant work: \(score)")
            #expect(score.none * 10 <= RemedyPrograms.all.count, "more than a tenth has no prediction")
        }

        @Test func `A remedy that would not cure is not given`() throws {
            for program in GlitchRemedies.withoutRemedy {
                let file = try TemporaryTrace()
                let scene = Scene(recordingTo: file.path, values: .scalars)
                try scene.record()
                program.body(scene)
                Trace.stop()
                scene.end()
                let reader = try TraceReader(path: file.path)
                let definitions = try reader.definitions()
                let findings = Findings(RedundancyPass(reader, Topology(definitions)), definitions).found
                let finding = findings.first {
                    $0.rule == program.finding.rule && definitions.name(ofNode: $0.node) == program.finding.node
                }
                #expect(finding != nil && finding?.remedy == nil, Comment(rawValue: program.name))
            }
        }

        @Test(arguments: [false, true]) func `removeDuplicates for values of events has a condition`(isOfState: Bool)
            throws
        {
            let file = try TemporaryTrace()
            let scene = Scene(recordingTo: file.path, values: .scalars)
            try scene.record()
            let (pull, pulls) = (Emitter<Int>(), Observable(0))
            let asked: Signal<String> = isOfState ? pulls.current.map { _ in "" } : pull.map { _ in "" }.startWith("")
            let answers = Observable(0)
            let city = Observable("Ulm")
            scene.name("asked", asked).combineLatest(city.current) { $1 }.flatMap(.latest) { _ in
                answers.modify { $0 += 1 }
                return answers.current
            }.subscribe { scene.show($0, on: "report") }.disposed(by: scene.bag)
            scene.act("go") { city.value = "Bonn" }
            scene.act("pull") { if isOfState { pulls.value = 1 } else { pull.emit(1) } }
            Trace.stop()
            scene.end()
            let reader = try TraceReader(path: file.path)
            let definitions = try reader.definitions()
            let findings = Findings(RedundancyPass(reader, Topology(definitions)), definitions)
            let remedies = findings.found.compactMap(\.remedy).filter { $0.kind == .removeDuplicates }
            #expect(!remedies.isEmpty, "\(findings.found.map { ($0.rule, $0.isNormal, $0.remedy?.kind) })")
            #expect(remedies.contains { $0.isOfEvents } == !isOfState, "\(findings.found.map { ($0.rule, $0.node) })")
        }

        @Test func `The programs cover each kind of remedy`() {
            let programs = RemedyPrograms.all
            #expect(programs.count >= 60)
            #expect(Set(programs.map(\.name)).count == programs.count, "each has a name of its own")
            #expect(Set(programs.map(\.remedy)) == Set(Remedy.Kind.allCases))
            // Fewer requests than cancelled ones may be wanted: only the program knows.
            #expect(Set(programs.map(\.finding.rule)) == Set(RedundancyRule.allCases).subtracting([.cancelledRequest]))
        }
    }
}

/// How many predictions were exact, and how many said that they cannot tell.
private struct Score: CustomStringConvertible {
    private var exact = 0
    private var partial = 0
    private(set) var none = 0

    mutating func count(_ prediction: RemedyProgram.Prediction) {
        switch prediction {
        case .exact: exact += 1
        case .partial: partial += 1
        case .none: none += 1
        }
    }

    var description: String {
        "\(exact) predicted exactly, \(partial) in part, \(none) without a prediction"
    }
}

/// The findings in a recording of a program, and the effect of their remedies.
private struct Outcome {
    struct Primary {
        let remedy: Remedy
        let text: String
        /// The findings that the same remedy cures.
        let others: [RemedyProgram.Found]
        let prediction: WhatIf.Outcome
    }

    /// A change that cures several findings.
    struct Change: Equatable {
        let kind: Remedy.Kind
        let nodes: [UInt32]
        let subscriptions: [UInt32]

        init(_ remedy: Remedy) { (kind, nodes, subscriptions) = (remedy.kind, remedy.nodes, remedy.subscriptions) }
    }

    /// The findings that a report lists, except the normal ones.
    let found: [RemedyProgram.Found]
    let notes: Set<RemedyProgram.Found>
    /// The findings with a remedy, as text.
    let reported: [String]
    let figures: WhatIf.Outcome
    let shown: [String: String]
    let calledLines: [String]
    private var primaries: [RemedyProgram.Found: Primary] = [:]

    init(of program: RemedyProgram, isCured: Bool) throws {
        let file = try TemporaryTrace()
        let scene = Scene(recordingTo: file.path, values: program.values, clock: VirtualClock(step: 0))
        try Self.run(program, scene, isCured)
        shown = scene.shown
        let reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        let definitions = topology.definitions
        calledLines = reader.calledLines(definitions)
        let findings = Findings(RedundancyPass(reader, topology), definitions)
        #expect(reader.damage.isEmpty, Comment(rawValue: program.name))
        func key(_ finding: Finding) -> RemedyProgram.Found {
            .init(rule: finding.rule, node: definitions.name(ofNode: finding.node))
        }
        let listed = findings.found.filter { !$0.isNormal }
        // The evaluations that another finding's remedy leaves are normal conditions by themselves.
        found = listed.filter { $0.primary == nil }.map(key)
        notes = Set(listed.filter { $0.severity == .note }.map(key))
        let evidence = Evidence.all(of: listed.flatMap(\.shownEvents), in: reader)
        let lines = FindingLines(
            definitions: definitions, timeScale: TimeScale(reader.header), style: .plain,
            frame: RedundancyOptions().frame
        ) { evidence[$0] }
        reported = listed.filter { $0.primary == nil }.map { "\(key($0)): \(lines.remedy($0) ?? "no remedy")" }
        figures = WhatIf(reader, topology, remedies: []).recorded
        for finding in listed {
            guard let remedy = finding.remedy, let text = lines.remedy(finding) else { continue }
            primaries[key(finding)] = Primary(
                remedy: remedy, text: text.withoutLines, others: findings.others(of: finding).map(key),
                prediction: WhatIf(reader, topology, remedies: [remedy]).outcomes[0])
        }
    }

    private static func run(_ program: RemedyProgram, _ scene: Scene, _ isCured: Bool) throws {
        defer {
            Trace.stop()
            scene.end()
        }
        try scene.record()
        try program.body(scene, isCured)
    }

    func remedy(_ finding: RemedyProgram.Found) -> Change? { primaries[finding].map { Change($0.remedy) } }

    func primary(_ finding: RemedyProgram.Found) -> Primary? { primaries[finding] }
}

extension WhatIf.Outcome {
    fileprivate var answer: RemedyProgram.Prediction {
        guard isComputable else { return .none }
        return uncomputed.first.map { .partial($0.reason) } ?? .exact
    }

    fileprivate func counts(without evaluations: UInt64 = 0) -> [String: UInt64] {
        [
            "refreshes": refreshes, "handler time": handlerTicks, "evaluations": self.evaluations - evaluations,
            "runs of sources": sourceRuns,
        ]
    }
}
