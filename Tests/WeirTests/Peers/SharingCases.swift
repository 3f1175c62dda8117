import Testing
import Weir

extension Everything {
    /// Operators that share one subscription: two subscribers each.
    @MainActor @Suite struct SharingCases {
        /// `share` of RxSwift; `share` of Combine differs for late subscribers: it completes them.
        nonisolated static let shareRows = [
            PeerCase("~-1-2-|", gives: "-1-2-|", again: "--^2-|", spans: ["^----!"]),
            PeerCase("~-1-2-|", gives: "-1!", again: "---^1-2-|", spans: ["^-!", "---^----!"]),
            PeerCase("~-1-2|", gives: "-1-2|", again: "------^1-2|", spans: ["^---!", "------^---!"]),
            PeerCase("~-1-#", gives: "-1-#", again: "--^#", spans: ["^--!"]),
            PeerCase("~-1-#", gives: "-1-#", again: "----^1-#", spans: ["^--!", "----^--!"]),
            PeerCase("~|", gives: "|", again: "--(^|)"),
            PeerCase("~-", gives: "-", again: "--^-"),
            PeerCase("~#", gives: "#", again: "--(^#)"),
            PeerCase("~(12|)", gives: "(12|)", again: "--(^12|)"),
            PeerCase("-1-2-|", gives: "-1-2-|", again: "--^2-|", spans: ["^----!"]),
            PeerCase("~-1-2-3|", gives: "-1-2!", again: "--^2-3|", spans: ["^-----!"]),
            PeerCase("~-1-2-3|", gives: "-1-2!", again: "--^2!", spans: ["^---!"]),
        ]

        @Test(arguments: shareRows) func `share`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].share() }
        }

        /// `share(replay: 1)` of RxSwift, but for those who come after the completion: they get the value and the completion, as with
        /// `.forever` and with `replayLazily` of ReactiveSwift; that replays a failure, too.
        nonisolated static let replayRows = [
            PeerCase("~-1-2-|", gives: "-1-2-|", again: "--(^1)2-|", spans: ["^----!"]),
            PeerCase("~-1-2-|", gives: "-1-2-|", again: "------(^2|)", spans: ["^----!"]),
            PeerCase("~-1-#", gives: "-1-#", again: "-----^1-#", spans: ["^--!", "-----^--!"]),
            PeerCase("~-1-2-|", gives: "-1!", again: "---^1-2-|", spans: ["^-!", "---^----!"]),
            PeerCase("~|", gives: "|", again: "--(^|)", spans: ["(^!)"]),
            PeerCase("~-", gives: "-", again: "--^-"),
            PeerCase("~#", gives: "#", again: "--(^#)"),
            PeerCase("~(12|)", gives: "(12|)", again: "--(^2|)", spans: ["(^!)"]),
            PeerCase("-1-2-|", gives: "-1-2-|", again: "--(^1)2-|"),
            PeerCase("~-1---|", gives: "-1---|", again: "---(^1)-|"),
            PeerCase("~-1-2-3|", gives: "-1-2!", again: "--(^1)2-3|", spans: ["^-----!"]),
            PeerCase("~-1-1-|", gives: "-1-1-|", again: "--(^1)1-|"),
        ]

        @Test(arguments: replayRows) func `replay`(_ row: PeerCase) throws {
            try row.check { _, sources in sources[0].replay(1) }
        }

        /// `multicast` of RxSwift and Combine, through a subject without memory; connected at the second column. The subject stays
        /// ended.
        nonisolated static let multicastRows = [
            PeerCase("~-1-2|", gives: "--1-2|", again: "---^2|", spans: ["-^---!"]),
            PeerCase("~-1-2|", gives: "--1-2|", again: "--1-2|", spans: ["-^---!"]),
            PeerCase("~|", gives: "-|", again: "--(^|)", spans: ["-(^!)"]),
            PeerCase("~#", gives: "-#", again: "--(^#)"),
            PeerCase("~-", gives: "-", again: "--^-"),
            PeerCase("~(12|)", gives: "-(12|)", again: "--(^|)"),
            PeerCase("-1-2-|", gives: "-1-2-|", again: "--^2-|", spans: ["-^---!"]),
            PeerCase("~-1-#", gives: "--1-#", again: "-----(^#)", spans: ["-^--!"]),
            PeerCase("~-1-2-3|", gives: "--1!", again: "---^2-3|", spans: ["-^-----!"]),
            PeerCase("~-1-2-3|", gives: "--1!", again: "--1!", spans: ["-^-----!"]),
            PeerCase("~---|", gives: "----|", again: "--^-|"),
        ]

        @Test(arguments: multicastRows) func `multicast(through:)`(_ row: PeerCase) throws {
            try row.check { time, sources in
                let shared = sources[0].multicast(through: Emitter())
                _ = try? time.schedule(after: .milliseconds(1)) { shared.connect() }
                return shared
            }
        }
    }
}
