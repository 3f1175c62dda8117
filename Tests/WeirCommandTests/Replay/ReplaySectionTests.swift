import Foundation
import Testing

/// Tests how `weir replay` prints other threads and hops, with the lookup sample under a virtual clock.
@Suite(.timeLimit(.minutes(15)))
struct ReplaySectionTests {
    private let folder: BuiltCommand.Folder

    init() throws {
        folder = try BuiltCommand.Folder()
        let environment = ["WEIR_TRACE": folder("lookup.weir"), "WEIR_CLOCK": "virtual"]
        let ended = try BuiltCommand("weir-lookup", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0)
    }

    private func replay(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["replay", "lookup.weir"] + arguments, in: folder).wait()
    }

    @Test func `what a hop changes stands flush left below the hop, not below the last stimulus`() throws {
        let lines = try replay("--until", "1:171").outputLines.map { $0.dropFirst(23) }
        let start = try #require(lines.firstIndex { $0.hasPrefix("stimulus 3 ") })
        let names = lines[start...].map { line in
            line.prefix { $0 == " " } + line.split(separator: " ").prefix(2).joined(separator: " ")
        }
        #expect(
            names == [
                "stimulus 3", "  LookupView.goButtonTouched ()", "  LookupModel.fetch ()",
                "  LookupModel.fetch.isExecuting false", "  LookupModel.fetch.isEnabled true",
                "  LookupModel.fetch.executions ‹Signal<Profile>›", "  LookupServer.requested \"/maruko\"",
                "  source LookupServer.swift:61", "  LookupServer.requested \"/maruko\"",
                "  source LookupServer.swift:61",
                "hop: delay", "delay LookupServer.swift:67", "map LookupServer.swift:67",
                "hop: delay", "delay LookupServer.swift:67", "map LookupServer.swift:67", "zip LookupModel.swift:39",
                "hop: deliver(on:)", "deliver(on:) LookupModel.swift:41", "LookupModel.fetch.execution #41",
                "LookupModel.fetch.values Profile(username:",
            ])
    }

    @Test func `a hop is reported once, with its cause, and only where it changed what was asked for`() throws {
        // Times and numbers of events depend on how the threads alternated.
        let lines = try replay("--node", "shownUser", "--node", "fullName").outputLines.prefix(3).map {
            $0.dropFirst(23).prefix { $0 != "," }
        }
        #expect(
            lines == [
                "hop: deliver(on:) LookupModel.swift:41 #42",
                #"LookupModel.shownUser  "" → "maruko""#,
                #"LookupModel.fullName  "" → "Momoko Sakura""#,
            ])
        let json = try replay("--node", "shownUser", "--format", "json").outputLines[0]
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["kind"] as? String == "hop" && object["node"] as? Int == 42)
        let cause = try #require(object["cause"] as? String)
        let text = try replay("--node", "shownUser").outputLines[0]
        #expect(cause.hasPrefix("2:") && text.hasSuffix(", caused by \(cause)"))
    }

    @Test func `a value that is not recordable is reported by its type, before and after`() throws {
        let output = try replay("--node", "posts").output
        #expect(output.contains("LookupModel.posts  ‹Array<PostCellModel>› → ‹Array<PostCellModel>›"))
        #expect(!output.contains("‹not recordable›"))
    }
}
