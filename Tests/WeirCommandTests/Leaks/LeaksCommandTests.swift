import Foundation
import Testing
import WeirTestSupport

/// Runs `weir leaks` as a user or a script does.
@Suite(.timeLimit(.minutes(15))) struct LeaksCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func login(_ variant: String, snapshots: String? = nil) throws -> String {
        let path = folder(variant + ".weir")
        var environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual"]
        environment["WEIR_SNAPSHOTS"] = snapshots ?? "standard"
        let ended = try BuiltCommand("weir-login", [variant], in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func leaks(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["leaks"] + arguments, in: folder).wait()
    }

    @Test(arguments: [
        (["x", "--rule", "growht"], "weir: there is no rule 'growht'; did you mean 'growth'?\n"),
        (["x", "--rule", "speed"], "weir: there is no rule 'speed'; `weir leaks --help` lists the rules.\n"),
        (["x", "--top", "0"], "weir: --top cannot be '0'; give it a number above 0.\n"),
        (["x", "--format", "svg"], "weir: --format cannot be 'svg'; give it text or json.\n"),
        ([], "weir: 'weir leaks' needs TRACE; `weir leaks --help` shows how to write it.\n"),
    ])
    func `wrong usage exits with 2 and one sentence`(_ arguments: [String], _ sentence: String) throws {
        let ended = try BuiltCommand("weir", ["leaks"] + arguments, in: folder).wait()
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(ended.errors == sentence)
    }

    @Test func `an unknown checkpoint, and a file that is no trace, are reported in one sentence`() throws {
        let trace = try login("cured")
        let near = try leaks(trace, "--at", "screen close")
        #expect(near.status == 2)
        #expect(near.errors.hasSuffix("; did you mean 'screen closed'? It has 'screen closed'.\n"))
        let far = try leaks(trace, "--at", "xyz")
        #expect(far.errors.hasSuffix(" is 'xyz'; it has 'screen closed'.\n"))
        #expect(try leaks("nothing.weir").status == 3)
        let text = try leaks(folder.write("notes.txt", Array("Buy milk.".utf8)))
        #expect(text.status == 3 && text.errors.contains("is not a Weir trace"))
    }

    @Test func `the published login model leaks by three cycles, each at its line, and the cured one by none`() throws {
        let trace = try login("published")
        for arguments in [[trace], [trace, "--at", "screen closed"]] {
            let ended = try BuiltCommand("weir", ["leaks"] + arguments, in: folder).wait()
            #expect(ended.status == 1 && ended.errors.isEmpty)
            let remedies = ended.outputLines.filter { $0.contains("Remedy: ") }.map { $0.drop { $0 == " " } }
            #expect(
                Set(remedies) == [
                    "Remedy: capture [weak self] at WeirLogin/PublishedLoginModel.swift:18.",
                    "Remedy: capture [weak self] at WeirLogin/PublishedLoginModel.swift:21.",
                    "Remedy: capture [weak self] at WeirLogin/PublishedLoginModel.swift:29.",
                ])
            #expect(remedies.count == 3)
            #expect(ended.outputLines.count { $0.contains("· proven: nothing outside holds them") } == 3)
        }
        let cured = try leaks(login("cured"))
        #expect(cured.status == 0 && cured.output.contains("Nothing was found by any rule. Weir analyses"))
    }

    @Test func `rules and a number narrow what is reported`() throws {
        let trace = try login("published")
        let top = try leaks(trace, "--top", "1").output
        #expect(top.contains("and 2 more, all errors (--top 3 shows all)") && !top.contains("\n  2  "))
        let other = try leaks(trace, "--rule", "held-cycle", "--rule", "GROWTH")
        #expect(other.status == 0 && other.output.contains("Nothing was found by held-cycle and growth.\n"))
    }

    @Test func `a trace without a snapshot says so, and what to do`() throws {
        let ended = try leaks(login("published", snapshots: "none"))
        #expect(ended.status == 0)
        #expect(ended.output.contains("The trace has no snapshot of references"))
        #expect(ended.output.contains("without a snapshot (partial analysis)"))
    }

    @Test func `an incomplete trace is reported on standard error, and exits with 4 under strict`() throws {
        let trace = try login("published")
        #expect(try leaks(trace, "--strict").status == 1)
        let whole = try Data(contentsOf: URL(fileURLWithPath: trace))
        let cut = try folder.write("cut.weir", whole.dropLast(9))
        let lenient = try leaks(cut)
        #expect(lenient.errors.contains("is incomplete, and so may be this answer."))
        let strict = try leaks(cut, "--strict")
        #expect(strict.status == 4 && strict.output == lenient.output && strict.errors == lenient.errors)
        #expect(try leaks(cut, "--format", "json").output.contains("\"complete\": false"))
    }

    @Test func `colours appear only when they are asked for`() throws {
        let trace = try login("published")
        let plain = try leaks(trace).output
        #expect(!plain.contains("\u{1B}"))
        let colored = try leaks(trace, "--color", "always").output
        #expect(colored.contains("\u{1B}[1mretain-cycle\u{1B}[0m"))
        #expect(colored.replacing(/\u{1B}\[\d*m/, with: "") == plain)
    }

    @Test func `the JSON tells what the text tells`() throws {
        let trace = try login("published")
        let ended = try leaks(trace, "--format", "json")
        #expect(ended.status == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        let text = try leaks(trace, "--top", "100").output
        #expect(findings.count == 3 && text.contains("3 findings, worst first:"))
        for finding in findings {
            #expect(text.contains(try #require(finding["sentence"] as? String)))
            #expect(text.contains(try #require(finding["fingerprint"] as? String)))
            for line in try #require(finding["drawing"] as? [String]) { #expect(text.contains(line)) }
        }
    }

    @Test func `wherever a byte is changed, the command ends in order and steers no terminal`() throws {
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: login("published"))))
        let inUse = original.indices.filter { original[$0] != 0 }
        var random = SeededGenerator(seed: 6)
        var answers: Set<Int32> = []
        for number in 0..<60 {
            var damaged = original
            for _ in 0..<(number % 4 + 1) {
                damaged[inUse[Int.random(in: inUse.indices, using: &random)]] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let path = try folder.write("damaged.weir", damaged)
            let ended = try leaks(path, "--format", number % 2 == 0 ? "text" : "json")
            #expect(!ended.wasKilled && [0, 1, 3].contains(ended.status), "\(number)")
            let hasControls = ended.output.unicodeScalars.contains {
                $0 != "\n" && $0.properties.generalCategory == .control
            }
            #expect(!hasControls, "\(number)")
            answers.insert(ended.status)
        }
        #expect(answers.contains(1))
    }
}
