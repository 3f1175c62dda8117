import Testing
import WeirAnalysis
import WeirTestSupport

struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("info", "info", 0), ("inof", "info", 1),
        ("evnts", "events", 1),
        ("recrod", "record", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("日本", "日本語", 1),
    ])
    func `edits are counted as a person counts them`(_ one: String, _ other: String, _ edits: Int) {
        #expect(Spelling.distance(one, other) == edits)
        #expect(Spelling.distance(other, one) == edits)
    }

    @Test func `the distance agrees with trying every edit on short random words`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let one = randomWord(&random)
            let other = randomWord(&random)
            #expect(
                Spelling.distance(one, other) == bruteForce(Array(one)[...], Array(other)[...]),
                "\(one) \(other)")
        }
    }

    @Test func `near words come best first, and far ones not at all`() {
        let words = ["info", "events", "record", "demo"]
        #expect(Spelling.nearest(to: "inof", among: words) == ["info"])
        #expect(Spelling.nearest(to: "EVENT", among: words) == ["events"])
        #expect(Spelling.nearest(to: "graph", among: words).isEmpty)
        #expect(Spelling.nearest(to: "cat", among: ["bat", "cat", "cart", "dog"]) == ["cat", "bat", "cart"])
        #expect(Spelling.nearest(to: "cat", among: ["bat", "cat", "cart"], limit: 1) == ["cat"])
    }

    private func randomWord(_ random: inout SeededGenerator) -> String {
        String(
            (0..<Int.random(in: 0...5, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a"
            })
    }

    /// Optimal string alignment by its definition: tries all alignments, without a table.
    private func bruteForce(_ one: ArraySlice<Character>, _ other: ArraySlice<Character>) -> Int {
        guard let last = one.last, let otherLast = other.last else { return max(one.count, other.count) }
        let (short, otherShort) = (one.dropLast(), other.dropLast())
        var best = bruteForce(short, otherShort) + (last == otherLast ? 0 : 1)
        best = min(best, bruteForce(short, other) + 1, bruteForce(one, otherShort) + 1)
        if short.last == otherLast && otherShort.last == last && !short.isEmpty && !otherShort.isEmpty {
            best = min(best, bruteForce(short.dropLast(), otherShort.dropLast()) + 1)
        }
        return best
    }
}
