import Dispatch
import Testing
import Weir

extension Everything {
    /// Operators that wait; a column is a millisecond.
    @MainActor @Suite struct TimeCases {
        private let three = DispatchTimeInterval.milliseconds(3)

        /// `delay` of RxSwift and ReactiveSwift: failures are not delayed.
        nonisolated static let delayRows = [
            PeerCase("-1-2-|", gives: "---1-2-|", spans: ["^----!"]),
            PeerCase("-1|", gives: "---1|"),
            PeerCase("|", gives: "--|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1--#", gives: "---1#"),
            PeerCase("-1#", gives: "--#"),
            PeerCase("(12|)", gives: "--(12|)"),
            PeerCase("-1-1-|", gives: "---1-1-|"),
            PeerCase("-1-2-|", gives: "---1!", spans: ["^---!"]),
            PeerCase("-1-2|", gives: "---1-!", spans: ["^---!"]),
            PeerCase("~-1|", gives: "---1|", again: "--^--1|", spans: ["^-!", "--^-!"]),
        ]

        @Test(arguments: delayRows) func `delay`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].delay(.milliseconds(2), on: time) }
        }

        /// `debounce` of RxSwift: a pending value is emitted at completion. Combine and, by default, ReactiveSwift drop it.
        nonisolated static let debounceRows = [
            PeerCase("-1-2-----3|", gives: "------2---(3|)", spans: ["^---------!"]),
            PeerCase("-1----|", gives: "----1-|"),
            PeerCase("-1|", gives: "--(1|)"),
            PeerCase("-1-#", gives: "---#"),
            PeerCase("-1---#", gives: "----1#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-123---|", gives: "------3|"),
            PeerCase("-1---2---|", gives: "----1---2|"),
            PeerCase("(12)---|", gives: "---2|"),
            PeerCase("-1-----|", gives: "---!", spans: ["^--!"]),
            PeerCase("~-1----|", gives: "----1-|", again: "--^---1-|"),
        ]

        @Test(arguments: debounceRows) func `debounce`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].debounce(three, on: time) }
        }

        /// `throttle` of all three, with the latest value. A pending value is emitted at completion. RxSwift and Combine
        /// emit it when it is due, and complete then; ReactiveSwift drops it.
        nonisolated static let throttleRows = [
            PeerCase("-1-2-3---|", gives: "-1--2--3-|", spans: ["^--------!"]),
            PeerCase("-1-----2-|", gives: "-1-----2-|"),
            PeerCase("-12|", gives: "-1-(2|)"),
            PeerCase("-12#", gives: "-1-#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1|", gives: "-1|"),
            PeerCase("(123)---|", gives: "1--3|"),
            PeerCase("-12----|", gives: "-1--2--|"),
            PeerCase("-12----|", gives: "-1-!", spans: ["^--!"]),
            PeerCase("~-12---|", gives: "-1--2-|", again: "---^1--2-|"),
        ]

        @Test(arguments: throttleRows) func `throttle`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].throttle(three, on: time) }
        }

        /// `sample` of RxSwift with an interval; a pending value is dropped at the end.
        nonisolated static let sampleRows = [
            PeerCase("-1---2---|", gives: "---1--2--|", spans: ["^--------!"]),
            PeerCase("-12----|", gives: "---2---|"),
            PeerCase("-1--3---|", gives: "---1--3-|"),
            PeerCase("1-----|", gives: "---1--|"),
            PeerCase("-1-----|", gives: "---1---|"),
            PeerCase("-1|", gives: "--|"),
            PeerCase("-1-#", gives: "---#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("-1-----|", gives: "--!", spans: ["^-!"]),
            PeerCase("~-1----|", gives: "---1--|", again: "--^--1--|"),
        ]

        @Test(arguments: sampleRows) func `sample(every:on:)`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].sample(every: three, on: time) }
        }

        /// `collect(.byTime)` of Combine, `buffer(timeSpan:count:scheduler:)` of RxSwift, `collect(every:on:)` of ReactiveSwift count from
        /// the subscription on, and the last two emit empty arrays; here the time begins with a value.
        nonisolated static let bufferRows = [
            PeerCase("-1-2-----3-|", gives: "----x------(y|)", names: ["x": "[1, 2]", "y": "[3]"]),
            PeerCase("-1----|", gives: "----x-|", names: ["x": "[1]"]),
            PeerCase("-1|", gives: "--(x|)", names: ["x": "[1]"]),
            PeerCase("-1-#", gives: "---#"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "-"),
            PeerCase("#", gives: "#"),
            PeerCase("(12)----|", gives: "---x-|", names: ["x": "[1, 2]"]),
            PeerCase("-1---2---|", gives: "----x---y|", names: ["x": "[1]", "y": "[2]"]),
            PeerCase("-1------|", gives: "---!", spans: ["^--!"]),
            PeerCase("~-1----|", gives: "----x-|", again: "--^---x-|", names: ["x": "[1]"]),
        ]

        @Test(arguments: bufferRows) func `buffer(time:on:)`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].buffer(time: three, on: time) }
        }

        /// `timeout` of RxSwift, and of Combine with a `customError`: silence fails. That of ReactiveSwift is a deadline for completion.
        nonisolated static let timeoutRows = [
            PeerCase("-1-2-|", gives: "-1-2-|", spans: ["^----!"]),
            PeerCase("----1|", gives: "---#", spans: ["^--!"]),
            PeerCase("-1----2|", gives: "-1--#", spans: ["^---!"]),
            PeerCase("-1-2---3|", gives: "-1-2--#"),
            PeerCase("-1--|", gives: "-1--|"),
            PeerCase("|", gives: "|"),
            PeerCase("-", gives: "---#"),
            PeerCase("#", gives: "#"),
            PeerCase("--#", gives: "--#"),
            PeerCase("(12)-|", gives: "(12)-|"),
            PeerCase("-1----|", gives: "-1!", spans: ["^-!"]),
            PeerCase("~-1|", gives: "-1|", again: "--^1|", spans: ["^-!", "--^-!"]),
        ]

        @Test(arguments: timeoutRows) func `timeout`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].timeout(three, on: time) }
        }
    }
}
