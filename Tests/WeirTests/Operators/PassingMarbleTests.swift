import Testing
import Weir
import WeirTesting

extension Everything {
    /// Operators that change neither values nor times.
    @Suite struct PassingMarbleTests {
        @Test(arguments: ["--1--2--|", "--1--#", "--1----", "|", "#"])
        func `onEvent and disclosed change neither values nor times`(diagram: String) throws {
            try marbles { m in
                let source = m.hot(diagram)
                m.expect(source.onEvent { _ in }, diagram)
                m.expect(source.disclosed(), diagram)
            }
        }

        @Test func `A bound observable changes when the signal emits, and stays when it ends`() throws {
            try marbles { m in
                let source = m.hot("-1-2-2-3-|")
                let target = Observable(0)
                let binding = source.bind(to: target)
                m.expect(target, "             -1-2---3----")
                m.at(20) { binding.dispose() }
            }
        }

        @Test func `A binding that is disposed leaves its source`() throws {
            try marbles { m in
                let source = m.cold("-1-2-3-4-|")
                let target = Observable(0)
                let binding = source.bind(to: target)
                m.at(4) { binding.dispose() }
                m.expect(target, "                  -1-2-----")
                m.expect(subscriptionsOf: source, " ^---!")
            }
        }
    }
}
