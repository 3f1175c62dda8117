import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

/// The one-pass rules of redundancy, compared with their definitions applied to the whole list of events each time.
@Suite struct RedundancyOracleTests {
    private static let flows = Task(priority: .high) {
        try await RecorderTurn.take { try Repeats.seeds(60).map { try RandomProgram(flowSeed: $0) } }
    }

    /// A turn that does not settle.
    private static let restless = Task(priority: .high) {
        try await RecorderTurn.take {
            try RandomProgram(seed: 0, values: .scalars, clock: VirtualClock()) {
                let number = Observable(0)
                let low = Combiner(0, strategy: .settled), high = Combiner(0, strategy: .settled)
                low.combine(number, high) { $0 + $1 }
                high.combine(low) { $0 + 1 }
                low.subscribe { _ in }
                number.value = 1
                withExtendedLifetime((low, high)) {}
            }
        }
    }

    private static func programs() async throws -> [(name: String, program: RandomProgram)] {
        try await OracleTests.programs().map { ("seed \($0.seed)", $0) }
            + flows.value.map { ("flow \($0.seed)", $0) } + [("restless", restless.value)]
    }

    @Test func `every rule counts what its definition counts, in hundreds of random programs`() async throws {
        var counted: [RedundancyRule: Int] = [:]
        var unjudged: [String: Int] = [:]
        var (evaluations, noops, intended, events) = (0 as UInt64, 0 as UInt64, 0, 0)
        var faults: [String] = []
        for (name, program) in try await Self.programs() {
            let definitions = Self.altered(program)
            let expected = Self.rules(program, definitions, RedundancyOptions())
            events += program.events.count
            for (subject, tally) in expected.tallies { counted[subject.rule, default: 0] += Int(tally.count) }
            for (limitation, count) in expected.unjudged {
                unjudged["\(limitation.rule.rawValue): \(limitation.reason.rawValue)", default: 0] += Int(count)
            }
            evaluations += expected.totals.evaluations
            noops += expected.totals.noopEvaluations
            intended += definitions.intentions.count
            faults += Self.differences(program, definitions, expected, RedundancyOptions()).map { "\(name): \($0)" }
        }
        print("Over \(events) events the rules count", counted.map { "\($0.key.rawValue) \($0.value)" }.sorted())
        print("They cannot judge", unjudged.map { "\($0.key) \($0.value)" }.sorted())
        print("Of \(evaluations) evaluations \(noops) gave an equal value; \(intended) nodes have intentions")
        for rule in RedundancyRule.allCases {
            // A signal fails once at most, and few programs have requests.
            let isRare =
                [.unhandledFailure, .staleResponse, .repeatedRequest, .cancelledRequest, .repeatedSource].contains(
                    rule)
            let least = isRare ? 1 : 15
            #expect(counted[rule, default: 0] > least, "\(rule) hardly ever fires")
        }
        #expect(unjudged.count >= 8, "hardly anything cannot be judged")
        #expect(noops > 30 && evaluations > noops && intended > 6)
        Self.tell(faults)
    }

    @Test func `each finding has the severity, the remedy and the cause of its definition`() async throws {
        var faults: [String] = []
        var figures = NaiveFindings.Figures()
        for (name, program) in try await Self.programs() {
            let definitions = Self.altered(program)
            let rules = Self.rules(program, definitions, RedundancyOptions())
            let pass = RedundancyPass(program.reader, Topology(definitions))
            let findings = Findings(pass, definitions)
            figures.add(findings)
            faults += NaiveFindings.differences(findings, rules).map { "\(name): \($0)" }
        }
        // Some are open: the causes of bursts that several nodes wrote, glitches of nodes that settle, and once in many runs, as
        // threads meet in other orders, a vain evaluation. In the corpus there is none.
        print(figures, "\(faults.count) open differences", faults.joined(separator: "\n"), separator: "\n")
        #expect(faults.count * 25 <= figures.findings)
    }

    @Test func `every rule counts what its definition counts, with short and long frames and with few rules`()
        async throws
    {
        var random = SeededGenerator(seed: 5)
        var faults: [String] = []
        for (name, program) in try await Self.programs() where program.seed % 2 == 1 {
            var options = RedundancyOptions()
            options.frame = [0, 300, 2000, 9000, 60_000, 10_000_000_000].randomElement(using: &random)!
            if Bool.random(using: &random) {
                options.rules = options.rules.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            }
            let definitions = Self.altered(program)
            let expected = Self.rules(program, definitions, options)
            faults += Self.differences(program, definitions, expected, options).map {
                "\(name), frame \(options.frame), \(options.rules.map(\.rawValue).sorted()): \($0)"
            }
        }
        Self.tell(faults)
    }

    @Test func `a pass keeps only the first of the events that a rule counts, and by itself none`() async throws {
        for (name, program) in try await Self.programs() {
            let topology = Topology(program.definitions)
            let all = RedundancyPass(program.reader, topology, keeping: .max, reporting: nil)
            let few = RedundancyPass(program.reader, topology, keeping: 2, reporting: nil)
            let none = RedundancyPass(program.reader, topology)
            for (place, tally) in all.tallies.enumerated() {
                #expect(UInt64(tally.occurrences.count) == tally.count, "\(name): \(tally)")
                #expect(few.tallies[place].occurrences == Array(tally.occurrences.prefix(2)))
                #expect(none.tallies[place].occurrences.isEmpty)
            }
        }
    }

