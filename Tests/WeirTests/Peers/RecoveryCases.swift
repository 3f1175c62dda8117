import Testing
import Weir

extension Everything {
    /// Operators that continue after a failure.
    @MainActor @Suite struct RecoveryCases {
        /// `catch` of RxSwift and Combine, `flatMapError` of ReactiveSwift; without a second source, the closure throws.
        nonisolated static let catchRows = [
            PeerCase("-1-2-|", "~-9|", gives: "-1-2-|", spans: ["^----!"]),
            PeerCase("-1-#", "~-9|", gives: "-1--9|", spans: ["^--!"]),
            PeerCase("#", "~-9|", gives: "-9|"),
            PeerCase("|", "~9|", gives: "|"),
            PeerCase("-", "~9|", gives: "-"),
            PeerCase("-1-#", "~#", gives: "-1-#"),
            PeerCase("-1-#", "~-9-#", gives: "-1--9-#"),
            PeerCase("-1-#", "|", gives: "-1-|"),
            PeerCase("-1-#", "-", gives: "-1--"),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("(12#)", "~(34|)", gives: "(1234|)"),
            PeerCase("-1-#", "~-9-8|", gives: "-1--9!", spans: ["^--!"]),
            PeerCase("~-1#", "~-9|", gives: "-1-9|", again: "---^1-9|", spans: ["^-!", "---^-!"]),
        ]

        @Test(arguments: catchRows) func `catch`(_ row: PeerCase) throws {
            try row.check { _, sources in
                sources[0].catch { _ in
                    guard sources.count > 1 else { throw Refusal() }
                    return sources[1]
                }
            }
        }

        /// `retry(upTo: 1)` of ReactiveSwift, `retry(1)` of Combine: one more attempt. RxSwift counts the first one: `retry(2)`.
        nonisolated static let retryRows = [
            PeerCase("~-1-|", gives: "-1-|", spans: ["^--!"]),
            PeerCase("~-1#", gives: "-1-1#", spans: ["^-!", "--^-!"]),
            PeerCase("~#", gives: "#", spans: ["(^!)", "(^!)"]),
            PeerCase("~|", gives: "|"),
            PeerCase("~-", gives: "-"),
            PeerCase("~-#", gives: "--#"),
            PeerCase("~1#", gives: "11#"),
            PeerCase("-1-#", gives: "-1-#"),
            PeerCase("~(12#)", gives: "(1212#)"),
            PeerCase("~--|", gives: "--|"),
            PeerCase("~-1-2#", gives: "-1-2-1!", spans: ["^---!", "----^-!"]),
            PeerCase("~-1#", gives: "-1-1#", again: "-----^1-1#"),
        ]

        @Test(arguments: retryRows) func `retry`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].retry(1) }
            try row.check { _, sources in sources[0].retry(1, if: { !($0 is Refusal) }) }
        }

        /// The same with a condition that never holds: the failure is passed on. RxSwift does that with `retry(when:)`.
        nonisolated static let refusedRows = [
            PeerCase("~-1-|", gives: "-1-|"), PeerCase("~-1#", gives: "-1#", spans: ["^-!"]),
            PeerCase("~#", gives: "#", spans: ["(^!)"]), PeerCase("~|", gives: "|"), PeerCase("~-", gives: "-"),
            PeerCase("~(12#)", gives: "(12#)"), PeerCase("~-1#", gives: "-1#", again: "---^1#"),
            PeerCase("-1-#", gives: "-1-#", spans: ["^--!"]), PeerCase("~--|", gives: "--|"),
            PeerCase("~-1-2#", gives: "-1!", spans: ["^-!"]),
        ]

        @Test(arguments: refusedRows) func `retry(if:)`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].retry(9, if: { $0 is Refusal }) }
            try row.check { _, sources in sources[0].retry(if: { $0 is Refusal }) }
            try row.check { time, sources in
                sources[0].retry(after: .constant(.milliseconds(1)), on: time, if: { $0 is Refusal })
            }
        }

        /// `retry(upTo: 1, interval: 2, on:)` of ReactiveSwift; a delay in the `retry(when:)` of RxSwift.
        nonisolated static let retryAfterRows = [
            PeerCase("~-1|", gives: "-1|", spans: ["^-!"]),
            PeerCase("~-1#", gives: "-1---1#", spans: ["^-!", "----^-!"]),
            PeerCase("~#", gives: "--#", spans: ["(^!)", "--(^!)"]),
            PeerCase("~|", gives: "|"),
            PeerCase("~-", gives: "-"),
            PeerCase("~-#", gives: "----#"),
            PeerCase("-1-#", gives: "-1---#"),
            PeerCase("~1#", gives: "1--1#"),
            PeerCase("~(12#)", gives: "(12)-(12#)"),
            PeerCase("~-1#", gives: "-1-!", spans: ["^-!"]),
            PeerCase("~-1-2#", gives: "-1-2---1!", spans: ["^---!", "------^-!"]),
            PeerCase("~-1#", gives: "-1---1#", again: "--------^1---1#"),
        ]

        @Test(arguments: retryAfterRows) func `retry(after:on:)`(_ row: PeerCase) throws {
            try row.check { time, sources in sources[0].retry(1, after: .constant(.milliseconds(2)), on: time) }
        }

        /// Waits that double, and start over after a value.
        nonisolated static let backoffRows = [
            PeerCase("~#", gives: "-------#"),
            PeerCase("~-#", gives: "-----------#"),
            PeerCase("~1#", gives: "1-1-1-1#"),
            PeerCase("~1|", gives: "1|"),
        ]

        @Test(arguments: backoffRows) func `retry with waits that double`(_ row: PeerCase) throws {
            try row.check { time, sources in
                sources[0].retry(3, after: .exponential(from: .milliseconds(1), upTo: .milliseconds(9)), on: time)
            }
        }
    }
}
