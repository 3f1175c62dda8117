#if canImport(Testing)
import Testing

/// Applies `expectNoLeaks` to a test, or to each test of a suite: `@Suite(.noLeaks) struct LoginTests { … }`.
///
/// The issue is reported at the test. The suite's instance that the test runs on must be gone, too.
public struct NoLeaksTrait: SuiteTrait, TestTrait, TestScoping {
    /// Applies to each test of a suite, not to the suite.
    public var isRecursive: Bool { true }

    /// Runs a test and judges what it leaves behind.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite itself is not judged; its tests are, one by one.
        guard testCase != nil else { return try await function() }
        try await expectNoLeaks(sourceLocation: test.sourceLocation) { try await function() }
    }
}

extension Trait where Self == NoLeaksTrait {
    /// Expects that each test leaves nothing behind.
    public static var noLeaks: Self { NoLeaksTrait() }
}
#endif