    /// The definitions of a program; some programs also get owners of subscriptions, intentions, and threads that
    /// alternate between the main queue and an actor.
    private static func altered(_ program: RandomProgram) -> TraceDefinitions {
        var definitions = program.definitions
        guard program.seed % 4 == 1 else { return definitions }
        var random = SeededGenerator(seed: program.seed)
        let objects = definitions.objects.keys.sorted()
        for id in definitions.subscriptions.keys.sorted() where Bool.random(using: &random) {
            definitions.subscriptions[id]?.owner = objects.randomElement(using: &random)
        }
        for thread in Set(program.events.map(\.id.thread)).sorted() {
            var runner = thread
            for id in program.events.map(\.id)
            where id.thread == thread && Int.random(in: 0..<6, using: &random) == 0 {
                let next = [thread, 1, 100].filter { $0 != runner }.randomElement(using: &random)!
                runner = next
                definitions.executorSpans[thread, default: []].append(
                    ExecutorSpan(sequence: id.sequence, number: next))
            }
        }
        for node in definitions.nodes.keys.sorted() where Int.random(in: 0..<4, using: &random) == 0 {
            let rule = RedundancyRule.allCases.randomElement(using: &random)!
            definitions.intentions[node] = [TraceIntention(node: node, rule: rule.rawValue, reason: "so")]
        }
        return definitions
    }

    private static func rules(
        _ program: RandomProgram, _ definitions: TraceDefinitions, _ options: RedundancyOptions
    ) -> NaiveRules {
        NaiveRules(
            NaiveInterpreter(program.events, definitions),
            ticksPerSecond: program.reader.header.ticksPerSecond, options: options)
    }

    /// All differences between the pass and the definitions.
    private static func differences(
        _ program: RandomProgram, _ definitions: TraceDefinitions, _ expected: NaiveRules,
        _ options: RedundancyOptions
    ) -> [String] {
        let pass = RedundancyPass(
            program.reader, Topology(definitions), options: options, keeping: .max, reporting: nil,
            blockCapacity: program.seed % 2 == 0 ? 16_384 : 1 + Int(program.seed % 7))
        var faults: [String] = []
        var found: [NaiveRules.Subject: NaiveRules.Tally] = [:]
        for tally in pass.tallies {
            let subject = NaiveRules.Subject(rule: tally.rule, node: tally.node, subscription: tally.subscription)
            if found[subject] != nil { faults.append("\(subject) has two tallies") }
            found[subject] = NaiveRules.Tally(
                count: tally.count, refreshes: tally.refreshes, wastedTicks: tally.wastedTicks,
                first: expected.naive.position(of: tally.example),
                positions: tally.occurrences.compactMap(expected.naive.position).sorted(),
                unsettled: tally.unsettled, threads: tally.threads, handlers: tally.handlers,
                request: tally.request, inLoop: tally.inLoop, returned: tally.returned,
                stale: tally.stale)
        }
        /// For a cold node, the pass learns the run with the first delivery, so its first event may be another thread's.
        func compared(_ tally: NaiveRules.Tally?, _ subject: NaiveRules.Subject) -> NaiveRules.Tally? {
            var tally = tally
            tally?.positions.sort()
            if !expected.isHot(subject.node), subject.subscription == 0 {
                tally?.first = nil
                tally?.positions = []
            }
            return tally
        }
        for subject in Set(found.keys).union(expected.tallies.keys)
        where compared(found[subject], subject) != compared(expected.tallies[subject], subject) {
            faults.append(
                "\(subject) (\(definitions.name(ofNode: subject.node))): the pass has \(reported(found[subject], program)),"
                    + " the definition gives \(reported(expected.tallies[subject], program))")
        }
        var unjudged: [NaiveRules.Limitation: UInt64] = [:]
        for tally in pass.unjudged {
            let limitation = NaiveRules.Limitation(rule: tally.rule, node: tally.node, reason: tally.reason)
            if unjudged[limitation] != nil { faults.append("\(limitation) is reported twice") }
            unjudged[limitation] = tally.count
        }
        for limitation in Set(unjudged.keys).union(expected.unjudged.keys)
        where unjudged[limitation] != expected.unjudged[limitation] {
            faults.append(
                "\(limitation.rule.rawValue) at node \(limitation.node) cannot judge for \(limitation.reason):"
                    + " the pass has \(unjudged[limitation] ?? 0), the definition gives \(expected.unjudged[limitation] ?? 0)"
            )
        }
        let totals = NaiveRules.Totals(
            refreshes: pass.refreshes, redundantRefreshes: pass.redundantRefreshes,
            handlerTicks: pass.handlerTicks, wastedTicks: pass.wastedTicks, evaluations: pass.evaluations,
            noopEvaluations: pass.noopEvaluations)
        if totals != expected.totals {
            faults.append("the pass has \(totals), the definition gives \(expected.totals)")
        }
        if pass.hasFrameMarks != expected.hasFrameMarks { faults.append("the marks of frames are mistaken") }
        return faults.sorted()
    }

    private static func reported(_ tally: NaiveRules.Tally?, _ program: RandomProgram) -> String {
        guard let tally else { return "nothing" }
        let first = tally.first.map { "\(program.events[$0].id)" } ?? "an event that the trace lacks"
        return "\(tally.count) (refreshes \(tally.refreshes), ticks \(tally.wastedTicks), first \(first)"
            + ", all \(tally.positions.sorted()),"
            + " unsettled \(tally.unsettled), threads \(tally.threads), handlers \(tally.handlers),"
            + " in a loop \(tally.inLoop), returned \(tally.returned), stale \(tally.stale), request \(tally.request))"
    }

    private static func tell(_ faults: [String]) {
        if !faults.isEmpty { print("\(faults.count) differences") }
        for fault in faults.prefix(20) { Issue.record("\(fault)") }
    }
}
