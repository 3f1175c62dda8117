import Testing
import Weir

extension Everything {
    /// Operators that drop values, or end the signal before its source ends.
    @MainActor @Suite struct ChoiceCases {
        /// `filter` of all three; an error of the closure ends it (Combine's `tryFilter`).
        nonisolated static let filterRows = [
            PeerCase("-1-2-3-4-|", gives: "---2---4-|", spans: ["^--------!"]),
            PeerCase("-2-2-|", gives: "-2-2-|"),
            PeerCase("-1-3-|", gives: "-----|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "---2-#"),
            PeerCase("(1234|)", gives: "(24|)"),
            PeerCase("-2-5-4-|", gives: "-2-#", spans: ["^--!"]),
            PeerCase("-2-4-6-|", gives: "-2-4!", spans: ["^---!"]),
            PeerCase("~-1-2|", gives: "---2|", again: "---^--2|", spans: ["^---!", "---^---!"]),
        ]

        @Test(arguments: filterRows) func `filter`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].filter { try refusingFive($0) % 2 == 0 } }
        }

        /// `distinctUntilChanged` of RxSwift, `skipRepeats` of ReactiveSwift, `removeDuplicates` of Combine: the first
        /// value and every value that differs from the previous one; an earlier value may come again.
        nonisolated static let removeDuplicatesRows = [
            PeerCase("-1-1-2-2-1-|", gives: "-1---2---1-|", spans: ["^----------!"]),
            PeerCase("-1-1-1-|", gives: "-1-----|"),
            PeerCase("-1-2-3-|", gives: "-1-2-3-|"),
            PeerCase("-1-2-1-2-|", gives: "-1-2-1-2-|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-1-#", gives: "-1---#"),
            PeerCase("(1122|)", gives: "(12|)"),
            PeerCase("-1-1-2-|", gives: "-1--!", spans: ["^---!"]),
            PeerCase("-1-1-2-|", gives: "--^1-2-|"),
            PeerCase("~-1-1-2|", gives: "-1---2|", again: "--^1---2|"),
        ]

        @Test(arguments: removeDuplicatesRows) func `removeDuplicates`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].removeDuplicates() }
        }

        /// The same by a key (RxSwift's `distinctUntilChanged(_:)`), or a comparison with the value that was emitted last.
        nonisolated static let removeDuplicatesByRows = [
            PeerCase("-1-3-2-4-|", gives: "-1---2---|"),
            PeerCase("-1-2-3-4-|", gives: "-1-2-3-4-|"),
            PeerCase("-2-4-6-|", gives: "-2-----|"),
            PeerCase("-1-1-2-|", gives: "-1---2-|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-3-#", gives: "-1---#"),
            PeerCase("(1324|)", gives: "(12|)"),
            PeerCase("-1-3-2-|", gives: "-1--!", spans: ["^---!"]),
            PeerCase("~-1-3-2|", gives: "-1---2|", again: "--^1---2|"),
        ]

        @Test(arguments: removeDuplicatesByRows) func `removeDuplicates(by:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].removeDuplicates(by: { $0 % 2 }) }
            try row.check { _, sources in sources[0].removeDuplicates(by: { $0 % 2 == $1 % 2 }) }
        }

        /// `take` of RxSwift, `take(first:)` of ReactiveSwift, `prefix` of Combine: completes with the last value, and ends the
        /// subscription.
        nonisolated static let takeRows = [
            PeerCase("-1-2-3-|", gives: "-1-(2|)", spans: ["^--!"]),
            PeerCase("-1-|", gives: "-1-|"),
            PeerCase("-1-2|", gives: "-1-(2|)", spans: ["^--!"]),
            PeerCase("-1-2#", gives: "-1-(2|)", spans: ["^--!"]),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(123|)", gives: "(12|)"),
            PeerCase("-1-2-3-|", gives: "-1!", spans: ["^-!"]),
            PeerCase("-1-2-3-|", gives: "--^2-(3|)", spans: ["--^--!"]),
            PeerCase("~-1-2-3|", gives: "-1-(2|)", again: "---^1-(2|)", spans: ["^--!", "---^--!"]),
        ]

        @Test(arguments: takeRows) func `take`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].take(2) }
        }

        /// `take(while:)` of RxSwift and ReactiveSwift, `prefix(while:)` of Combine: the value that fails the test is left out.
        nonisolated static let takeWhileRows = [
            PeerCase("-1-2-3-1-|", gives: "-1-2-|", spans: ["^----!"]),
            PeerCase("-1-2-|", gives: "-1-2-|"),
            PeerCase("-3-1-|", gives: "-|", spans: ["^!"]),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("-1-3#", gives: "-1-|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(1231|)", gives: "(12|)"),
            PeerCase("-1-5-|", gives: "-1-#", spans: ["^--!"]),
            PeerCase("-1-2-3-|", gives: "-1!", spans: ["^-!"]),
            PeerCase("~-1-3|", gives: "-1-|", again: "--^1-|", spans: ["^--!", "--^--!"]),
        ]

        @Test(arguments: takeWhileRows) func `take(while:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].take(while: { try refusingFive($0) < 3 }) }
        }

        /// `take(until:)` of RxSwift and ReactiveSwift, `prefix(untilOutputFrom:)` of Combine. The completion of the other ends
        /// nothing, as in RxSwift and Combine; in ReactiveSwift it does. Its failure fails, as in RxSwift; Combine ignores it.
        nonisolated static let takeUntilRows = [
            PeerCase("-1-2-3-|", "----0-", gives: "-1-2|", spans: ["^---!"]),
            PeerCase("-1-2-3-|", "0-----", gives: "|"),
            PeerCase("-1-2-3-|", "--|", gives: "-1-2-3-|"),
            PeerCase("-1-2-3-|", "------", gives: "-1-2-3-|"),
            PeerCase("-1-2-3-|", "--#", gives: "-1#", spans: ["^-!"]),
            PeerCase("-1-2-#", "--------0", gives: "-1-2-#"),
            PeerCase("-1-|", "-----0", gives: "-1-|"),
            PeerCase("|", "--0", gives: "|"),
            PeerCase("-", "--0", gives: "--|"),
            PeerCase("#", "--0", gives: "#"),
            PeerCase("-1-2-3-|", "------0", gives: "-1-2!", spans: ["^---!"]),
            PeerCase("~-1-2-3|", "~--0", gives: "-1|", again: "---^1|", spans: ["^-!", "---^-!"]),
            PeerCase("~(12|)", "~0", gives: "|", spans: []),
        ]

        @Test(arguments: takeUntilRows) func `takeUntil`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].takeUntil(sources[1]) }
        }

        /// `last` of Combine, `takeLast(1)` of RxSwift, `take(last: 1)` of ReactiveSwift: nothing where there was nothing.
        nonisolated static let lastRows = [
            PeerCase("-1-2-3-|", gives: "-------(3|)", spans: ["^------!"]),
            PeerCase("-1|", gives: "--(1|)"),
            PeerCase("|", gives: "|"),
            PeerCase("---|", gives: "---|"),
            PeerCase("-", gives: "-"),
            PeerCase("-1-2-", gives: "-----"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-2-#", gives: "-----#"),
            PeerCase("(123|)", gives: "(3|)"),
            PeerCase("-1-2-|", gives: "----!", spans: ["^---!"]),
            PeerCase("~-1-2|", gives: "----(2|)", again: "--^---(2|)"),
        ]

        @Test(arguments: lastRows) func `last`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].last() }
        }

        /// `skip` of RxSwift, `skip(first:)` of ReactiveSwift, `dropFirst` of Combine.
        nonisolated static let skipRows = [
            PeerCase("-1-2-3-4-|", gives: "-----3-4-|", spans: ["^--------!"]),
            PeerCase("-1-2-|", gives: "-----|"),
            PeerCase("-1-|", gives: "---|"),
            PeerCase("-1-#", gives: "---#"),
            PeerCase("-1-2-3-#", gives: "-----3-#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(123|)", gives: "(3|)"),
            PeerCase("-1-2-3-4-|", gives: "-----3!", spans: ["^-----!"]),
            PeerCase("-1-2-3-4-|", gives: "--^----4-|"),
            PeerCase("~-1-2-3|", gives: "-----3|", again: "--^----3|"),
        ]

        @Test(arguments: skipRows) func `skip`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].skip(2) }
        }

        /// `skip(while:)` of RxSwift and ReactiveSwift, `drop(while:)` of Combine: starts with the first value that fails the test.
        nonisolated static let skipWhileRows = [
            PeerCase("-1-2-3-1-|", gives: "-----3-1-|", spans: ["^--------!"]),
            PeerCase("-3-1-|", gives: "-3-1-|"),
            PeerCase("-1-2-|", gives: "-----|"),
            PeerCase("-1-#", gives: "---#"),
            PeerCase("-3-#", gives: "-3-#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(1231|)", gives: "(31|)"),
            PeerCase("-1-5-|", gives: "---#", spans: ["^--!"]),
            PeerCase("-3-5-|", gives: "-3-5-|"),
            PeerCase("-1-3-1-|", gives: "---3!", spans: ["^---!"]),
            PeerCase("~-1-3|", gives: "---3|", again: "--^--3|"),
        ]

        @Test(arguments: skipWhileRows) func `skip(while:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].skip(while: { try refusingFive($0) < 3 }) }
        }

        /// `skip(until:)` of RxSwift and ReactiveSwift, `drop(untilOutputFrom:)` of Combine. The completion of the other opens
        /// nothing, as in RxSwift; in ReactiveSwift it does, in Combine it ends the signal.
        nonisolated static let skipUntilRows = [
            PeerCase("-1-2-3-|", "--0--", gives: "---2-3-|", spans: ["^------!"]),
            PeerCase("-1-2-3-|", "0----", gives: "-1-2-3-|"),
            PeerCase("-1-2-3-|", "--|", gives: "-------|"),
            PeerCase("-1-2-3-|", "-----", gives: "-------|"),
            PeerCase("-1-2-3-|", "--#", gives: "--#", spans: ["^-!"]),
            PeerCase("-1-2-3-|", "--0-#", gives: "---2-3-|"),
            PeerCase("-1-2-#", "--0", gives: "---2-#"),
            PeerCase("|", "--0", gives: "|"),
            PeerCase("-", "--0", gives: "-"),
            PeerCase("#", "--0", gives: "#"),
            PeerCase("-1-2-3-|", "--0--", gives: "---2!", spans: ["^---!"]),
            PeerCase("~-1-2-3|", "~--0", gives: "---2-3|", again: "-^--2-3|"),
        ]

        @Test(arguments: skipUntilRows) func `skipUntil`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].skipUntil(sources[1]) }
        }

        /// `sample` of RxSwift: each value once. RxSwift emits the pending value at the first beat after the end, and ends then, or
        /// with its sampler's completion; ReactiveSwift's `sample(on:)` repeats the latest. Weir ends with the source.
        nonisolated static let sampleRows = [
            PeerCase("-1--2-3-|", "--0---0-0", gives: "--1---3-|", spans: ["^-------!"]),
            PeerCase("-1-----|", "--0-0-0", gives: "--1----|"),
            PeerCase("-1-2-3-|", "-------", gives: "-------|"),
            PeerCase("-1-2-3-|", "--|", gives: "-------|"),
            PeerCase("-1-2-3-|", "--0#", gives: "--1#", spans: ["^--!"]),
            PeerCase("-1-#", "--0-0", gives: "--1#"),
            PeerCase("|", "--0", gives: "|"),
            PeerCase("-", "--0", gives: "-"),
            PeerCase("#", "--0", gives: "#"),
            PeerCase("-1|", "---0", gives: "--|"),
            PeerCase("-1-2-3-|", "--0-0-0", gives: "--1-!", spans: ["^---!"]),
            PeerCase("~-1-2-|", "~--0-0", gives: "--1-2|", again: "---^-1-2|"),
        ]

        @Test(arguments: sampleRows) func `sample(on:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].sample(on: sources[1]) }
        }
    }
}
