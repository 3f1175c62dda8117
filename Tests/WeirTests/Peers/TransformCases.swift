import Testing
import Weir

extension Everything {
    /// Operators that transform each value, or all of them.
    @MainActor @Suite struct TransformCases {
        /// `map` of RxSwift, ReactiveSwift and Combine (`tryMap`): transforms each value; an error of the closure ends it.
        nonisolated static let mapRows = [
            PeerCase("-1-2-3-|", gives: "-2-4-6-|", spans: ["^------!"]),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-#", gives: "-2-#"),
            PeerCase("(123|)", gives: "(246|)"),
            PeerCase("-1-1-1|", gives: "-2-2-2|"),
            PeerCase("-1-5-2-|", gives: "-2-#", spans: ["^--!"]),
            PeerCase("-1-2-3-|", gives: "-2-4!", spans: ["^---!"]),
            PeerCase("-1-2-3-|", gives: "--^4-6-|", spans: ["--^----!"]),
            PeerCase("~-1-2|", gives: "-2-4|", again: "---^2-4|", spans: ["^---!", "---^---!"]),
            PeerCase("~1#", gives: "2#", again: "--(^2)#"),
        ]

        @Test(arguments: mapRows) func `map`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].map { try refusingFive($0) * 2 } }
        }

        /// `compactMap` of all three (ReactiveSwift also `skipNil`).
        nonisolated static let compactMapRows = [
            PeerCase("-1-2-3-4-|", gives: "---2---4-|", spans: ["^--------!"]),
            PeerCase("-1-3-|", gives: "-----|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "---2-#"),
            PeerCase("(1234|)", gives: "(24|)"),
            PeerCase("-2-5-4-|", gives: "-2-#", spans: ["^--!"]),
            PeerCase("-2-4-6-|", gives: "-2-4!", spans: ["^---!"]),
            PeerCase("-2-4-6-|", gives: "--^4-6-|"),
            PeerCase("~-1-2|", gives: "---2|", again: "---^--2|", spans: ["^---!", "---^---!"]),
            PeerCase("-2-2-|", gives: "-2-2-|"),
        ]

        @Test(arguments: compactMapRows) func `compactMap`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].compactMap { try refusingFive($0) % 2 == 0 ? $0 : nil } }
        }

        /// `scan` of all three: the accumulation after each value; the initial one is not emitted.
        nonisolated static let scanRows = [
            PeerCase("-1-2-3-|", gives: "-1-3-6-|", spans: ["^------!"]),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "-1-3-#"),
            PeerCase("(123|)", gives: "(136|)"),
            PeerCase("-1-0-0-|", gives: "-1-1-1-|"),
            PeerCase("-1-5-2-|", gives: "-1-#", spans: ["^--!"]),
            PeerCase("-1-2-3-|", gives: "-1-3!", spans: ["^---!"]),
            PeerCase("-1-2-3-|", gives: "--^2-5-|"),
            PeerCase("~-1-2|", gives: "-1-3|", again: "---^1-3|", spans: ["^---!", "---^---!"]),
        ]

        @Test(arguments: scanRows) func `scan`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].scan(0) { try $0 + refusingFive($1) } }
        }

        /// `reduce` of all three: one value at completion, the initial one if the source was empty; none at a failure.
        nonisolated static let reduceRows = [
            PeerCase("-1-2-3-|", gives: "-------(6|)", spans: ["^------!"]),
            PeerCase("|", gives: "(0|)"),
            PeerCase("---|", gives: "---(0|)"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "-----#"),
            PeerCase("(123|)", gives: "(6|)"),
            PeerCase("-7|", gives: "--(7|)"),
            PeerCase("-1-5-2-|", gives: "---#", spans: ["^--!"]),
            PeerCase("-1-2-3-|", gives: "----!", spans: ["^---!"]),
            PeerCase("-1-2-3-|", gives: "--^----(5|)"),
            PeerCase("~-1-2|", gives: "----(3|)", again: "---^---(3|)", spans: ["^---!", "---^---!"]),
        ]

        @Test(arguments: reduceRows) func `reduce`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].reduce(0) { try $0 + refusingFive($1) } }
        }

        /// `collect` of Combine and ReactiveSwift, `toArray` of RxSwift: an empty array if the source was empty.
        nonisolated static let collectRows = [
            PeerCase("-1-2-3-|", gives: "-------(x|)", names: ["x": "[1, 2, 3]"], spans: ["^------!"]),
            PeerCase("|", gives: "(x|)", names: ["x": "[]"]),
            PeerCase("---|", gives: "---(x|)", names: ["x": "[]"]),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "-----#"),
            PeerCase("(12|)", gives: "(x|)", names: ["x": "[1, 2]"]),
            PeerCase("-1-1|", gives: "----(x|)", names: ["x": "[1, 1]"]),
            PeerCase("-1-2-3-|", gives: "----!", spans: ["^---!"]),
            PeerCase("-1-2-3-|", gives: "--^----(x|)", names: ["x": "[2, 3]"]),
            PeerCase("~-1-2|", gives: "----(x|)", again: "---^---(x|)", names: ["x": "[1, 2]"]),
        ]

        @Test(arguments: collectRows) func `collect`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].collect() }
        }

        /// `buffer` of RxSwift, `collect(count:)` of ReactiveSwift, `collect(_:)` of Combine: at completion they emit the
        /// remaining values, at a failure nothing. RxSwift emits an empty array if no values remain, ReactiveSwift if the
        /// source had no values; Combine and Weir emit no empty array.
        nonisolated static let bufferRows = [
            PeerCase("-1-2-3-4-|", gives: "---x---y-|", names: ["x": "[1, 2]", "y": "[3, 4]"], spans: ["^--------!"]),
            PeerCase("-1-2-3-|", gives: "---x---(y|)", names: ["x": "[1, 2]", "y": "[3]"]),
            PeerCase("-1-|", gives: "---(x|)", names: ["x": "[1]"]),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-3-#", gives: "---x---#", names: ["x": "[1, 2]"]),
            PeerCase("(123|)", gives: "(xy|)", names: ["x": "[1, 2]", "y": "[3]"]),
            PeerCase("-1-2-3-4-|", gives: "---x-!", names: ["x": "[1, 2]"], spans: ["^----!"]),
            PeerCase("-1-2-3-4-|", gives: "--^--x---(y|)", names: ["x": "[2, 3]", "y": "[4]"]),
            PeerCase("~-1-2|", gives: "---x|", again: "--^--x|", names: ["x": "[1, 2]"]),
        ]

        @Test(arguments: bufferRows) func `buffer(count:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].buffer(count: 2) }
        }

        /// `materialize` of RxSwift and ReactiveSwift: events as values, then completion, after a failure, too.
        nonisolated static let materializeRows = [
            PeerCase("-1-2-|", gives: "-a-b-(c|)", names: events, spans: ["^----!"]),
            PeerCase("|", gives: "(c|)", names: events),
            PeerCase("---|", gives: "---(c|)", names: events),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "(f|)", names: events),
            PeerCase("-1-#", gives: "-a-(f|)", names: events, spans: ["^--!"]),
            PeerCase("(12|)", gives: "(abc|)", names: events),
            PeerCase("-1-2-|", gives: "-a!", names: events, spans: ["^-!"]),
            PeerCase("-1-2-|", gives: "--^b-(c|)", names: events),
            PeerCase("~-1|", gives: "-a(c|)", again: "--^a(c|)", names: events),
            PeerCase("-1-1-#", gives: "-a-a-(f|)", names: events),
        ]

        private nonisolated static let events: [Character: String] = [
            "a": "next(1)", "b": "next(2)", "c": "completed", "f": "failed(WeirTesting.MarbleFailure())",
        ]

        @Test(arguments: materializeRows) func `materialize`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].materialize() }
        }

        /// `dematerialize` of RxSwift and ReactiveSwift: values become events; 8 represents a completion, 9 a failure.
        /// Later values are not heard; the end of the source itself is an end, too.
        nonisolated static let dematerializeRows = [
            PeerCase("-1-2-8-|", gives: "-1-2-|", spans: ["^----!"]),
            PeerCase("-1-2-9-|", gives: "-1-2-#", spans: ["^----!"]),
            PeerCase("-8-1-|", gives: "-|"),
            PeerCase("-9-1-|", gives: "-#"),
            PeerCase("-1-|", gives: "-1-|"),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(1829)", gives: "(1|)"),
            PeerCase("-1-2-8-|", gives: "-1!", spans: ["^-!"]),
            PeerCase("~-1-8", gives: "-1-|", again: "--^1-|", spans: ["^--!", "--^--!"]),
        ]

        @Test(arguments: dematerializeRows) func `dematerialize`(_ row: PeerCase) throws {
            try row.check { _, sources in
                sources[0].map { (number: Int) -> Event<Int> in
                    switch number {
                    case 8: .completed
                    case 9: .failed(Refusal())
                    default: .next(number)
                    }
                }.dematerialize()
            }
        }
    }
}
