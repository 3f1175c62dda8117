import Testing

@testable import Weir

/// Gives each walk of the heap more time than on a busy machine it can need: what is tested is its result.
struct PatientWalks: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
    ) async throws {
        #if os(Linux)
        WalkingChild.limit = 300_000
        #endif
        try await run()
    }
}

extension Trait where Self == PatientWalks {
    static var patientWalks: Self { PatientWalks() }
}
