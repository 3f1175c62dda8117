import Testing
import Weir
import WeirTesting

extension Everything {
    @Suite struct MarbleTests {
        struct Refusal: Error {}

        /// The text of a failed marble test.
        func failure(_ body: (Marbles) throws -> Void) -> String {
            do {
                try marbles(body)
                return "no failure"
            } catch {
                return "\(error)"
            }
        }

        @Test func `A hot source, an operator, an expectation and the source's subscription`() throws {
            try marbles { m in
                let source = m.hot("  --1--2--3--|")
                m.expect(source.filter { $0 != 2 }, "--1-----3--|")
                m.expect(subscriptionsOf: source, "  ^----------!")
            }
        }

        @Test func `A cold source begins anew for every subscription`() throws {
            try marbles { m in
                let source = m.cold("      1-2-|")
                m.expect(source, "         1-2-|")
                m.expect(source, "         ---(^1)-2-|")
                m.expect(source, "         ---(^1)-!")
                m.expect(subscriptionsOf: source, "^---!", "---^---!", "---^-!")
            }
        }

        @Test func `Letters, named values, errors and actions`() throws {
            try marbles(column: .seconds(1)) { m in
                let model = Observable("")
                m.hot("-a-b", of: String.self).subscribe { model.value = $0 }
                m.at(5) { model.value = "end" }
                m.expect(model, "-a-b-z", ["a": "a", "b": "b", "z": "end"])
                m.expect(m.hot("t-f|", of: Bool.self).map { !$0 }, "f-t|")
                m.expect(m.hot("-x", ["x": [1, 2]]).map(\.count), "-2")
                m.expect(m.hot("--#", error: Refusal()), "--#", error: Refusal())
                m.expect(m.hot("--#", error: Refusal()), "--#")
            }
        }

        @Test func `What happens at the subscription is heard, what happens at its end is not`() throws {
            try marbles { m in m.expect(m.hot("0123456"), "--(^2)34!") }
        }

        @Test func `A difference shows both diagrams and both timelines`() {
            let text = failure { m in
                let source = m.hot("--1--2--|")
                m.expect(source, "--1-3---|")
                m.expect(source.map { $0 * 100 }, "--a--b--|", ["a": 100, "b": 300])
                m.expect(subscriptionsOf: source, "-^--!")
            }
            let lines = text.split(separator: "\n").map(String.init)
            #expect(
                lines.filter { !$0.hasPrefix("WeirTests/") } == [
                    "    expected  --1-3---|",
                    "    actual    --1--2--|",
                    "    expected: 1 at 2 ms, 3 at 4 ms, completed at 8 ms",
                    "    actual:   1 at 2 ms, 2 at 5 ms, completed at 8 ms",
                    "    expected  --a--b--|",
                    "    actual    --a--?--|",
                    "    expected: 100 at 2 ms, 300 at 5 ms, completed at 8 ms",
                    "    actual:   100 at 2 ms, 200 at 5 ms, completed at 8 ms",
                    "    expected  -^--!",
                    "    actual:   from 0 ms to 8 ms, from 0 ms to 8 ms",
                ])
            #expect(lines.filter { $0.hasPrefix("WeirTests/MarbleTests.swift:") }.count == 3)
        }

        @Test func `Wrong errors, missing ends and late values are differences`() {
            let wrong: [(Marbles) -> Void] = [
                { $0.expect($0.hot("--#"), "--#", error: Refusal()) },
                { $0.expect($0.hot("--#"), "--|") },
                { $0.expect($0.hot("--|"), "--") },
                { $0.expect($0.hot("-1"), "-1|") },
                { m in m.expect(m.hot("1").delay(.milliseconds(50), on: m.scheduler), "-----") },
                { $0.expect($0.hot("(12)"), "(21)") },
                { m in m.expect(subscriptionsOf: m.hot("1"), "^") },
                { m in m.expect(subscriptionsOf: Signal<Int>.interval(.seconds(1), on: m.scheduler)) },
            ]
            for (index, body) in wrong.enumerated() { #expect(failure(body) != "no failure", "case \(index)") }
        }

        @Test(arguments: [
            ("-1-%", 3, "'%' means nothing here"),
            ("-(1-)", 3, "'-' in a group"),
            ("-(1(", 3, "close the first one"),
            ("-1)", 2, "')' without '('"),
            ("-(12", 4, "a '(' that is not closed"),
            ("-|1", 2, "after the end"),
            ("-|#", 2, "after the end"),
            ("-^-", 1, "in a source"),
            ("-!", 1, "in a source"),
        ])
        func `A diagram that cannot be read is refused with its place and the remedy`(
            diagram: String, column: Int, text: String
        ) {
            let failure = failure { m in m.expect(m.hot(diagram), "-") }
            #expect(failure.contains("at column \(column): ") && failure.contains(text), "\(failure)")
            let pointer = failure.split(separator: "\n").last.map(String.init)
            #expect(pointer == String(repeating: " ", count: 4 + column) + "^")
        }

        @Test func `A value that has no name is refused`() {
            #expect(failure { m in m.expect(m.hot("-a"), "-a", ["a": 1]) }.contains("'a' represents no Int"))
            #expect(failure { m in m.expect(m.hot("-1"), "-b", ["a": 1]) }.contains("'b' represents no Int"))
            #expect(failure { m in m.expect(m.hot("-1"), "-1-^") }.contains("'^' after something else"))
            #expect(failure { m in m.expect(m.hot("-1"), "-!1") }.contains("after '!'"))
            #expect(
                failure { m in m.expect(subscriptionsOf: m.hot("1"), "^1") }.contains("'^', '!' and '-' only"))
        }
    }
}
