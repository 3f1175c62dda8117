import Foundation
import Testing
import WeirTestSupport

/// Runs `weir redundant` as a user or a script does.
@Suite(.timeLimit(.minutes(15))) struct RedundantCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func record(_ sample: String, _ arguments: String..., values: String = "scalars") throws -> String {
        let path = folder(sample + ".weir")
        let environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_VALUES": values]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func redundant(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["redundant"] + arguments, in: folder).wait()
    }

    @Test(arguments: [
        (["x", "--rule", "glich"], "weir: there is no rule 'glich'; did you mean 'glitch'?\n"),
        (["x", "--rule", "speed"], "weir: there is no rule 'speed'; `weir redundant --help` lists the rules.\n"),
        (
            ["x", "--frame", "16"],
            "weir: --frame cannot be '16'; give it a time above 0, such as 16.7ms or 8333us.\n"
        ),
        (["x", "--frame", "0"], "weir: --frame cannot be '0'; give it a time above 0, such as 16.7ms or 8333us.\n"),
        (["x", "--frame=-1ms"], "weir: --frame cannot be '-1ms'; give it a time above 0, such as 16.7ms or 8333us.\n"),
        (["x", "--top", "0"], "weir: --top cannot be '0'; give it a number above 0.\n"),
        (["x", "--format", "svg"], "weir: --format cannot be 'svg'; give it text or json.\n"),
        ([], "weir: 'weir redundant' needs TRACE; `weir redundant --help` shows how to write it.\n"),
    ])
    func `wrong usage exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", ["redundant"] + arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors == sentence)
    }

    @Test func `an unknown node, and a file that is no trace, are reported in one sentence`() throws {
        let trace = try record("login", "published")
        let node = try redundant(trace, "--node", "instructoin")
        #expect(node.status == 2 && node.errors.hasSuffix("; did you mean 'LoginViewModel.instruction'?\n"))
        let missing = try redundant("nothing.weir")
        #expect(missing.status == 3 && missing.errors.hasPrefix("weir: nothing.weir: no such file"))
        let text = try redundant(folder.write("notes.txt", Array("Buy milk.".utf8)))
        #expect(text.status == 3 && text.errors.contains("is not a Weir trace"))
    }

    @Test func `warnings and errors exit with 1, notes and nothing with 0`() throws {
        let trace = try record("login", "published")
        #expect(try redundant(trace).status == 1)
        let notes = try redundant(trace, "--rule", "noop-evaluation")
        #expect(notes.status == 0 && notes.errors.isEmpty && notes.output.contains("nothing needs to change:"))
        #expect(try redundant(trace, "--rule", "cross-thread").status == 0)
    }

    @Test func `rules, nodes and a number narrow what is reported`() throws {
        let trace = try record("login", "published")
        let all = try redundant(trace).output
        let one = try redundant(trace, "--rule", "glitch", "--rule", "feedback").output
        #expect(one.contains("judged by glitch and feedback only."))
        #expect(all.contains("burst · ") && !one.contains("burst · "))
        #expect(try redundant(trace, "--rule", "GLITCH").output == redundant(trace, "--rule", "glitch").output)
        let node = try redundant(trace, "--node", "passwordValid").output
        #expect(node.contains("at the nodes asked for"))
        #expect(!node.contains("  LoginViewModel.usernameValid "))
        let top = try redundant(trace, "--top", "1").output
        #expect(top.contains("and 1 more (--top 2 ") && !top.contains("\n  2  "))
    }

    @Test func `what-if adds to what is reported, and changes neither the rest nor the exit code`() throws {
        let trace = try record("signin", "async")
        let (plain, asked) = (try redundant(trace), try redundant(trace, "--what-if"))
        #expect(asked.status == plain.status && asked.errors.isEmpty)
        let added = asked.output.split(separator: "\n").filter { !plain.output.contains($0) }
        let findings = plain.output.split(separator: "\n").count { $0.hasPrefix("     Remedy: ") }
        #expect(findings > 1 && added.count { $0.hasPrefix("     What if: ") } == findings)
        #expect(added.contains { $0.hasPrefix("The only one of 2 remedies that can be computed: ") })
        #expect(
            asked.output.split(separator: "\n").filter { !added.contains($0) } == plain.output.split(separator: "\n"))
        let notes = try redundant(record("login", "published"), "--what-if", "--rule", "noop-evaluation")
        #expect(
            notes.status == 0 && notes.output.contains("noop-evaluation")
                && !notes.output.contains("What if") && !notes.output.contains("Remedy"))
        let json = try redundant(trace, "--what-if", "--format", "json")
        #expect(json.status == 1 && json.output.contains("\"whatIf\": {") && json.output.contains("\"together\": {"))
        #expect(try !redundant(trace, "--format", "json").output.contains("whatIf"))
        let nothing = try redundant(trace, "--what-if", "--rule", "cross-thread")
        #expect(nothing.status == 0 && nothing.errors.isEmpty)
        #expect(try nothing.output == redundant(trace, "--rule", "cross-thread").output)
    }

    @Test func `an incomplete trace is reported on standard error, and exits with 4 under strict`() throws {
        let trace = try record("login", "published")
        #expect(try redundant(trace, "--strict").status == 1)
        let whole = try Data(contentsOf: URL(fileURLWithPath: trace))
        let cut = try folder.write("cut.weir", whole.dropLast(9))
        let lenient = try redundant(cut)
        #expect(lenient.status == 1 && lenient.errors.contains("is incomplete, and so may be this answer."))
        let strict = try redundant(cut, "--strict")
        #expect(strict.status == 4 && strict.output == lenient.output && strict.errors == lenient.errors)
        let json = try redundant(cut, "--format", "json")
        #expect(json.status == 1 && json.output.contains("\"complete\": false"))
    }

    @Test func `wherever a byte is changed, the command ends in order and steers no terminal`() throws {
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: record("login", "published"))))
        let inUse = original.indices.filter { original[$0] != 0 }
        var random = SeededGenerator(seed: 5)
        var answers: Set<Int32> = []
        for number in 0..<60 {
            var damaged = original
            for _ in 0..<(number % 4 + 1) {
                damaged[inUse[Int.random(in: inUse.indices, using: &random)]] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let path = try folder.write("damaged.weir", damaged)
            let ended = try redundant(path, "--what-if", "--format", number % 2 == 0 ? "text" : "json")
            #expect(!ended.wasKilled && [0, 1, 3].contains(ended.status), "\(number)")
            let hasControls = ended.output.unicodeScalars.contains {
                $0 != "\n" && $0.properties.generalCategory == .control
            }
            #expect(!hasControls, "\(number)")
            answers.insert(ended.status)
        }
        #expect(answers.contains(1))
    }

    @Test func `where values are not recorded, what could not be judged is reported with its number and the cure`()
        throws
    {
        let ended = try redundant(record("login", "published", values: "none"))
        #expect(ended.output.contains("Could not be judged:\n"))
        #expect(ended.output.contains("values were not recorded;"))
        #expect(ended.output.contains("record with values: .scalars"))
    }

    @Test func `colours appear only when they are asked for`() throws {
        let trace = try record("login", "published")
        #expect(try !redundant(trace).output.contains("\u{1B}"))
        let colored = try redundant(trace, "--color", "always").output
        #expect(colored.contains("\u{1B}[1mburst\u{1B}[0m"))
        #expect(colored.replacing(/\u{1B}\[\d*m/, with: "") == (try redundant(trace).output))
    }

    @Test func `the JSON tells what the text tells`() throws {
        let trace = try record("login", "published")
        let ended = try redundant(trace, "--format", "json")
        #expect(ended.status == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        let text = try redundant(trace, "--top", "100").output
        var mains = 0
        for finding in findings {
            let sentence = try #require(finding["sentence"] as? String)
            let fingerprint = try #require(finding["fingerprint"] as? String)
            let isNormal = try #require(finding["normal"] as? Bool)
            let isMain = !isNormal && finding["primary"] is NSNull
            #expect(isNormal || text.contains(sentence))
            #expect(text.contains(fingerprint) == isMain)
            if isMain { mains += 1 }
            let steps = (finding["evidence"] as? [String: Any])?["steps"] as? [[String: Any]]
            let instances = finding["instances"] as? [[String: Any]]
            #expect(steps?.last?["id"] as? String == instances?.first?["example"] as? String)
        }
        #expect(mains > 0 && mains < findings.count && text.contains("\(mains) findings, worst first:"))
        #expect(object["omittedFindings"] as? Int == 0)
        let top = try redundant(trace, "--format", "json", "--top", "1").output
        #expect(top.contains("\"omittedFindings\": \(findings.count - 1)"))
    }
}
