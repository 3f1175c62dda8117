import Testing

/// A process has one recorder. All tests in `Everything` have it while they run; others take their turn while they record.
actor RecorderTurn {
    private static let turn = RecorderTurn()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body`, which records, while no other test records. For suites that run ahead: all others wait for them.
    ///
    /// What `body` makes must be gone when it returns: what it still did would be in the recording of another test.
    static func take<Result>(_ body: () throws -> Result) async rethrows -> Result {
        await turn.begin()
        defer { Task(priority: .high) { await turn.end() } }
        return try body()
    }

    private func begin() async {
        if !isTaken {
            isTaken = true
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }

    /// Gives each test the recorder.
    struct Holding: SuiteTrait, TestTrait, TestScoping {
        var isRecursive: Bool { true }

        func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

        func provideScope(
            for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
        ) async throws {
            await turn.begin()
            let result = await Swift.Result { try await run() }
            await turn.end()
            try result.get()
        }
    }
}

extension Trait where Self == RecorderTurn.Holding {
    /// Each test has the recorder while it runs.
    static var holdingRecorder: Self { RecorderTurn.Holding() }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
