import Foundation
import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// Measures recordings of the samples, and compares with what is counted by following each event's causes back.
@Suite(.timeLimit(.minutes(15))) struct BudgetTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func record(_ sample: String, _ arguments: [String]) throws -> TraceReader {
        let path = folder("\(sample).weir")
        let environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual"]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return try TraceReader(path: path)
    }

    private static func findings(_ measures: Measures) -> TraceFindings {
        TraceFindings(redundancy: [], leaks: [], found: [], omitted: 0, measures: measures, mentionedFiles: [])
    }

    @Test(arguments: [
        ("login", ["published"]), ("login", ["cured"]), ("dice", []), ("travel", []), ("form", []), ("lookup", []),
    ])
    func `refreshes by a stimulus and values of a turn are those that the causes tell`(
        _ sample: String, _ arguments: [String]
    ) throws {
        let reader = try record(sample, arguments)
        let definitions = try reader.definitions()
        var events: [EventID: TraceEvent] = [:]
        var order: [TraceEvent] = []
        reader.forEachEvent { (event: TraceEvent) in
            events[event.id] = event
            order.append(event)
            return true
        }
        var refreshes: [[UInt64]: Double] = [:]
        var turns: [EventID: Double] = [:]
        for event in order {
            var root = event
            while let cause = root.cause, let next = events[cause] { root = next }
            if event.kind == .deliveryBegan || event.kind == .deliveryNext, event.subject != 0, !event.deliversEnd,
                definitions.subscriptions[event.subject]?.isInternal == false
            {
                refreshes[[UInt64(event.subject), UInt64(root.id.thread), root.id.sequence], default: 0] += 1
            }
            guard event.kind == .emitted, !event.isReplayed else { continue }
            var turn = event
            while turn.kind != .hopBegan, let cause = turn.cause, let next = events[cause], next.kind != .stimulusBegan
            {
                turn = next
            }
            turns[turn.id, default: 0] += 1
        }
        let measures = Measures(of: reader, Topology(definitions)).all
        let perStimulus = measures.filter { $0.metric == .refreshesPerStimulus }
        #expect(perStimulus.map(\.value).max() == refreshes.values.max())
        // Each subscription alone, too.
        for (subscription, values) in Dictionary(grouping: refreshes, by: { UInt32($0.key[0]) }) {
            let known = try #require(definitions.subscriptions[subscription])
            let name = definitions.name(ofNode: known.source)
            let measured = perStimulus.filter { $0.subject.names.first == name && $0.subject.site == known.site }
            #expect(measured.map(\.value).max() ?? 0 >= values.map(\.value).max() ?? 0, "\(name)")
        }
        let turn = measures.first { $0.metric == .emissionsPerTurn && $0.subject.names.isEmpty }
        #expect(turn?.value == turns.values.max())
    }

    @Test func `a budget is exceeded above its limit only, and the last one that applies counts`() throws {
        let reader = try record("login", ["published"])
        let topology = Topology(try reader.definitions())
        var measures = Measures()
        measures.take(Measures(of: reader, topology), trace: 0)
        let most = try #require(
            measures.all.filter {
                $0.metric == .refreshesPerStimulus && $0.subject.names[0] == "LoginViewModel.instruction"
            }
            .map(\.value).max())
        func violations(_ budgets: String) throws -> [String] {
            let policy = try Policy(json: #"{"version": 1, "budgets": [\#(budgets)]}"#)
            var table = CheckTable<String>()
            table.take(Self.findings(measures), stories: [], at: 0)
            let verdict = CheckVerdict(
                table, policy, Baseline(), day: "2026-11-24", paths: { [$0.file] },
                story: { measure, limit in FindingStory(measure, limit: limit, nil, TraceDefinitions()).headline })
            return verdict.failures.map(\.entry.story)
        }
        let all = #"{"refreshesPerStimulus": 0}"#
        let name = #""nodes": ["LoginViewModel.instruction"]"#
        #expect(try violations("{\(name), \"refreshesPerStimulus\": \(Int(most))}") == [])
        #expect(
            try violations("{\(name), \"refreshesPerStimulus\": \(Int(most) - 1)}") == [
                "LoginViewModel.instruction refreshed a handler \(Int(most)) times in one stimulus; the budget is \(Int(most) - 1)"
            ])
        let others = try violations(all)
        #expect(others.count > 1)
        #expect(try violations(all + ", {\(name), \"refreshesPerStimulus\": 1000}").count == others.count - 1)
        #expect(try violations(#"{"owners": ["NoSuchModel"], "refreshesPerStimulus": 0}"#) == [])
        #expect(try violations(#"{"files": ["LoginView.swift"], "refreshesPerStimulus": 0}"#).count > 1)
    }

    @Test func `the policy of a run passes on that run`() throws {
        let reader = try record("login", ["published"])
        let topology = Topology(try reader.definitions())
        let measures = Measures(of: reader, topology)
        let policy = Policy(budgetsOf: measures, headRoom: 0)
        #expect(try Policy(json: policy.json.indentedText) == policy && policy.budgets.count > 3)
        var table = CheckTable<String>()
        table.take(Self.findings(measures), stories: [], at: 0)
        let verdict = CheckVerdict(
            table, policy, Baseline(), day: "2026-11-24", paths: { [$0.file] }, story: { _, _ in "" })
        #expect(verdict.items.isEmpty)
    }

    @Test func `a policy with head room allows a little redundancy, also after a run without any`() {
        func limit(redundant: UInt64, _ headRoom: Double) -> Double? {
            var measures = Measures()
            (measures.refreshes, measures.redundantRefreshes) = (100, redundant)
            return Policy(budgetsOf: measures, headRoom: headRoom).budgets.first?.limits[.redundantPercent]
        }
        #expect(limit(redundant: 0, 0.25) == 5 && limit(redundant: 0, 0) == 0)
        #expect(limit(redundant: 40, 0.25) == 50 && limit(redundant: 90, 0.25) == 100)
    }
}
