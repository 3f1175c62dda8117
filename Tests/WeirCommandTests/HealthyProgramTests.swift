import Foundation
import Testing

/// Weir does not warn of programs in which a reasonable developer would change nothing.
@Suite(.timeLimit(.minutes(15))) struct HealthyProgramTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    /// Each program with the rules whose notes are defensible, because a trace cannot know better.
    private static let programs: [(name: String, notes: Set<String>)] = [
        // The rows of a list have no owner, and one may be the former one again.
        ("list", ["repeated-subscription", "undisposed"]),
        // A load may end within a frame, and another try asks for the same page again.
        ("paging", ["burst", "noop-evaluation", "repeated-value"]),
        ("downloads", ["burst", "stale-response", "undisposed"]),
        ("search", ["burst"]),
        ("settings", []), ("wizard", ["burst", "undisposed"]),
        ("feed", ["burst", "repeated-value"]),
        // Each change of the one state evaluates what every view shows of it.
        ("editor", ["noop-evaluation"]),
        // These end with screens that are still open. A load or a callback may end within a frame, and the same error may come
        // again.
        ("shop", ["burst", "repeated-value", "noop-evaluation", "undisposed"]), ("chat", ["burst", "undisposed"]),
        ("player", ["burst", "undisposed", "repeated-value"]), ("sign-up", ["burst", "undisposed"]),
        ("map", ["burst", "repeated-value", "undisposed"]),
        ("preferences", ["burst", "undisposed"]), ("photos", ["burst", "undisposed"]),
        ("coordinator", ["undisposed"]),
        // A body runs for each change of a property that it reads, and some of these change nothing in it.
        ("timeline", ["burst", "repeated-value", "undisposed"]), ("document", ["burst", "repeated-value"]),
        ("dashboard", ["burst"]), ("socket", ["burst"]),
        // A poll may replace a request, whose answer may still arrive.
        ("forecast", ["burst", "cancelled-request", "noop-evaluation", "unobserved"]),
    ]

    @Test(arguments: programs) func `a healthy program is not warned of`(name: String, notes: Set<String>) throws {
        let trace = try record(name, ["WEIR_SNAPSHOTS": "standard"])
        #expect(try BuiltCommand("weir", ["info", "--strict", trace], in: folder).wait().status == 0)
        let redundant = try findings("redundant", trace)
        #expect(redundant.refreshes > 0)
        let leaks = try findings("leaks", trace).found
        for finding in redundant.found + leaks where finding["normal"] as? Bool != true {
            // On a busy machine each handler may be slow: see the next test.
            if finding["rule"] as? String == "slow-refresh" { continue }
            #expect(finding["severity"] as? String == "note", "\(finding["sentence"] ?? "")")
            #expect((finding["rule"] as? String).map(notes.contains) == true, "\(finding["sentence"] ?? "")")
        }
    }

    /// Under a virtual clock, the work of a handler alone decides: each event takes a microsecond.
    @Test(arguments: programs.map(\.name)) func `no handler of a healthy program does much`(name: String) throws {
        let trace = try record(name, ["WEIR_CLOCK": "virtual"])
        let slow = try findings("redundant", trace, ["--rule", "slow-refresh", "--frame", "0.1ms"])
        #expect(slow.refreshes > 0)
        for finding in slow.found { Issue.record("\(finding["sentence"] ?? "")") }
    }

    /// Each file holds one program; two hold what they share.
    @Test func `the programs are many and long, and use five techniques`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../WeirHealthyPrograms")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") && !["Main.swift", "Controls.swift"].contains($0) }
        let sources = try names.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
        #expect(sources.count == Self.programs.count && sources.count >= 20)
        for (name, source) in zip(names, sources) {
            #expect((100...300).contains(source.split(separator: "\n").count), "\(name)")
        }
        // Observables and combiners, operators, traced properties, observable classes, and async code.
        for technique in ["Combiner<", ".flatMap(", "@Traced var", "@Observable", "Trace.task"] {
            #expect(sources.count { $0.contains(technique) } >= 2, "\(technique)")
        }
    }

    /// Runs a program, and returns the path of its trace.
    private func record(_ name: String, _ environment: [String: String]) throws -> String {
        let trace = folder("\(name).weir")
        let program = try BuiltCommand(
            "WeirHealthyPrograms", [name], in: folder,
            environment: environment.merging(["WEIR_TRACE": trace]) { $1 })
        #expect(try program.wait().status == 0)
        return trace
    }

    private func findings(
        _ command: String, _ trace: String, _ options: [String] = []
    ) throws -> (found: [[String: Any]], refreshes: Int) {
        let ended = try BuiltCommand("weir", [command, trace, "--format", "json"] + options, in: folder).wait()
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any], "\(ended.errors)")
        return (try #require(object["findings"] as? [[String: Any]]), object["refreshes"] as? Int ?? 0)
    }
}
