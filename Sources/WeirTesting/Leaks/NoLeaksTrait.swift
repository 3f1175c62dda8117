#if canImport(Testing)
    import Testing

    /// Applies `expectNoLeaks` to a test, or to each test of a suite: `@Suite(.noLeaks) struct LoginTests { … }`.
    ///
    /// The issue stands at the test. The instance of the suite that the test runs on is part of what must be gone.
    public struct NoLeaksTrait: SuiteTrait, TestTrait, TestScoping {
        /// It is meant for each test of a suite, not for the suite.
        public var isRecursive: Bool { true }

        /// Runs a test, and judges what it leaves.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            // Of a suite itself there is nothing to judge; its tests come one by one.
            guard testCase != nil else { return try await function() }
            try await expectNoLeaks(sourceLocation: test.sourceLocation) { try await function() }
        }
    }

    extension Trait where Self == NoLeaksTrait {
        /// Expects that each test leaves nothing behind.
        public static var noLeaks: Self { NoLeaksTrait() }
    }
#endif
