import Foundation
import Testing

/// Each row of the tables in Migration.md has a test of the same title, which uses the API in the row's last column.
@Suite struct MigrationRowsTests {
    /// The tests of this folder: their titles and bodies.
    private static func tests() throws -> [(title: String, body: String)] {
        let folder = DocumentationPage.root.appendingPathComponent("Tests/WeirTests/Migration")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasSuffix("Rows.swift") }.flatMap { file in
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "@Test func `")
            // Code after the previous function, such as a type, belongs to this test.
            let prefaces = parts.map { $0.components(separatedBy: "\n        }\n").dropFirst().joined() }
            return zip(parts.dropFirst(), prefaces).map { part, preface in
                let title = part.prefix { $0 != "`" }
                return (String(title), preface + part.dropFirst(title.count))
            }
        }
    }

    private static func rows() throws -> [[String]] {
        try DocumentationPage("Sources/Weir/Weir.docc/Migration.md").rows
    }

    @Test func `Every row has a test, and every test a row`() throws {
        let (tests, rows) = (try Self.tests().map(\.title), try Self.rows().map { $0[0] })
        #expect(rows.count > 150)
        #expect(Set(rows).count == rows.count, "two rows of one title")
        #expect(Set(rows).subtracting(tests).sorted() == [], "rows without a test")
        #expect(Set(tests).subtracting(rows).sorted() == [], "tests without a row")
    }

    /// API that only Apple's platforms have, and ordinary words.
    private static let exempt: Set<String> = [
        "UIControl", "NSControl", "actions", "WeirTesting", "weir", "signal", "true", "observable", "replayLazily",
        "_", "ReplaySubject", "AsyncSubject", "Future", "scope", "forever", "customError", "apply",
    ]

    /// Names in the last column that are from other systems or not available on Linux.
    private static let foreign: [String: Set<String>] = [
        "… and the latest for those who come later": ["share"], "Text of a field": ["values", "of", "on"],
        "Events of a control": ["events"],
    ]

    @Test func `The test of a row uses what the row names`() throws {
        let tests = try Dictionary(Self.tests()) { first, _ in first }
        for row in try Self.rows() {
            let body = Self.words(tests[row[0]] ?? "")
            let named = Set(DocumentationPage.code(in: row[5]).flatMap(Self.words)).subtracting(Self.exempt)
            #expect(
                named.subtracting(body).subtracting(Self.foreign[row[0]] ?? []).sorted() == [], "in the row '\(row[0])'"
            )
        }
    }

    private static func words(_ code: String) -> Set<String> {
        Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init).filter { Int($0) == nil })
    }
}
