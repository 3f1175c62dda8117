import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

struct BaselineTests {
    @Test func `moved lines, a renamed module and renamed files make no finding new`() {
        var random = RandomNumbers(seed: 1)
        for _ in 0..<1000 {
            var program = Program.random(&random)
            let baseline = Baseline(of: program.findings)
            for _ in 0..<(1 + random.number(below: 4)) { program.edit(&random) }
            let match = baseline.match(program.findings, mentionedFiles: program.files)
            #expect(match.known.count == program.lines.count && match.cured.isEmpty)
        }
    }

    @Test func `as many findings are new as were added, also those that are like known ones`() {
        var random = RandomNumbers(seed: 2)
        for _ in 0..<1000 {
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
        for _ in 0..<1000 {
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
            return Self.key([
                LeakSignature.Word(text: "Screen .handler", site: nil),
                LeakSignature.Word(text: "closure #\(closure) in Screen.init()", site: site),
            ])
        }
        let old = key("App", "Screen.swift", 12, 1)
        let moved = key("NewApp", "Screen.swift", 40, 3)
        #expect(old.identity == moved.identity && old.lines != moved.lines && old.files == ["Screen.swift"])
        let renamed = key("App", "Other.swift", 12, 1)
        #expect(old.identity != renamed.identity && old.looseIdentity == renamed.looseIdentity)
    }

    /// The order of a cycle's words must not come from what edits change: closure #10 stands before #9 as a text.
    @Test func `edits elsewhere and another start of the search leave the key of a cycle as it is`() {
        var random = RandomNumbers(seed: 6)
        for _ in 0..<1000 {
            let words = (0..<(1 + random.number(below: 8))).map { _ in Self.word(&random) }
            let (old, start) = (Self.key(words), random.number(below: words.count))
            let (module, lines, closures) = (
                "Module\(random.number(below: 100))", random.number(below: 90), random.number(below: 12)
            )
            var edited = Array(words[start...] + words[..<start])
            for index in edited.indices {
                guard let site = edited[index].site else { continue }
                // What stands further down moves further.
                let line = site.line + (site.line > 6 ? lines * 2 : lines)
                edited[index].site = TraceSite(file: module + "/" + site.fileName, line: line)
                edited[index].text = "closure #\(site.line + closures) in Model.init()"
            }
            #expect(Self.key(edited).identity == old.identity)
            for index in edited.indices where edited[index].site?.fileName == "Home.swift" {
                edited[index].site = TraceSite(file: module + "/Zoo.swift", line: edited[index].site?.line ?? 0)
            }
            #expect(Self.key(edited).looseIdentity == old.looseIdentity)
            // Another property in the cycle is another cycle.
            edited.append(LeakSignature.Word(text: "Model .other", site: nil))
            #expect(Self.key(edited).looseIdentity != old.looseIdentity)
        }
    }

    /// A property, or a closure whose number is its line.
    private static func word(_ random: inout RandomNumbers) -> LeakSignature.Word {
        if random.number(below: 2) == 0 {
            return LeakSignature.Word(text: "Model .\(random.element(of: "ab"))", site: nil)
        }
        let (line, file) = (1 + random.number(below: 12), ["Home.swift", "List.swift"][random.number(below: 2)])
        return LeakSignature.Word(
            text: "closure #\(line) in Model.init()", site: TraceSite(file: "App/" + file, line: line))
    }

    /// The key of a retain cycle through `words`.
    private static func key(_ words: [LeakSignature.Word]) -> FindingKey {
        FindingKey(
            LeakFinding(
                rule: .retainCycle, severity: .error, count: 1, example: .circle(0), snapshot: nil,
                remedy: LeakRemedy(.captureWeakly, site: words.compactMap(\.site).first), expectation: nil,
                companions: 0,
                typesOfCompanions: [], subscription: nil, bytes: 0, fingerprint: "",
                signature: LeakSignature(LeakSignature.leastRotation(of: words))))
    }
}
