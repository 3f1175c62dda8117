import Foundation
import Testing
import WeirAnalysis

struct NamePatternTests {
    @Test(arguments: [
        ("LoginViewModel.*", "LoginViewModel.username", true), ("LoginViewModel.*", "LoginView.username", false),
        ("*", "", true), ("", "", true), ("", "a", false), ("*.username", "A.B.username", true),
        ("rows[*].title", "rows[12].title", true), ("a*b*c", "aXbYc", true), ("a*b*c", "aXcYb", false),
        ("über*", "übermut", true),
    ])
    func `a star stands for any characters of a name`(_ pattern: String, _ name: String, _ matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }

    @Test(arguments: [
        ("Sources/Legacy/**", "Sources/Legacy/Old/A.swift", true),
        ("Sources/Legacy", "Sources/Legacy/Old/A.swift", true),
        ("Sources/*/A.swift", "Sources/Legacy/A.swift", true), ("Sources/*/A.swift", "Sources/X/Y/A.swift", false),
        ("Sources/**/A.swift", "Sources/X/Y/A.swift", true), ("A.swift", "Sources/X/A.swift", true),
        ("*View.swift", "Sources/LoginView.swift", true), ("Source", "Sources/A.swift", false),
    ])
    func `in a path a star stops at slashes, and two do not`(_ pattern: String, _ path: String, _ matches: Bool) {
        #expect(NamePattern(pattern).matches(path: path) == matches)
    }

    @Test func `random patterns match as a regular expression does`() throws {
        var random = RandomNumbers(seed: 18)
        for _ in 0..<2000 {
            let pattern = String((0..<random.number(below: 7)).map { _ in random.element(of: "ab*.") })
            let name = String((0..<random.number(below: 9)).map { _ in random.element(of: "ab.") })
            let expression = try NSRegularExpression(
                pattern: "^"
                    + pattern.map { $0 == "*" ? ".*" : NSRegularExpression.escapedPattern(for: String($0)) }.joined()
                    + "$")
            let range = NSRange(name.startIndex..., in: name)
            let expected = expression.firstMatch(in: name, range: range) != nil
            #expect(NamePattern(pattern).matches(name) == expected, "\(pattern) and \(name)")
        }
    }
}

/// Numbers by a seed (SplitMix64).
struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    mutating func element(of text: String) -> Character { text.randomElement(using: &self) ?? " " }
}
