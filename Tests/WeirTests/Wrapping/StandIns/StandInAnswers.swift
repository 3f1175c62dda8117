import Foundation
import Testing
import Weir

/// The answers of the built command about one recorded stand-in, in short forms that one can write down beforehand.
struct StandInAnswers {
    private let recorded: RecordedFile

    /// Records `play`: it makes the app, adopts its model, plays its user, and releases it.
    init(
        isolation: isolated (any Actor)? = #isolation, _ play: () async throws -> Void
    ) async throws {
        recorded = try await RecordedFile.ofTask(snapshots: .standard, play)
    }

    var path: String { recorded.file.path }

    /// The first chain of causes of a node's last change up to a moment, from the root on: stimuli, and nodes with their values.
    func why(_ node: String, at moment: String = "end") throws -> [String] {
        let chains = try json("why", node, "--at", moment)["chains"] as? [[String: Any]] ?? []
        let steps = chains.first?["steps"] as? [[String: Any]] ?? []
        return steps.compactMap { step in
            switch step["kind"] as? String {
            case "stimulusBegan": step["text"] as? String
            case "emitted": "\(step["name"] ?? "?") = \(Self.text(step))"
            case "suppressed": "\(step["name"] ?? "?") suppressed: \(step["reason"] ?? "?")"
            default: nil
            }
        }
    }

    /// If the effects stopped, 'reason node' for each stop, the nearest first; if nothing that the stimulus reached leads to the
    /// node, 'unconnected' and the roots on which the node depends; else the outcome.
    func whyNot(_ node: String, after stimulus: String) throws -> [String] {
        let answer = try json("why-not", node, "--after", stimulus)
        guard answer["outcome"] as? String == "stopped" else {
            let roots = answer["roots"] as? [String] ?? []
            return [answer["outcome"] as? String ?? "?"] + roots.sorted()
        }
        let stops = answer["stops"] as? [[String: Any]] ?? []
        return stops.map { "\($0["reason"] ?? "?") \($0["name"] ?? "?")" }
    }

    /// 'severity rule node ×count' of each finding.
    func redundant() throws -> Set<String> {
        let found = try json("redundant")["findings"] as? [[String: Any]] ?? []
        return Set(
            found.map { "\($0["severity"] ?? "?") \($0["rule"] ?? "?") \($0["name"] ?? "?") ×\($0["count"] ?? 0)" })
    }

    /// 'rule types' of each finding: the types of the objects of a cycle, or of the path to an object.
    func leaks() throws -> Set<String> {
        let found = try json("leaks")["findings"] as? [[String: Any]] ?? []
        return Set(
            found.map { finding in
                let example = finding["example"] as? [String: Any]
                let objects = example?["objects"] as? [[String: Any]] ?? []
                let types = objects.filter { $0["kind"] as? String == "instance" }.compactMap { $0["type"] as? String }
                return "\(finding["rule"] ?? "?") \(types.sorted().joined(separator: ", "))"
            })
    }

    /// The lines that the remedies of the leaks change, by the names of their files.
    func linesOfLeaks() throws -> [String] {
        let found = try json("leaks")["findings"] as? [[String: Any]] ?? []
        return found.compactMap { (($0["remedy"] as? [String: Any])?["site"] as? String)?.split(separator: ":").first }
            .map(String.init)
    }

    /// 'source → target' for values that a subscription carries, 'source ⇢ target' for writes of code.
    func graph() throws -> Set<String> {
        let graph = try json("graph")
        let nodes = (graph["nodes"] as? [[String: Any]] ?? []).map { $0["name"] as? String ?? "?" }
        let edges = graph["edges"] as? [[String: Any]] ?? []
        return Set(
            edges.map { edge in
                let arrow = edge["kind"] as? String == "handler" ? "⇢" : "→"
                return "\(nodes[edge["source"] as? Int ?? 0]) \(arrow) \(nodes[edge["target"] as? Int ?? 0])"
            })
    }

    /// The answer of a command as a person reads it.
    func text(_ command: String, _ node: String) throws -> String { try recorded.weir(command, node).text }

    private func json(_ command: String, _ arguments: String...) throws -> [String: Any] {
        let answer = try BuiltProgram("weir").run([command, path] + arguments + ["--format", "json"])
        return try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any] ?? [:]
    }

    /// The value of a step; "·" if only its fingerprint or its type is known, also inside a structure: the numbers of fingerprints
    /// depend on the order in which Observation calls those who wait for one property.
    private static func text(_ step: [String: Any]) -> String {
        let readable: Set<String> = ["bool", "integer", "double", "string", "description", "case"]
        guard readable.contains(step["valueForm"] as? String ?? ""), let value = step["value"] else { return "·" }
        if let number = value as? NSNumber, isTruth(number) { return number.boolValue ? "true" : "false" }
        return "\(value)".replacing(/#[0-9a-f]{8}/, with: "·")
    }

    private static func isTruth(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}

extension Everything.AskingOtherProcesses {
    /// Models of the size of a screen, each wrapped by two or three changed lines. Their sessions adopt the model, and play its user.
    @Suite struct StandInTests {
        /// Compares an answer; a failure shows both.
        func expect<Answer: Equatable>(
            _ answer: Answer, _ expected: Answer, at sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(answer == expected, sourceLocation: sourceLocation)
        }

        /// The user does something; then the screen is shown.
        func act(_ name: String, _ action: () -> Void) {
            Trace.stimulus(name, action)
            Trace.frame()
        }

        /// The user does something; the main queue does what follows; then the screen is shown.
        @MainActor
        func actOnMain(_ name: String, _ action: () -> Void) async {
            Trace.stimulus(name, action)
            await mainQueue(turns: 4)
            Trace.frame()
        }

        /// Lets the main queue take turns: everything that was given to it before is over.
        @MainActor
        func mainQueue(turns: Int) async {
            for _ in 0..<turns {
                await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
            }
        }
    }
}
