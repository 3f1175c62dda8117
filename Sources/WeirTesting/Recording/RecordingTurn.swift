import Foundation

/// Lets one recorded test run at a time: asynchronous ones in the order in which they come, synchronous ones between them.
final class RecordingTurn: @unchecked Sendable {  // The condition guards the mutable state.
    private static let shared = RecordingTurn()
    @TaskLocal private static var isHeld = false

    private enum Holder { case synchronous, asynchronous }

    private let condition = NSCondition()
    private var holder: Holder?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for the turn, and runs `body`; at once in a task that holds the turn, such as a recorded test.
    static func hold<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        if isHeld { return try await body() }
        await withCheckedContinuation { shared.take($0) }
        defer { shared.end() }
        return try await $isHeld.withValue(true, operation: body)
    }

    /// The same for a synchronous `body`. It does not wait for asynchronous ones: they may need this thread to end.
    static func holdIfSynchronous<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard !isHeld, shared.takeIfSynchronous() else { return try body() }
        defer { shared.end() }
        return try $isHeld.withValue(true, operation: body)
    }

    private func take(_ waiter: CheckedContinuation<Void, Never>) {
        condition.withLock {
            if holder == nil {
                holder = .asynchronous
                waiter.resume()
            } else {
                waiting.append(waiter)
            }
        }
    }

    private func takeIfSynchronous() -> Bool {
        condition.withLock {
            while holder == .synchronous { condition.wait() }
            guard holder == nil else { return false }
            holder = .synchronous
            return true
        }
    }

    private func end() {
        condition.withLock {
            holder = waiting.isEmpty ? nil : .asynchronous
            if !waiting.isEmpty { waiting.removeFirst().resume() }
            condition.broadcast()
        }
    }
}
