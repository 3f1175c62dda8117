import Testing
import WeirTrace

/// A build without the trait `Recording` has declarations of its own in place of these. The tests need the trait, so they read the text.
struct OffVocabularyTests {
    @Test func `Without recording the enums have the same cases`() throws {
        let cases = try Self.cases()
        #expect(cases["NodeKind"] == NodeKind.allCases.map { "\($0)" })
        #expect(cases["SuppressionReason"] == SuppressionReason.allCases.map { "\($0)" })
        #expect(cases["SubscriptionEndReason"] == SubscriptionEndReason.allCases.map { "\($0)" })
        #expect(cases["TraceTechnique"] == NodeTechnique.allCases.map { "\($0)" })
        #expect(cases["NodeStrategy"] == NodeStrategy.allCases.map { "\($0)" })
        #expect(cases.count == 5)
    }

    /// The names of the cases of each enum in the file.
    private static func cases() throws -> [String: [String]] {
        var (found, name): ([String: [String]], String?) = ([:], nil)
        var isCase = false
        for line in try DocumentationPage("Sources/Weir/Off/Vocabulary.swift").lines {
            let words = line.split(separator: " ")
            if let place = words.firstIndex(of: "enum") { name = words[place + 1].filter { $0 != ":" } }
            isCase = isCase && line.hasPrefix("        ") || line.hasPrefix("    case ")
            guard isCase, let name else { continue }
            let listed = line.split(separator: ",").map { part in
                part.split(separator: " ").first { $0 != "case" }.map { $0.filter { $0 != "`" } } ?? ""
            }
            found[name, default: []] += listed
        }
        return found
    }
}
