import Testing
import WeirTrace

@testable import WeirAnalysis

struct RuleSetTests {
    /// `1 << 32` is 0 without a complaint of the compiler: such a rule would never apply.
    @Test func `Each rule has a bit of its own`() {
        let bits = RedundancyRule.allCases.map(\.bit)
        #expect(bits.allSatisfy { $0.nonzeroBitCount == 1 })
        #expect(Set(bits).count == bits.count)
    }
}
