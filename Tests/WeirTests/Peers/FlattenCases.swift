import Testing
import Weir

extension Everything {
    /// `flatMap` and `flatten`: source 0 emits the numbers of the others.
    @MainActor @Suite struct FlattenCases {
        /// For all strategies: if no two signals overlap, they do the same.
        nonisolated static let commonRows = [
            PeerCase("-1----2--|", "~-7-8|", "~-9|", gives: "--7-8--9-|", spans: ["^--------!"]),
            PeerCase("-1|", "~--7|", gives: "---7|"),
            PeerCase("|", "~-7|", gives: "|"),
            PeerCase("-", "~-7|", gives: "-"),
            PeerCase("#", "~-7|", gives: "#"),
            PeerCase("-1--#", "~-7-8|", gives: "--7-#"),
            PeerCase("-1------|", "~-7#", gives: "--7#", spans: ["^--!"]),
            PeerCase("-1---5--|", "~-7|", gives: "--7--#", spans: ["^----!"]),
            PeerCase("-1--|", "~|", gives: "----|"),
            PeerCase("-1--|", "~-", gives: "-----"),
            PeerCase("-1-----|", "~-7-8-9|", gives: "--7-8!", spans: ["^----!"]),
            PeerCase("(1|)", "~(78|)", gives: "(78|)"),
            PeerCase("~-1|", "~-7|", gives: "--7|", again: "---^-7|", spans: ["^-!", "---^-!"]),
            PeerCase("-1--|", "---7--8|", gives: "---7--8|"),
        ]

        /// For overlapping signals: `flatMap`, `flatMapLatest`, `concatMap` and `flatMapFirst` of RxSwift; `.merge`,
        /// `.latest`, `.concat` and `.throttle` of ReactiveSwift; `flatMap` and `switchToLatest` of Combine.
        nonisolated static let overlapRows: [(FlattenStrategy, PeerCase)] = [
            (.merge, PeerCase("-1-2----|", "~-7-8|", "~-9-6|", gives: "--7-(89)-6-|")),
            (.latest, PeerCase("-1-2----|", "~-7-8|", "~-9-6|", gives: "--7-9-6-|")),
            (.concat, PeerCase("-1-2----|", "~-7-8|", "~-9-6|", gives: "--7-8-9-6|")),
            (.first, PeerCase("-1-2----|", "~-7-8|", "~-9-6|", gives: "--7-8---|")),
            (.merge, PeerCase("(12|)", "~-7|", "~-9|", gives: "-(79)|")),
            (.latest, PeerCase("(12|)", "~-7|", "~-9|", gives: "-9|")),
            (.concat, PeerCase("(12|)", "~-7|", "~-9|", gives: "-7-9|")),
            (.first, PeerCase("(12|)", "~-7|", "~-9|", gives: "-7|")),
            (.merge, PeerCase("-12----|", "~---7|", "~-#", gives: "---#", spans: ["^--!"])),
            (.latest, PeerCase("-12----|", "~--#", "~--9|", gives: "----9--|")),
            (.concat, PeerCase("-12----|", "~--#", "~--9|", gives: "---#", spans: ["^--!"])),
            (.first, PeerCase("-12----|", "~--7|", "~#", gives: "---7---|")),
            (.first, PeerCase("-12--2-|", "~--7|", "~-9|", gives: "---7--9|")),
            (.concat, PeerCase("-12-|", "~-", "~-9|", gives: "-----")),
            (.first, PeerCase("-12-|", "~-", "~-9|", gives: "-----")),
            (.latest, PeerCase("-12-|", "~-", "~-9|", gives: "---9|")),
            (.merge, PeerCase("-12-|", "~-", "~-9|", gives: "---9-")),
            (.concat, PeerCase("-1-2|", "~--7|", "--8-9-6|", gives: "---7--6|")),
        ]

        private func flattened(_ strategy: FlattenStrategy, _ sources: [Signal<Int>]) -> Signal<Int> {
            sources[0].flatMap(strategy) { sources[try refusingFive($0)] }
        }

        private nonisolated static let strategies: [FlattenStrategy] = [.merge, .latest, .concat, .first]

        @Test(arguments: strategies, commonRows) func `flatMap`(_ strategy: FlattenStrategy, _ row: PeerCase) throws {
            try row.check { _, sources in flattened(strategy, sources) }
        }

        @Test(arguments: strategies, commonRows) func `flatten`(_ strategy: FlattenStrategy, _ row: PeerCase) throws {
            try row.check { _, sources in
                sources[0].map { sources[try refusingFive($0)] }.flatten(strategy)
            }
        }

        @Test(arguments: overlapRows) func `the strategies of flatMap`(
            _ strategy: FlattenStrategy, _ row: PeerCase
        ) throws {
            try row.check { _, sources in flattened(strategy, sources) }
        }
    }
}
