import Foundation
import Testing

/// Runs a suite on threads of its own.
///
/// For tests that wait for other processes: on a machine with two cores there are two threads for all tests of usual priority and for the
/// main actor. Two tests that wait for a compiler would stop all others.
public struct BlockingTrait: SuiteTrait, TestScoping {
    /// Runs the suite, with its tests, on an executor that makes a thread for each job.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
    ) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return try await run() }
        try await withTaskExecutorPreference(OwnThreads()) { try await run() }
    }
}

extension Trait where Self == BlockingTrait {
    /// Runs the suite on threads of its own.
    public static var blocking: Self { BlockingTrait() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
