import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

struct BaselineTests {
    @Test func `moved lines, a renamed module and renamed files make no finding new`() {
        var random = RandomNumbers(seed: 1)
        for _ in 0..<Repeats.count(200) {
            var program = Program.random(&random)
            let baseline = Baseline(of: program.findings)
            for _ in 0..<(1 + random.number(below: 4)) { program.edit(&random) }
            let match = baseline.match(program.findings, mentionedFiles: program.files)
            #expect(match.known.count == program.lines.count && match.cured.isEmpty)
        }
    }

    @Test func `as many findings are new as were added, also those that are like known ones`() {
        var random = RandomNumbers(seed: 2)
        for _ in 0..<Repeats.count(200) {
            var program = Program.random(&random)
            let (baseline, old) = (Baseline(of: program.findings), program.lines.count)
            let added = 1 + random.number(below: 3)
            for _ in 0..<added { program.add(&random) }
            for _ in 0..<random.number(below: 3) { program.edit(&random) }
            let findings = program.findings
            let match = baseline.match(findings, mentionedFiles: program.files)
            #expect(findings.count - match.known.count == added && match.known.count == old && match.cured.isEmpty)
        }
    }

    @Test func `as many entries are cured as findings went away`() {
        var random = RandomNumbers(seed: 3)
        for _ in 0..<Repeats.count(200) {
            var program = Program.random(&random)
            let baseline = Baseline(of: program.findings)
            let (old, files) = (program.lines.count, program.files)
            program.lines = program.lines.filter { _ in random.number(below: 3) > 0 }
            let match = baseline.match(program.findings, mentionedFiles: files)
            #expect(match.known.count == program.lines.count)
            #expect(match.cured.reduce(0) { $0 + $1.count } == old - program.lines.count)
        }
    }

    @Test func `a finding that is gone from a file does not cover one in another file that is still there`() {
        let old = Program(lines: [.init(rule: .burst, file: "Home.swift", line: 3)])
        let new = Program(lines: [.init(rule: .burst, file: "Cart.swift", line: 3)])
        let baseline = Baseline(of: old.findings)
        #expect(baseline.match(new.findings, mentionedFiles: ["Home.swift", "Cart.swift"]).known.isEmpty)
        // The file is gone, so that it may have been renamed: this cannot be decided.
        #expect(baseline.match(new.findings, mentionedFiles: ["Cart.swift"]).known == [0])
    }

    @Test func `a baseline is read as it was written`() throws {
        var random = RandomNumbers(seed: 4)
        for _ in 0..<100 {
            let baseline = Baseline(of: Program.random(&random).findings)
            #expect(try Baseline(json: baseline.json.indentedText) == baseline)
        }
    }

    @Test func `the key of a leak has neither lines nor modules nor the numbers of closures`() {
        func key(_ module: String, _ file: String, _ line: Int, _ closure: Int) -> FindingKey {
            let site = TraceSite(file: "\(module)/\(file)", line: line)
            let words = [
                LeakSignature.Word(text: "Screen .handler", site: nil),
                LeakSignature.Word(text: "closure #\(closure) in Screen.init()", site: site),
            ]
            return FindingKey(
                LeakFinding(
                    rule: .retainCycle, severity: .error, count: 1, example: .cycle(0), snapshot: nil,
                    remedy: LeakRemedy(.captureWeakly, site: site), expectation: nil, companions: 0,
                    typesOfCompanions: [], subscription: nil, bytes: 0, fingerprint: "",
                    signature: LeakSignature(words)))
        }
        let old = key("App", "Screen.swift", 12, 1)
        let moved = key("NewApp", "Screen.swift", 40, 3)
        #expect(old.identity == moved.identity && old.lines != moved.lines && old.files == ["Screen.swift"])
        let renamed = key("App", "Other.swift", 12, 1)
        #expect(old.identity != renamed.identity && old.looseIdentity == renamed.looseIdentity)
    }

    @Test func `edits make no leak new, and a second one of the same kind is`() {
        var random = RandomNumbers(seed: 6)
        for _ in 0..<Repeats.count(200) {
            let program = LeakyProgram.random(&random)
            let old = program.findings
            let baseline = Baseline(of: old)
            var edited = program
            for _ in 0..<(1 + random.number(below: 4)) { edited.edit(&random) }
            let same = baseline.match(edited.findings, mentionedFiles: edited.files)
            #expect(same.known.count == old.count && same.cured.isEmpty)
            edited.cycles.append(edited.cycles[random.number(below: edited.cycles.count)])
            let more = baseline.match(edited.findings, mentionedFiles: edited.files)
            #expect(more.known.count == old.count && edited.findings.count == old.count + 1)
        }
    }
}

/// A program whose closures close cycles; each cycle goes through some of them, from any of them on.
private struct LeakyProgram {
    struct Closure {
        var type: String
        var file: String
        var line: Int
        var number: Int
    }

    var module = "App"
    var closures: [Closure] = []
    var cycles: [[Int]] = []

    static func random(_ random: inout RandomNumbers) -> LeakyProgram {
        var program = LeakyProgram()
        for place in 0..<6 {
            program.closures.append(
                Closure(
                    type: ["Cart", "Home"][random.number(below: 2)],
                    file: ["Cart.swift", "Home.swift", "List.swift"][random.number(below: 3)], line: 10 * (place + 1),
                    number: 6 + place))
        }
        for _ in 0..<(1 + random.number(below: 4)) {
            let places = Array(0..<6).shuffled(using: &random)
            program.cycles.append(Array(places.prefix(1 + random.number(below: 4))))
        }
        return program
    }

    var files: Set<String> { Set(closures.map(\.file)) }

    var findings: [CheckedFinding] {
        cycles.map { cycle in
            let words = cycle.flatMap { place in
                let closure = closures[place]
                return [
                    LeakSignature.Word(text: "\(closure.type) .handler", site: nil),
                    LeakSignature.Word(
                        text: "closure #\(closure.number) in \(closure.type).init()",
                        site: TraceSite(file: "\(module)/\(closure.file)", line: closure.line)),
                ]
            }
            let finding = LeakFinding(
                rule: .retainCycle, severity: .error, count: 1, example: .cycle(0), snapshot: nil,
                remedy: LeakRemedy(.captureWeakly, site: words[1].site), expectation: nil, companions: 0,
                typesOfCompanions: [], subscription: nil, bytes: 0, fingerprint: "",
                signature: LeakSignature(cycle: words))
            return CheckedFinding(finding, in: TraceSnapshot(), TraceDefinitions())
        }
    }

    /// Moves a closure to another line and number, which changes the order of closures; renames the module, or a file; or
    /// lets the walk enter the cycles elsewhere.
    mutating func edit(_ random: inout RandomNumbers) {
        let place = random.number(below: closures.count)
        switch random.number(below: 4) {
        case 0:
            closures[place].line = 1 + random.number(below: 1000)
            closures[place].number = 1 + random.number(below: 30)
        case 1: module = "Module\(random.number(below: 1000))"
        case 2:
            let (old, new) = (closures[place].file, "File\(random.number(below: 1_000_000)).swift")
            for place in closures.indices where closures[place].file == old { closures[place].file = new }
        default:
            cycles = cycles.map { cycle in
                let start = place % cycle.count
                return Array(cycle[start...] + cycle[..<start])
            }
        }
    }
}
