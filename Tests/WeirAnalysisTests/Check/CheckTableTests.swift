import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

struct CheckTableTests {
    private func table(_ order: [Int], _ programs: [Program]) -> CheckTable<String> {
        var table = CheckTable<String>()
        for index in order {
            let trace = TraceFindings(found: programs[index].findings, mentionedFiles: programs[index].files)
            let stories = trace.found.map { table.needsStory(of: $0, trace: index) ? "story of \(index)" : nil }
            table.take(trace, stories: stories, at: index)
        }
        return table
    }

    @Test func `the order in which traces are judged changes nothing`() {
        var random = RandomNumbers(seed: 5)
        for _ in 0..<200 {
            let programs = (0..<5).map { _ in Program.random(&random) }
            let one = table(Array(0..<5), programs)
            let other = table(Array(0..<5).shuffled(using: &random), programs)
            func text(_ table: CheckTable<String>) -> [String] {
                table.entries.map { "\($0.finding.key) \($0.trace) \($0.traces) \($0.story) \($0.finding.severity)" }
            }
            #expect(text(one) == text(other) && one.judged == 5 && one.mentionedFiles == other.mentionedFiles)
        }
    }

    private func verdict(_ findings: [CheckedFinding], _ policy: Policy, day: String = "2026-11-24") -> CheckVerdict<
        String
    > {
        var table = CheckTable<String>()
        table.take(TraceFindings(found: findings), stories: findings.map { _ in "" }, at: 0)
        return CheckVerdict(table, policy, Baseline(), day: day, paths: { [$0.file] }, story: { _, _ in "" })
    }

    @Test func `a waiver covers its findings until its last day, and one without use is reported`() throws {
        let policy = try Policy(
            json: #"""
                {"version": 1, "waivers": [
                  {"rule": "burst", "nodes": ["Model.*"], "reason": "known", "expires": "2026-11-24"},
                  {"rule": "glitch", "reason": "none has it"}]}
                """#)
        let finding = Program.finding(.burst, node: "Model.a", file: "App/Home.swift", line: 3)
        let today = verdict([finding], policy)
        #expect(today.items.map(\.status) == [.waived(0)] && today.failures.isEmpty)
        #expect(today.unusedWaivers == [1] && today.expiredWaivers == [])
        let tomorrow = verdict([finding], policy, day: "2026-11-25")
        #expect(tomorrow.items.map(\.status) == [.new] && tomorrow.failures.count == 1)
        #expect(tomorrow.unusedWaivers == [1] && tomorrow.expiredWaivers == [0])
    }

    @Test func `a baseline is updated from partial input without losing entries`() {
        var random = RandomNumbers(seed: 8)
        for _ in 0..<500 {
            var program = Program.random(&random)
            let baseline = Baseline(of: program.findings)
            program.lines = program.lines.filter { _ in random.number(below: 3) > 0 }
            for _ in 0..<random.number(below: 3) { program.add(&random) }
            func updated(isPartial: Bool) -> (found: Int, baseline: Baseline, cured: [Baseline.Entry]) {
                var table = CheckTable<String>()
                let found = program.findings
                table.take(
                    TraceFindings(found: found, mentionedFiles: program.files), stories: found.map { _ in "" }, at: 0)
                if isPartial { table.add(.incomplete, ["It ends early."], trace: 0) }
                let verdict = CheckVerdict(
                    table, Policy(), baseline, day: "2026-11-24", paths: { [$0.file] }, story: { _, _ in "" })
                #expect(verdict.isPartial == isPartial)
                return (verdict.items.count, verdict.updatedBaseline, verdict.cured)
            }
            func count(_ entries: [Baseline.Entry]) -> Int { entries.reduce(0) { $0 + $1.count } }
            let (all, partial) = (updated(isPartial: false), updated(isPartial: true))
            #expect(count(all.baseline.entries) == all.found)
            #expect(count(partial.baseline.entries) == partial.found + count(partial.cured))
            // Each entry stands once.
            #expect(Set(partial.baseline.entries.map(\.identity)).count == partial.baseline.entries.count)
            let again = partial.baseline.match(program.findings, mentionedFiles: program.files)
            #expect(again.known.count == partial.found && count(again.cured) == count(partial.cured))
        }
    }

    @Test func `levels turn rules off, and decide what fails`() throws {
        let findings = [
            Program.finding(.burst, node: "Model.a", file: "App/Home.swift", line: 3),
            Program.finding(.noopEvaluation, node: "Model.b", file: "App/Home.swift", line: 4),
        ]
        #expect(verdict(findings, Policy()).failures.map(\.entry.finding.rule.name) == ["burst"])
        var policy = Policy()
        policy.rules = ["burst": .off]
        #expect(verdict(findings, policy).items.map(\.entry.finding.rule.name) == ["noop-evaluation"])
        policy.rules = [:]
        policy.failOn = .note
        #expect(verdict(findings, policy).failures.count == 2)
        policy.failOn = .error
        #expect(verdict(findings, policy).failures.isEmpty)
    }
}

extension TraceFindings {
    /// Findings without traces.
    init(found: [CheckedFinding], mentionedFiles: Set<String> = [], measures: Measures = Measures()) {
        self.init(
            redundancy: [], leaks: [], found: found, omitted: 0, measures: measures, mentionedFiles: mentionedFiles)
    }
}
