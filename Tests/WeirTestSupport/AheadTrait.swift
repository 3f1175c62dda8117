import Testing

/// Runs a suite ahead of others.
///
/// For tests that expect an exit: otherwise the step that reaps their child queues behind all tests that run in parallel, and until
/// then Swift Testing polls the system without a pause.
public struct AheadTrait: SuiteTrait, TestScoping {
    /// Runs the suite, with its tests, at a high priority.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(run) { run in
            try await Task(priority: .high, operation: run).value
        }
    }
}

extension Trait where Self == AheadTrait {
    /// Runs the suite ahead of others.
    public static var ahead: Self { AheadTrait() }
}
