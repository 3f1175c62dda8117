import Foundation
import Testing

/// A process has one recorder. All tests in `Everything` have it while they run; others take their turn while they record.
///
/// No actor: on Linux, one that a test of low priority has called serves the others in the queue of that test. The holder of the
/// recorder runs at a high priority for the same reason.
final class RecorderTurn: @unchecked Sendable {
    private static let turn = RecorderTurn()

    private let lock = NSLock()
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body`, which records, while no other test records.
    ///
    /// What `body` makes must be gone when it returns: what it still did would be in the recording of another test.
    static func take<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Task(priority: .high) {
            await turn.begin()
            defer { turn.end() }
            return try body()
        }.value
    }

    private func begin() async {
        await withCheckedContinuation { continuation in
            let begins = lock.withLock {
                if isTaken { waiting.append(continuation) }
                defer { isTaken = true }
                return !isTaken
            }
            if begins { continuation.resume() }
        }
    }

    private func end() {
        let next = lock.withLock {
            isTaken = !waiting.isEmpty
            return isTaken ? waiting.removeFirst() : nil
        }
        next?.resume()
    }

    /// Gives each test the recorder. For suites that run ahead: all others wait for them.
    struct Holding: SuiteTrait, TestTrait, TestScoping {
        var isRecursive: Bool { true }

        func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

        func provideScope(
            for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
        ) async throws {
            await turn.begin()
            defer { turn.end() }
            try await run()
        }
    }
}

extension Trait where Self == RecorderTurn.Holding {
    /// Each test has the recorder while it runs.
    static var holdingRecorder: Self { RecorderTurn.Holding() }
}
