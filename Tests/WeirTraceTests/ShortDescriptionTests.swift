import Testing

@testable import WeirTrace

/// How descriptions that exceed the limit of a recording are shortened.
struct ShortDescriptionTests {
    private func short(_ text: String, _ limit: Int) -> String {
        var text = text
        return text.withUTF8 { String(decoding: ShortDescription.bytes(of: $0, limit: limit), as: UTF8.self) }
    }

    @Test func `long texts of a structure give way to its last fields`() {
        let text = String(repeating: "lorem ipsum ", count: 30)
        let (off, on) = [false, true].reduce(into: ("", "")) { all, isLoading in
            let found = short("State(text: \"\(text)\", user: \"Maruko\", isLoading: \(isLoading))", 200)
            if isLoading { all.1 = found } else { all.0 = found }
        }
        let kept = String(repeating: "lorem ipsum ", count: 6).prefix(64)
        #expect(off.hasPrefix("State(text: \"\(kept)…#"))
        #expect(off.hasSuffix("\", user: \"Maruko\", isLoading: false)"), "\(off)")
        #expect(on.hasSuffix("isLoading: true)"))
        #expect(off.dropLast(6) == on.dropLast(5), "only the last field differs")
    }

    @Test func `texts that begin alike remain different, in each run in the same way`() {
        let (one, other) = (String(repeating: "a", count: 300) + "x", String(repeating: "a", count: 300) + "y")
        #expect(short("Item(name: \"\(one)\")", 100) != short("Item(name: \"\(other)\")", 100))
        #expect(short("Item(name: \"\(one)\")", 100) == "Item(name: \"\(String(repeating: "a", count: 64))…#0ce0\")")
    }

    @Test func `many texts are shortened further, and what is left is cut off`() {
        let names = (1...40).map { "\"name number \($0) of a list\"" }.joined(separator: ", ")
        let found = short("List(names: [\(names)], isOpen: true)", 120)
        #expect(found.utf8.count <= 120 && found.hasPrefix("List(names: [\"name num…#"), "\(found)")
        #expect(short("no quotes, only a long sentence", 9) == "no quotes")
        #expect(short("ab\"", 2) == "ab")
    }

    @Test(arguments: 0..<200) func `it is valid text within the limit`(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let parts = ["\"", "\\\"", "\\\\", "é", "名", "😀", "a", "bc ", "(", ", x: ", "\\u{1}"]
        let text = (0..<Int.random(in: 1...300, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined()
        let limit = Int.random(in: 1...max(1, text.utf8.count - 1), using: &random)
        let found = short(text, limit)
        #expect(found.utf8.count <= limit && !found.contains("\u{FFFD}"), "\(text) → \(found)")
    }
}
