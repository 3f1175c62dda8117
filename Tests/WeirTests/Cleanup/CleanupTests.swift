import Foundation
import Testing
import Weir
import WeirTestSupport

extension Everything {
    /// Each subscription causes exactly one clean-up, for every operator, every pair of operators, and every way of ending.
    @Suite struct CleanupTests {
        @Test(arguments: WayOfEnding.allCases) func `A plain subscription cleans up once`(way: WayOfEnding) {
            let problem = CleanupTrial.problem(way) { source, _ in source }
            #expect(problem == nil)
        }

        @Test(arguments: WayOfEnding.allCases) func `Every operator cleans up once`(way: WayOfEnding) {
            var problems: [String] = []
            for one in AppliedOperator.all {
                if let problem = CleanupTrial.problem(way, one.apply) { problems.append("\(one.name): \(problem)") }
            }
            Self.report(problems, of: AppliedOperator.all.count)
        }

        @Test(arguments: WayOfEnding.allCases) func `Every pair of operators cleans up once`(way: WayOfEnding) throws {
            var problems: [String] = []
            // A tenth of the pairs for each way, so that each pair meets several of them, or all.
            let turn = try #require(WayOfEnding.allCases.firstIndex(of: way))
            for (row, first) in AppliedOperator.all.enumerated() {
                for (column, second) in AppliedOperator.all.enumerated()
                where Repeats.factor > 1 || (row + 2 * column + turn) % 10 == 0 {
                    let problem = CleanupTrial.problem(way) { source, context in
                        second.apply(first.apply(source, context), context)
                    }
                    if let problem { problems.append("\(first.name) → \(second.name): \(problem)") }
                }
            }
            Self.report(
                problems, of: AppliedOperator.all.count * AppliedOperator.all.count / (Repeats.factor > 1 ? 1 : 10))
        }

        /// The table must contain every new operator.
        @Test func `The table has every operator`() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Weir/Operators").standardized
            var declared: Set<String> = []
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                for match in try String(contentsOf: file, encoding: .utf8).matches(
                    of: /public (?:final |static )*func `?(\w+)/)
                {
                    declared.insert(String(match.1))
                }
            }
            let covered = Set(AppliedOperator.all.map(\.function))
            #expect(declared.count > 30)
            // These make no signal, or one that must be connected; MulticastTests covers them.
            let others: Set = ["constant", "exponential", "multicast", "connect"]
            #expect(declared.subtracting(covered).subtracting(others).sorted() == [])
        }

        private static func report(_ problems: [String], of count: Int) {
            if problems.isEmpty { return }
            let shown = problems.prefix(80).joined(separator: "\n  ")
            Issue.record("\(problems.count) of \(count) fail:\n  \(shown)")
        }
    }
}
