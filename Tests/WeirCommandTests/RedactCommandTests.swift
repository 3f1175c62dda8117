import Foundation
import Testing
import WeirTestSupport
import WeirTrace

/// Runs `weir redact` as a user or a script does.
@Suite(.timeLimit(.minutes(15))) struct RedactCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func weir(_ arguments: [String]) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", arguments, in: folder).wait()
    }

    private func trace(_ sample: String, _ arguments: [String] = []) throws -> String {
        let path = folder(sample + ".weir")
        let environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_SNAPSHOTS": "standard"]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    // MARK: Usage

    @Test func `wrong usage exits with 2 and one sentence, and leaves no file`() throws {
        let trace = try trace("login")
        for (arguments, sentence) in [
            (
                [trace, "-o", "x"],
                "'weir redact' needs to know what to remove: give --all, --node NAME or --type TYPE."
            ),
            ([trace, "--all"], "'weir redact' needs -o COPY; `weir redact --help` shows how to write it."),
            ([trace, "--all", "-o", ""], "--output cannot be ''; give it the path of the copy."),
            (
                [trace, "-o", "x", "--node", "pasword"],
                "no node of \(trace) is named 'pasword'; did you mean 'LoginViewModel.password'?"
            ),
            (
                [trace, "-o", "x", "--all", "--keep", "pasword"],
                "no node of \(trace) is named 'pasword'; did you mean 'LoginViewModel.password'?"
            ),
            ([trace, "-o", "x", "--node="], "--node cannot be ''; give it a node's name or number."),
            (
                [trace, "-o", "x", "--type", "Strin"],
                "no node of \(trace) holds values of type 'Strin'; did you mean 'String'?"
            ),
            (
                [trace, "-o", "x", "--node", "username", "--keep", "username"],
                "--node LoginViewModel.username and --keep do not go together; leave out one of them."
            ),
            ([trace, "-o", trace, "--all"], "\(trace) exists, so it is left alone; choose another file with -o."),
        ] {
            let before = try bytes(trace)
            let ended = try weir(["redact"] + arguments)
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.errors == "weir: \(sentence)\n")
            #expect(try bytes(trace) == before)
            #expect(!FileManager.default.fileExists(atPath: folder("x")))
        }
        let missing = try weir(["redact", "no.weir", "-o", "x", "--all"])
        #expect(missing.status == 3 && missing.errors.contains("no such file"))
        let nowhere = try weir(["redact", trace, "-o", "no/x", "--all"])
        #expect(nowhere.status == 5 && nowhere.errors.contains("no/x cannot be written"))
    }

    @Test func `what is there is never replaced, nor is a link followed`() throws {
        let trace = try trace("login")
        let link = folder("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder("elsewhere"))
        for path in [try folder.write("text", "hello".utf8), link, try folder.write("old.weir", bytes(trace))] {
            let ended = try weir(["redact", trace, "-o", path, "--all"])
            #expect(ended.status == 2)
            #expect(ended.errors == "weir: \(path) exists, so it is left alone; choose another file with -o.\n")
        }
        #expect(try bytes(folder("text")) == Data("hello".utf8))
        #expect(!FileManager.default.fileExists(atPath: folder("elsewhere")))
    }

    @Test func `where there is no room, nothing is left and the exit code is 5`() throws {
        let trace = try trace("login")
        for blocks in [1, 40] {
            let command = "ulimit -f \(blocks); exec '\(BuiltCommand.product("weir"))' redact '\(trace)' -o copy --all"
            // The answer is written to files as well, which need room.
            let ended = try BuiltCommand("/bin/sh", ["-c", command], in: folder).wait()
            #expect(ended.status == 5 && !ended.wasKilled)
            #expect(ended.errors.contains("copy cannot be written ("))
            #expect(!FileManager.default.fileExists(atPath: folder("copy")))
        }
    }

    // MARK: What it says

    @Test func `it says what was removed, also as JSON, and info says that it is a copy`() throws {
        let trace = try trace("login")
        let ended = try weir(["redact", trace, "-o", "all.weir", "--all"])
        #expect(ended.status == 0 && ended.errors.isEmpty)
        let pattern = /all\.weir: .*login\.weir without \d+ values of \d+ nodes, keys in 0 names, \d+ names.*\n/
        #expect(ended.output.wholeMatch(of: pattern) != nil, "\(ended.output)")
        let json = try weir(["redact", trace, "-o", "json.weir", "--node", "username", "--format", "json"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["copy"] as? String == "json.weir")
        #expect((object["values"] as? Int ?? 0) > 0 && (object["texts"] as? Int ?? 0) > 0)
        let names = { (key: String) in (object[key] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String } }
        #expect(names("nodes").contains("LoginViewModel.username"))
        #expect(!names("derived").contains("LoginViewModel.username"))
        #expect(names("derived").contains("LoginViewModel.usernameValid"))
        #expect(names("feeding") == ["LoginView.usernameDidChange"])
        let info = try weir(["info", "--strict", "all.weir"])
        #expect(info.status == 0, "\(info.errors)")
        let fact = "redacted  a copy without the values of all nodes, and without the names of stimuli and checkpoints"
        #expect(info.output.contains(fact))
        #expect(try weir(["info", "json.weir"]).output.contains("redacted  a copy without the values of some nodes"))
    }

    @Test func `of a damaged trace all values go, and the copy is incomplete as well`() throws {
        let trace = try trace("login")
        var damaged = [UInt8](try bytes(trace))
        damaged[damaged.count - 40] ^= 0xFF
        let path = try folder.write("damaged.weir", damaged)
        let ended = try weir(["redact", path, "-o", "copy.weir", "--node", "username", "--strict"])
        #expect(ended.status == 4)
        #expect(ended.output.contains("All values were removed: the trace is damaged"))
        #expect(ended.output.contains("Left out: what stood in 1 damaged place.\n"))
        let copy = try weir(["info", "--strict", "copy.weir"])
        #expect(copy.status == 4)
        #expect(copy.output.contains("the trace that this is a copy of was damaged in 1 place"))
        let reader = try TraceReader(path: folder("copy.weir"))
        reader.forEachEvent { event in
            #expect(event.value == .withheld || event.value == .notRecorded)
            return true
        }
    }

    // MARK: What stays

    /// A command's output without values, sizes and texts.
    private func answer(_ command: [String], _ path: String) throws -> [String] {
        let ended = try weir([command[0], path] + command.dropFirst() + ["--format", "json"])
        #expect(ended.status <= 1, "\(command): \(ended.errors)")
        // Each event is one line; in other answers an object takes several lines.
        let texts =
            command[0] == "events"
            ? ended.outputLines : ended.output.split(separator: "\n}\n").map { $0 + "\n}" }
        return try texts.map { text in
            let bare = Self.withoutValues(try JSONSerialization.jsonObject(with: Data(text.utf8)))
            let data = try JSONSerialization.data(withJSONObject: bare, options: [.sortedKeys, .fragmentsAllowed])
            return String(decoding: data, as: UTF8.self)
        }
    }

    private static let valueKeys: Set = [
        "value", "valueForm", "before", "text", "bytes", "retainedBytes", "componentBytes", "path", "redaction",
        "private", "disclosures", "snapshot", "checkpoint", "lastCheckpoint", "previous", "previousForm",
    ]

    /// A line of a drawing: "32 objects, 3.7 KiB, keeps 5.3 KiB · proven" reveals the size of private values.
    private static func withoutSizes(_ line: String) -> String {
        // Only drawings have such lines, and expressions are slow.
        guard line.contains("·") else { return line }
        return line.replacing(#/(objects?)(, [0-9.,]+ \w+)?(, keeps [0-9.,]+ \w+)?( and private values)? ·/#) {
            "\($0.1) ·"
        }
        .replacing(#/· keeps [^·]* · /#, with: "· ")
    }

    private static func withoutValues(_ object: Any) -> Any {
        switch object {
        case let members as [String: Any]:
            members.filter { !valueKeys.contains($0.key) }.mapValues(withoutValues)
        case let elements as [Any]: elements.map(withoutValues)
        case let line as String: withoutSizes(line)
        default: object
        }
    }

    @Test(arguments: [("login", "published"), ("dice", ""), ("travel", ""), ("form", ""), ("lookup", "")])
    func `commands say of a copy what they say of the trace, but for values`(sample: String, variant: String) throws {
        let original = try trace(sample, variant.isEmpty ? [] : [variant])
        let copy = folder("copy.weir")
        #expect(try weir(["redact", original, "-o", copy, "--all"]).status == 0)
        let nodes = try TraceReader(path: original).definitions().nodes.values
        let names = Set(nodes.compactMap(\.label)).sorted().prefix(Repeats.factor > 1 ? 8 : 3)
        let commands = [["events"], ["info"], ["graph"], ["leaks"]] + names.map { ["why", $0] }
        for command in commands {
            let (before, after) = (try answer(command, original), try answer(command, copy))
            #expect(!before.isEmpty, "\(command)")
            #expect(before.count == after.count, "\(command)")
            for (old, new) in zip(before, after) where old != new {
                Issue.record("\(command): \(old)\nbecame \(new)")
                break
            }
        }
    }
}
