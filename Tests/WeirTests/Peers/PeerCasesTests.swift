import Foundation
import Testing

/// Each operator of the index has a table of at least ten cases.
@Suite struct PeerCasesTests {
    private static func operators() throws -> [String] {
        let page = try DocumentationPage("Sources/Weir/Weir.docc/Operators.md")
        let sections = page.text.components(separatedBy: "\n## ").filter {
            !["Sources\n", "Where it ends", "Not operators", "Overview", "#"].contains(where: $0.hasPrefix)
        }
        return sections.flatMap { section in
            section.split(separator: "\n").filter { $0.hasPrefix("- [`") }.map { line in
                DocumentationPage.code(in: String(line))[0]
            }
        }
    }

    @Test func `Every operator has at least ten cases`() throws {
        let folder = DocumentationPage.root.appendingPathComponent("Tests/WeirTests/Peers")
        var cases: [String: Int] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let source = try String(contentsOf: file, encoding: .utf8)
            var tables: [Substring: Int] = [:]
            for part in source.components(separatedBy: "static let ").dropFirst() {
                let table = part.prefix { $0.isLetter }
                tables[table] =
                    part.components(separatedBy: "\n        ]\n")[0].components(separatedBy: "PeerCase(\"").count - 1
            }
            for part in source.components(separatedBy: "@Test(arguments: ").dropFirst() {
                guard let arguments = part.components(separatedBy: ")").first,
                    let table = arguments.components(separatedBy: ", ").last,
                    let name = part.components(separatedBy: "func `").dropFirst().first?.prefix(while: { $0 != "`" })
                else { continue }
                cases[String(name)] = tables[Substring(table)]
            }
        }
        let operators = try Self.operators()
        #expect(operators.count > 40)
        for name in operators { #expect(cases[name, default: 0] >= 10, "\(name)") }
    }
}
