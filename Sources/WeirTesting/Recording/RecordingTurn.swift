/// Lets one recorded test run at a time, in the order in which they come.
actor RecordingTurn {
    private static let shared = RecordingTurn()
    @TaskLocal private static var isHeld = false

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for the turn, and runs `body`; at once in a task that holds the turn, such as a recorded test.
    static func hold<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        if isHeld { return try await body() }
        await shared.take()
        do {
            let result = try await $isHeld.withValue(true, operation: body)
            await shared.end()
            return result
        } catch {
            await shared.end()
            throw error
        }
    }

    private func take() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
    }

    private func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
