import Testing
import Weir

extension Everything {
    /// Operators that pass everything on, on another scheduler or with a side effect.
    @MainActor @Suite struct PassingCases {
        nonisolated static let passRows = [
            PeerCase("-1-2-3-|", gives: "-1-2-3-|", spans: ["^------!"]),
            PeerCase("-1-1-|", gives: "-1-1-|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("(123|)", gives: "(123|)"),
            PeerCase("(12#)", gives: "(12#)"),
            PeerCase("-1-2-3-|", gives: "-1-2!", spans: ["^---!"]),
            PeerCase("-1-2-3-|", gives: "--^2-3-|"),
            PeerCase("~-1-2|", gives: "-1-2|", again: "---^1-2|", spans: ["^---!", "---^---!"]),
        ]

        /// `observe(on:)` of RxSwift and ReactiveSwift, `receive(on:)` of Combine.
        @Test(arguments: passRows) func `deliver(on:)`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].deliver(on: time) }
            try row.check { _, sources in sources[0].deliver(on: .immediate) }
        }

        /// `subscribe(on:)` of RxSwift and Combine, `start(on:)` of ReactiveSwift.
        @Test(arguments: passRows) func `subscribe(on:)`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].subscribe(on: time) }
            try row.check { _, sources in sources[0].subscribe(on: .immediate) }
        }

        /// `do` of RxSwift, `on` of ReactiveSwift, `handleEvents` of Combine.
        @Test(arguments: passRows) func `onEvent`(_ row: PeerCase) throws {
            let (begins, ends) = (Locked(0), Locked(0))
            try row.check { _, sources in
                sources[0].onEvent(
                    subscribed: { begins.change { $0 += 1 } }, disposed: { ends.change { $0 += 1 } }
                ) { event in
                    if case .next = event {} else { ends.change { $0 += 1 } }
                }
            }
            // Each subscription ends once, no later than the test.
            #expect(begins.value == (row.again == nil ? 1 : 2) && ends.value == begins.value)
        }

        @Test(arguments: passRows) func `disclosed`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].disclosed() }
        }

        @Test(arguments: passRows) func `intended`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].map { $0 }.intended(.burst, because: "a test") }
        }

        private struct Paper: TextOutputStream, Sendable {
            let text = Locked("")
            mutating func write(_ string: String) { text.change { $0 += string } }
        }

        @Test(arguments: passRows) func `print`(_ row: PeerCase) throws {
            let paper = Paper()
            try row.check { _, sources in sources[0].print("p", to: paper) }
            #expect(paper.text.value.hasPrefix("p: subscribed\n"))
        }

        /// The output of `print`; `debug` of RxSwift and `print` of Combine have a line for each of these, too.
        @Test(arguments: [
            ("-1-2-|", "-1-2-|", "subscribed, next 1, next 2, completed"),
            ("|", "|", "subscribed, completed"),
            ("#", "#", "subscribed, failed MarbleFailure()"),
            ("-1-#", "-1-#", "subscribed, next 1, failed MarbleFailure()"),
            ("-1-2-|", "-1!", "subscribed, next 1, disposed"),
            ("-", "-!", "subscribed, disposed"),
            ("-", "-", "subscribed, disposed"),
            ("(12|)", "(12|)", "subscribed, next 1, next 2, completed"),
            ("~1|", "1|", "subscribed, next 1, completed"),
            ("-1-1|", "-1-1|", "subscribed, next 1, next 1, completed"),
        ])
        func `the lines of print`(_ source: String, _ result: String, _ lines: String) throws {
            let paper = Paper()
            try PeerCase(source, gives: result).check { _, sources in sources[0].print("p", to: paper) }
            let expected = lines.split(separator: ", ").map { "p: \($0)\n" }.joined()
            #expect(paper.text.value == expected)
        }

        @Test func `print hides what is private, and names the line of its call`() {
            let paper = Paper()
            let secret = Emitter<String>(privacy: .private)
            secret.print(to: paper).subscribe { _ in }
            secret.map { $0.count }.disclosed().print("length", to: paper).subscribe { _ in }
            secret.emit("sesame")
            secret.fail(Refusal())
            let lines = paper.text.value.split(separator: "\n")
            #expect(lines.count == 6 && lines[0].hasPrefix("PassingCases.swift:"))
            #expect(lines[2].hasSuffix(": next ‹private›") && lines[3] == "length: next 6")
            #expect(lines[4].hasSuffix(": failed ‹private›") && !paper.text.value.contains("sesame"))
        }
    }
}
