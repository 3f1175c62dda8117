import Foundation
import Testing
import WeirReport
import WeirTrace

/// Runs `weir export` and `weir import` as a user does.
@Suite(.timeLimit(.minutes(15))) struct ExportCommandTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func weir(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", arguments, in: folder).wait()
    }

    private func trace(_ sample: String, _ arguments: [String] = []) throws -> String {
        let path = folder(sample + ".weir")
        let environment = [
            "WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_SNAPSHOTS": "standard",
            "WEIR_LABELS": "build=412,device=iPhone15,2",
        ]
        let ended = try BuiltCommand("weir-\(sample)", arguments, in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Rows as members by name; the row of the trace itself names its file, so it is left out.
    private func rows(_ ndjson: String) throws -> [[String: any Sendable]] {
        try ndjson.split(separator: "\n").filter { !$0.hasPrefix(#"{"table":"trace""#) }.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
        }
    }

    // MARK: There and back

    @Test func `an imported trace has the same rows, snapshots included`() throws {
        let original = try trace("login", ["published"])
        try #require(try weir("export", original, "-o", "login.ndjson").status == 0)
        let imported = try weir("import", folder("login.ndjson"), "-o", "copy.weir")
        #expect(imported.status == 0 && imported.errors.isEmpty && imported.output.isEmpty)
        try #require(try weir("export", folder("copy.weir"), "-o", "copy.ndjson").status == 0)
        func body(_ path: String) throws -> [Substring] {
            try text(folder(path)).split(separator: "\n").filter { !$0.hasPrefix(#"{"table":"trace""#) }
        }
        #expect(try body("login.ndjson").count > 200)
        #expect(try body("login.ndjson").first == #"{"table":"labels","trace":1,"name":"build","value":"412"}"#)
        #expect(try body("login.ndjson") == body("copy.ndjson"))
        #expect(try weir("info", "--strict", folder("copy.weir")).status == 0)
        #expect(try weir("leaks", folder("copy.weir")).output == weir("leaks", original).output)
    }

    @Test func `a long trace keeps its causes across chunks, and hops keep theirs`() throws {
        let original = try trace("travel")
        try #require(
            try weir("export", original, "--table", "events", "--table", "trace", "-o", "a.ndjson").status == 0)
        try #require(try weir("import", folder("a.ndjson"), "-o", "a.weir").status == 0)
        let again = try weir("export", folder("a.weir"), "--table", "events")
        // Without definitions there are no names, and no subscription has a node.
        let strip: (String) throws -> [String] = { text in
            try rows(text).map { "\($0["id"] ?? "") \($0["kind"] ?? "") \($0["cause"] ?? "") \($0["depth"] ?? "")" }
        }
        let before = try strip(text(folder("a.ndjson")))
        #expect(before.count > 100)
        #expect(try strip(again.output) == before)
    }

    @Test func `the documentation's Python program writes a trace that import reads`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/WeirReport/WeirReport.docc/Tables.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let parts = text.components(separatedBy: "```python\n")
        try #require(parts.count == 2)
        let program = try #require(parts[1].components(separatedBy: "```").first)
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
        let path = try folder.write("shop.py", program.utf8)
        let python = try BuiltCommand("/usr/bin/env", ["python3", path], in: folder).wait()
        guard python.status != 127 else { return }
        try #require(python.status == 0, "\(python.errors)")
        let rows = try folder.write("shop.ndjson", python.output.utf8)
        try #require(try weir("import", rows, "-o", "shop.weir").status == 0)
        let found = try weir("redundant", folder("shop.weir"))
        #expect(found.status == 1)
        #expect(found.output.contains("Cart.total"), "\(found.output)")
        #expect(found.output.contains("repeated-value"), "\(found.output)")
        let why = try weir("why", folder("shop.weir"), "Cart.total")
        #expect(why.output.contains("Cart.quantity = 3"), "\(why.output)")
    }

    // MARK: CSV

    @Test func `CSV has a file for each table and no formulas`() throws {
        let rows = """
            {"table":"nodes","node":1,"label":"=1+1"}
            {"table":"events","kind":"stimulusBegan","text":"@cmd \\"a\\", b","nanoseconds":1}
            {"table":"events","kind":"emitted","node":1,"value":"-2+3"}
            {"table":"events","kind":"emitted","node":1,"value":-5}
            {"table":"events","kind":"stimulusEnded","nanoseconds":2}
            """
        let path = try folder.write("rows.ndjson", rows.utf8)
        try #require(try weir("import", path, "-o", "rows.weir").status == 0)
        try #require(try weir("export", folder("rows.weir"), "--format", "csv", "-o", "csv").status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder("csv")).sorted()
        #expect(
            files
                == [
                    "events", "findings", "intentions", "labels", "nodes", "objects", "spans", "subscriptions", "trace",
                    "turns", "write_sites",
                ]
                .map { $0 + ".csv" })
        let events = try text(folder("csv/events.csv"))
        #expect(events.contains(#","'@cmd ""a"", b","#), "\(events)")
        #expect(events.contains(#","'-2+3","string","#), "\(events)")
        #expect(events.contains(#",-5,"signed","#), "\(events)")
        #expect(try text(folder("csv/nodes.csv")).contains(#","'=1+1","#))
        let lines = events.split(separator: "\r\n")
        #expect(lines.count == 5)
        #expect(lines[0].split(separator: ",").map(String.init) == ExportTable.events.columns.map { "\($0.name)" })
    }

    // MARK: Bad input

    @Test(arguments: [
        (#"{"table":"event"}"#, "there is no table 'event'"),
        (#"{"table":"events"}"#, "'kind' is missing"),
        (#"{"table":"events","kind":"emited","node":1}"#, "there is no kind of event 'emited'"),
        (#"{"table":"events","kind":"emitted"}"#, "'node' must be a number from 1"),
        (#"{"table":"events","kind":"emitted","node":4294967296}"#, "'node' must be below 4294967296"),
        (#"{"table":"events","kind":"suppressed","node":1,"reason":"sad"}"#, "there is no reason 'sad' for this"),
        (#"{"table":"nodes","node":1,"kind":"combiner","strategy":"some"}"#, "there is no strategy 'some'"),
        (
            #"{"table":"events","kind":"emitted","node":1,"value":"x","form":"signed"}"#,
            "'value' is not of the form 'signed'"
        ),
        (#"{"table":"events","kind":"frame","id":"1-2"}"#, #"'id' must be a thread and a number, such as "1:42""#),
        (#"{"table":"labels","name":"build"}"#, "labels: 'build' has no value"),
        (#"{"table":"trace","version":2}"#, "the tables have version 2; this weir reads versions up to 1"),
        (#"{"table":"nodes","node":1"#, "a ',' or '}' is missing (column 26)"),
    ])
    func `a line that cannot be imported is named, and no trace is left`(row: String, problem: String) throws {
        let path = try folder.write("rows.ndjson", ("\n" + row + "\n").utf8)
        let ended = try weir("import", path, "-o", "rows.weir")
        #expect(ended.status == 3)
        #expect(ended.errors == "weir: \(path): line 2: \(problem). No trace was written.\n")
        #expect(!FileManager.default.fileExists(atPath: folder("rows.weir")))
    }

    @Test func `times and numbers of a thread do not go back`() throws {
        for (second, problem) in [
            (#""nanoseconds":4"#, "'nanoseconds' is before the previous event of the thread"),
            (#""id":"1:6""#, "'id' is not after the thread's previous event, number 7"),
        ] {
            let rows =
                #"{"table":"events","kind":"frame","id":"1:7","nanoseconds":5}"# + "\n"
                + #"{"table":"events","kind":"frame","# + second + "}\n"
            let path = try folder.write("rows.ndjson", rows.utf8)
            let ended = try weir("import", path, "-o", "rows.weir")
            #expect(ended.errors == "weir: \(path): line 2: \(problem). No trace was written.\n")
        }
    }

    @Test func `wrong usage exits with 2, an unwritable output with 5`() throws {
        let path = try trace("login", ["published"])
        for (arguments, status, sentence) in [
            (["export", path, "--format", "csv"], 2, "'weir export --format csv' needs -o FOLDER"),
            (
                ["export", path, "--format", "chrome", "--table", "events"], 2,
                "--table does not apply to --format chrome."
            ),
            (["export", path, "--table", "event"], 2, "--table cannot be 'event'"),
            (["export", path, "-o", path], 2, "is a trace, so it is not replaced"),
            (["export", path, "-o", "no/such/x"], 5, "cannot be written"),
            (["export", path, "--format", "csv", "-o", path + "/x"], 5, "cannot"),
            (["import", path], 2, "'weir import' needs -o TRACE"),
            (["import", "none.ndjson", "-o", "x"], 2, "none.ndjson cannot be read"),
        ] as [([String], Int32, String)] {
            let ended = try BuiltCommand("weir", arguments, in: folder).wait()
            #expect(ended.status == status, "\(arguments) \(ended.errors)")
            #expect(ended.errors.contains(sentence), "\(ended.errors)")
            #expect(ended.output.isEmpty)
        }
    }

    // MARK: The page

    @Test func `the schema in the documentation is that of the rows`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/WeirReport/WeirReport.docc/Resources/weir-tables.schema.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == ExportTable.jsonSchema.indentedText + "\n")
    }

    @Test func `the page documents every column`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/WeirReport/WeirReport.docc/Tables.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for table in ExportTable.allCases {
            let section = try #require(text.components(separatedBy: "\n### \(table.rawValue)\n").dropFirst().first)
            let body = section.components(separatedBy: "\n### ")[0]
            for column in table.columns.dropFirst() {
                #expect(body.contains("`\(column.name)`"), "\(table) \(column.name)")
            }
        }
    }
}
