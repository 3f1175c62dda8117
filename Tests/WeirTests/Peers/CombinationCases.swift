import Testing
import Weir

extension Everything {
    /// Operators on several signals.
    @MainActor @Suite struct CombinationCases {
        /// `startWith` of RxSwift, `prefix(value:)` of ReactiveSwift, `prepend` of Combine: at once, then the source.
        nonisolated static let startWithRows = [
            PeerCase("-1-2-|", gives: "01-2-|", spans: ["^----!"]),
            PeerCase("|", gives: "(0|)"),
            PeerCase("-", gives: "0-"),
            PeerCase("#", gives: "(0#)"),
            PeerCase("-1-#", gives: "01-#"),
            PeerCase("(12|)", gives: "(012|)"),
            PeerCase("--|", gives: "0-|"),
            PeerCase("-1-2-|", gives: "01!", spans: ["^-!"]),
            PeerCase("-1-2-|", gives: "--(^0)2-|"),
            PeerCase("~-1|", gives: "01|", again: "--(^0)1|"),
            PeerCase("-0-|", gives: "00-|"),
        ]

        @Test(arguments: startWithRows) func `startWith`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].startWith(0) }
        }

        /// `merge` of all three: completes with the last, fails with the first.
        nonisolated static let mergeRows = [
            PeerCase("-1---2-|", "--3-4---|", gives: "-13-42--|", spans: ["^------!"]),
            PeerCase("-1-|", "---2|", gives: "-1-2|"),
            PeerCase("|", "|", gives: "|"),
            PeerCase("|", "-1|", gives: "-1|"),
            PeerCase("-", "-1|", gives: "-1-"),
            PeerCase("-1-#", "--2-3|", gives: "-12#"),
            PeerCase("-1-2-|", "--#", gives: "-1#", spans: ["^-!"]),
            PeerCase("#", "-1", gives: "#"),
            PeerCase("-1-|", "-2-|", gives: "-(12)-|"),
            PeerCase("(12|)", "(34|)", gives: "(1234|)"),
            PeerCase("-1-2-|", "--3-4|", gives: "-13!", spans: ["^--!"]),
            PeerCase("~-1|", "~--2|", gives: "-12|", again: "---^12|", spans: ["^-!", "---^-!"]),
        ]

        @Test(arguments: mergeRows) func `merge`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].merge(sources[1]) }
            try row.check { _, sources in Signal<Int>.merge(sources) }
        }

        /// `concat` of RxSwift and ReactiveSwift, `append` of Combine: the second from the completion of the first on.
        nonisolated static let concatRows = [
            PeerCase("~-1-2|", "~-3|", gives: "-1-2-3|", spans: ["^---!"]),
            PeerCase("-1-|", "--2--3|", gives: "-1---3|"),
            PeerCase("|", "~-1|", gives: "-1|"),
            PeerCase("~-1|", "|", gives: "-1|"),
            PeerCase("|", "~|", gives: "|"),
            PeerCase("-1-", "~-2|", gives: "-1-"),
            PeerCase("-1-#", "~-2|", gives: "-1-#"),
            PeerCase("~-1|", "~-#", gives: "-1-#"),
            PeerCase("#", "~-1", gives: "#"),
            PeerCase("~(12|)", "~(34|)", gives: "(1234|)"),
            PeerCase("~-1|", "~--2|", gives: "-1!", spans: ["^-!"]),
            PeerCase("~-1|", "~-2-3|", gives: "-1-2!"),
            PeerCase("~-1|", "~-2|", gives: "-1-2|", again: "--^1-2|", spans: ["^-!", "--^-!"]),
        ]

        @Test(arguments: concatRows) func `concat`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].concat(sources[1]) }
            try row.check { _, sources in Signal<Int>.concat(sources) }
        }

        /// `combineLatest` of all three: completes with the last, or with one that has not emitted. RxSwift waits for the other
        /// sources then, ReactiveSwift until all have completed.
        nonisolated static let combineLatestRows = [
            PeerCase("-1---2--|", "--3-4--|", gives: "--a-bd--|", names: sums, spans: ["^-------!"]),
            PeerCase("-1-|", "----3|", gives: "----a|", names: sums),
            PeerCase("|", "-3-4|", gives: "|"),
            PeerCase("--|", "-3-4|", gives: "--|", spans: ["^-!"]),
            PeerCase("-1--|", "--|", gives: "--|"),
            PeerCase("-", "-3|", gives: "--"),
            PeerCase("-1-#", "--3|", gives: "--a#", names: sums),
            PeerCase("-1---|", "--3#", gives: "--a#", names: sums, spans: ["^--!"]),
            PeerCase("#", "-3", gives: "#"),
            PeerCase("(12|)", "(34|)", gives: "(cd|)", names: sums),
            PeerCase("-1-2-|", "--3-|", gives: "--a!", names: sums, spans: ["^--!"]),
            PeerCase("-1-2-|", "--3--4|", gives: "--^c-d|", names: sums),
            PeerCase("~-1-2|", "~--3|", gives: "--ac|", again: "---^-ac|", names: sums),
        ]

        private nonisolated static let sums: [Character: String] = [
            "a": "[1, 3]", "b": "[1, 4]", "c": "[2, 3]", "d": "[2, 4]",
        ]

        @Test(arguments: combineLatestRows) func `combineLatest`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].combineLatest(sources[1]) { [$0, $1] } }
            try row.check { _, sources in Signal<Int>.combineLatest(sources) }
        }

        /// `zip` of all three: rows in order; completes as soon as there can be no other row, as Combine and ReactiveSwift do;
        /// RxSwift waits for another value, or for the end of all.
        nonisolated static let zipRows = [
            PeerCase("-1---2--|", "--3-4--|", gives: "--a--d-|", names: sums, spans: ["^------!"]),
            PeerCase("-1-2-|", "---3---4-|", gives: "---a---(d|)", names: sums),
            PeerCase("-1-|", "--3-4|", gives: "--a|", names: sums),
            PeerCase("|", "-3-4|", gives: "|"),
            PeerCase("-12|", "----3|", gives: "----a|", names: sums),
            PeerCase("-", "-3|", gives: "--"),
            PeerCase("-1-#", "--3-|", gives: "--a#", names: sums),
            PeerCase("-12#", "----3|", gives: "---#"),
            PeerCase("-1----|", "---#", gives: "---#", spans: ["^--!"]),
            PeerCase("(12|)", "(34|)", gives: "(ad|)", names: sums),
            PeerCase("-1-2-|", "--3-4|", gives: "--a!", names: sums, spans: ["^--!"]),
            PeerCase("~-1-2|", "~--3-|", gives: "--a-|", again: "---^-a-|", names: sums),
        ]

        @Test(arguments: zipRows) func `zip`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].zip(sources[1]) { [$0, $1] } }
            try row.check { _, sources in Signal<Int>.zip(sources) }
        }

        /// `amb` of RxSwift, the strategy `.race` of ReactiveSwift: the first event of any kind decides.
        nonisolated static let raceRows = [
            PeerCase("---1-2-|", "--3--4|", gives: "--3--4|", spans: ["^-!"]),
            PeerCase("-1-2-|", "--3-4|", gives: "-1-2-|", spans: ["^----!"]),
            PeerCase("-|", "--3|", gives: "-|"),
            PeerCase("--1|", "-#", gives: "-#", spans: ["^!"]),
            PeerCase("-#", "--3|", gives: "-#"),
            PeerCase("-", "--3|", gives: "--3|", spans: ["^-!"]),
            PeerCase("-", "-", gives: "-"),
            PeerCase("|", "|", gives: "|"),
            PeerCase("-1-#", "--3|", gives: "-1-#"),
            PeerCase("~1-2|", "~3-4|", gives: "1-2|"),
            PeerCase("-1-2-|", "-3-4|", gives: "-1-2-|"),
            PeerCase("--1-2-|", "---3-4|", gives: "--1!", spans: ["^--!"]),
            PeerCase("---1-2-|", "--3-4|", gives: "-!", spans: ["^!"]),
            PeerCase("~--1|", "~-3|", gives: "-3|", again: "---^3|", spans: ["^!", "---^!"]),
        ]

        @Test(arguments: raceRows) func `race`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].race(sources[1]) }
            try row.check { _, sources in Signal<Int>.race(sources) }
        }

        /// `withLatestFrom` of RxSwift, `withLatest(from:)` of ReactiveSwift. The end of the other ends nothing; its failure fails, as
        /// in RxSwift.
        nonisolated static let withLatestRows = [
            PeerCase("--1---2--|", "-3-4-----", gives: "--a---d--|", names: sums, spans: ["^--------!"]),
            PeerCase("-1-2-|", "--3-----", gives: "---c-|", names: sums),
            PeerCase("-1-2-|", "3|", gives: "-a-c-|", names: sums),
            PeerCase("-1-2-|", "-----", gives: "-----|"),
            PeerCase("-1-2-|", "|", gives: "-----|"),
            PeerCase("-1-2-|", "3-#", gives: "-a#", names: sums, spans: ["^-!"]),
            PeerCase("-1-#", "3---", gives: "-a-#", names: sums),
            PeerCase("|", "3", gives: "|"),
            PeerCase("-", "3", gives: "-"),
            PeerCase("#", "3", gives: "#"),
            PeerCase("-1-2-|", "(34)--", gives: "-b-d-|", names: sums),
            PeerCase("-1-2-|", "3----", gives: "-a!", names: sums, spans: ["^-!"]),
            PeerCase("~-1-2|", "~--3", gives: "---c|", again: "--^--c|", names: sums),
        ]

        @Test(arguments: withLatestRows) func `withLatest(from:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].withLatest(from: sources[1]) { [$0, $1] } }
        }
    }
}
