import Foundation
import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

/// Runs `weir facts` as a user does.
@Suite(.timeLimit(.minutes(15))) struct FactsCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func facts(_ paths: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["facts"] + paths + ["-o", folder("facts")], in: folder).wait()
    }

    private func trace(_ name: String, _ labels: String) throws -> String {
        let path = folder(name)
        let environment = ["WEIR_TRACE": path, "WEIR_LABELS": labels]
        let ended = try BuiltCommand("weir-login", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func files() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("facts"))
        return try names.reduce(into: [:]) {
            $0[$1] = try String(contentsOfFile: folder("facts") + "/" + $1, encoding: .utf8)
        }
    }

    private func rows(_ table: String) throws -> [[String: any Sendable]] {
        try files().sorted { $0.key < $1.key }.flatMap { $0.value.split(separator: "\n") }.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
        }.filter { $0["table"] as? String == table }
    }

    @Test func `a trace becomes rows that agree with its reports, without values`() throws {
        let path = try trace("login.weir", "build=412,device=iPhone15,2,team=a")
        let ended = try facts(path)
        #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended.errors)")
        let run = try #require(try rows("runs").first)
        #expect(run["build"] as? String == "412")
        #expect(run["device"] as? String == "iPhone15,2")
        #expect(run["complete"] as? Bool == true)
        #expect(try rows("labels").compactMap { $0["name"] as? String } == ["build", "device", "team"])
        let check = try TraceCheck(TraceReader(path: path))
        #expect(try rows("findings").count + rows("leaks").count == check.findings.found.count)
        for table in ["refreshes", "stimuli", "handlers", "times"] {
            let sum = try rows(table).reduce(0) { $0 + ($1["refreshes"] as? Int ?? 0) }
            #expect(sum == run["refreshes"] as? Int, "\(table)")
        }
        for table in ["refreshes", "stimuli"] {
            let sum = try rows(table).reduce(0) { $0 + ($1["redundant"] as? Int ?? 0) }
            #expect(sum == run["redundant"] as? Int, "\(table)")
        }
        #expect(try files().values.allSatisfy { !$0.contains("swordfish") && !$0.contains("\"value\":\"Maruko") })
    }

    @Test func `a second run replaces the rows, and what it cannot read is a row of losses`() throws {
        let path = try trace("login.weir", "build=412")
        let broken = folder("broken.weir")
        try Data("WEIR".utf8).write(to: URL(fileURLWithPath: broken))
        let ended = try facts(path, broken)
        #expect(ended.status == 3)
        #expect(ended.errors.contains("broken.weir"))
        let first = try files()
        #expect(first.count == 2)
        let losses = try rows("losses")
        #expect(losses.count == 1 && losses.first?["fault"] as? String == "unreadable")
        #expect(try facts(path, broken).status == 3)
        #expect(try files() == first)
    }

    @Test func `files of one name that cannot be read have a row each`() throws {
        let paths = ["monday", "tuesday"].map { folder("\($0)/broken.weir") }
        for path in paths {
            let file = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("WEIR".utf8).write(to: file)
        }
        let ended = try facts(paths[0], paths[1])
        #expect(ended.status == 3)
        #expect(!ended.errors.contains("run id"))
        #expect(try Set(rows("losses").map { $0["path"] as? String }) == Set(paths))
    }

    @Test func `weir info shows labels`() throws {
        let path = try trace("login.weir", "build=412,device=iPhone15,2")
        let text = try BuiltCommand("weir", ["info", path], in: folder).wait().output
        #expect(text.contains("  labels    build=412, device=iPhone15,2\n"))
    }

    @Test func `buckets of times are at most an eighth wide`() {
        for time in [1.0, 7, 100, 591, 12_345, 1e9, 1e12] {
            let bucket = RefreshCounts.bucket(ofNanoseconds: time)
            let lower = Double(8 + bucket % 8) * pow(2, Double(bucket / 8 - 3))
            #expect(lower <= time && time < lower * 1.126)
        }
        #expect(RefreshCounts.bucket(ofNanoseconds: 0) == 0)
        #expect(RefreshCounts.bucket(ofNanoseconds: 0.3) == 0)
    }

    @Test func `the schema in the documentation is that of the rows`() throws {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../Sources/WeirReport/WeirReport.docc/Resources/weir-facts.schema.json")
            .standardizedFileURL
        #expect(try String(contentsOf: file, encoding: .utf8) == FactTable.jsonSchema.indentedText + "\n")
    }
}
