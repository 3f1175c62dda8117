import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Many small programs with planted faults: the rules find exactly what was planted.
    @Suite struct RedundancyCorpusTests {
        /// Each program is recorded once, by the first test.
        private nonisolated(unsafe) static let answers = Result {
            try Corpus.programs.map { ($0, try CorpusAnswer(to: $0)) }
        }

        @Test func `The rules find what was planted in the corpus, and nothing else`() throws {
            var score = CorpusScore()
            for (program, answer) in try Self.answers.get() {
                score.count(found: answer.finds, planted: program.finds)
                let name = Comment(rawValue: program.name)
                #expect(answer.finds.lines == program.finds.lines, name)
                #expect(answer.unjudged.lines == program.unjudged.lines, name)
                #expect(
                    answer.refreshes == program.refreshes.all, "\(program.name), called \(answer.calledLines)")
                #expect(answer.redundant == program.refreshes.redundant, name)
            }
            print("\(Corpus.programs.count) programs\n\(score)")
            #expect(score.isPerfect)
        }

        @Test func `The findings in the corpus have the severity, the remedy and the cause of their definition`() throws
        {
            var figures = NaiveFindings.Figures()
            for (program, answer) in try Self.answers.get() {
                let findings = Findings(answer.pass, answer.definitions)
                figures.add(findings)
                let differences = NaiveFindings.differences(findings, answer.naiveRules)
                #expect(differences == [], Comment(rawValue: program.name))
            }
            print(figures)
        }

        @Test func `Seven of eight remedies in the corpus can be computed for every turn`() throws {
            var (all, complete) = (0, 0)
            var reasons: [String: Int] = [:]
            for (_, answer) in try Self.answers.get() {
                let remedies = Findings(answer.pass, answer.definitions).found.compactMap(\.remedy)
                let outcomes = WhatIf(answer.reader, Topology(answer.definitions), remedies: remedies).outcomes
                for (remedy, outcome) in zip(remedies, outcomes) {
                    all += 1
                    if outcome.isComplete { complete += 1 }
                    let reason = outcome.isComputable ? outcome.uncomputed.first?.reason.rawValue : "no figures"
                    if let reason { reasons["\(remedy.kind.rawValue): \(reason)", default: 0] += 1 }
                }
            }
            let others = reasons.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
            print("what-if: \(complete) of \(all) remedies of the corpus computed; otherwise: \(others)")
            #expect(complete * 8 >= all * 7)
        }

        @Test func `The corpus holds what it promises`() {
            let programs = Corpus.programs
            #expect(programs.count >= 48)
            #expect(Set(programs.map(\.name)).count == programs.count, "each has a name of its own")
            for rule in RedundancyRule.allCases {
                let planted = programs.filter { $0.finds.contains { $0.rule == rule && $0.intention == nil } }
                #expect(planted.count >= 2, "\(rule)")
                let declared = programs.filter { $0.finds.contains { $0.rule == rule && $0.intention != nil } }
                #expect(!declared.isEmpty, "\(rule)")
            }
            #expect(programs.contains { $0.finds.isEmpty })
        }
    }
}

/// The findings in a program.
private struct CorpusAnswer {
    var finds: [Program.Planted]
    var unjudged: [Program.Unjudged]
    var refreshes: UInt64
    var redundant: UInt64
    let calledLines: [String]
    let reader: TraceReader
    let pass: RedundancyPass
    let definitions: TraceDefinitions

    /// The rules as their page defines them, applied to the same trace.
    var naiveRules: NaiveRules {
        var events: [TraceEvent] = []
        reader.forEachEvent {
            events.append($0)
            return true
        }
        return NaiveRules(
            NaiveInterpreter(events, definitions), ticksPerSecond: reader.header.ticksPerSecond,
            options: RedundancyOptions())
    }

    init(to program: Program) throws {
        let file = try TemporaryTrace()
        try Self.run(program, recordingTo: file.path)
        reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        pass = RedundancyPass(reader, topology)
        #expect(reader.damage.isEmpty, Comment(rawValue: program.name))
        let definitions = topology.definitions
        self.definitions = definitions
        calledLines = reader.calledLines(definitions)
        let name = definitions.name(ofNode:)
        // Findings from instances of one line are one finding.
        finds = Dictionary(grouping: pass.tallies) { tally in
            let site = definitions.subscriptions[tally.subscription]?.site.map { "\($0)" } ?? ""
            return "\(tally.rule) \(name(tally.node)) \(site)"
        }.values.map { same in
            let intention = definitions.intentions[same[0].node]?.first { $0.rule == same[0].rule.rawValue }
            return .init(
                same[0].rule, name(same[0].node), count: same.map(\.count).reduce(0, +), meantSo: intention?.reason)
        }
        unjudged = pass.unjudged.map { .init($0.rule, name($0.node), $0.reason, count: $0.count) }
        (refreshes, redundant) = (pass.refreshes, pass.redundantRefreshes)
    }

    private static func run(_ program: Program, recordingTo path: String) throws {
        let scene = Scene(recordingTo: path, values: program.values)
        defer {
            Trace.stop()
            scene.end()
        }
        if !program.isRecordedLate { try scene.record() }
        try program.body(scene)
    }
}

/// The number of correct findings, and of expected findings that were found.
struct CorpusScore: CustomStringConvertible {
    private struct Line {
        var found = 0
        var planted = 0
        var hits = 0

        var isPerfect: Bool { found == hits && planted == hits }

        var text: String {
            "precision \(share(of: found)), recall \(share(of: planted))"
        }

        private func share(of whole: Int) -> String {
            whole == 0 ? "- (0 of 0)" : "\(hits * 100 / whole) % (\(hits) of \(whole))"
        }
    }

    private var total = Line()
    private var rules: [RedundancyRule: Line] = [:]

    var isPerfect: Bool { total.isPerfect }

    mutating func count(found: [Program.Planted], planted: [Program.Planted]) {
        var missing = planted
        for finding in found {
            let place = missing.firstIndex(of: finding)
            if let place { missing.remove(at: place) }
            add(finding.rule) {
                $0.found += 1
                if place != nil { $0.hits += 1 }
            }
        }
        for finding in planted { add(finding.rule) { $0.planted += 1 } }
    }

    private mutating func add(_ rule: RedundancyRule, _ change: (inout Line) -> Void) {
        change(&total)
        change(&rules[rule, default: Line()])
    }

    var description: String {
        let lines = RedundancyRule.allCases.map { "\($0.rawValue): \((rules[$0] ?? Line()).text)" }
        return (lines + [total.text]).joined(separator: "\n")
    }
}

extension Array where Element: CustomStringConvertible {
    /// One line for each element, in a deterministic order.
    fileprivate var lines: [String] { map(\.description).sorted() }
}
