import Weir
import WeirHeap

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A scope that must leave nothing behind; reports the objects that survive it and what holds them.
struct LeakScope {
    private let watch = AllocationWatch()
    /// The variables of the program before the scope.
    let variables = VariableCopy()

    /// Runs `body` as the scope. Returns sentences about the objects that survived, or nil if there are none.
    func complaint(after body: () throws -> Void) rethrows -> String? {
        guard AllocationWatch.isPossible else { return Self.cannotJudge }
        try run(body)
        for _ in 0..<Self.patience where !survivingTypes.isEmpty { usleep(5000) }
        return withSurvivors { SurvivorReport($0, since: variables, blocksTasks: Self.blocksTasks).text }
    }

    /// The same for an asynchronous scope.
    func complaint(
        isolation: isolated (any Actor)? = #isolation, after body: () async throws -> Void
    ) async rethrows -> String? {
        guard AllocationWatch.isPossible else { return Self.cannotJudge }
        try await run(body)
        for _ in 0..<Self.patience where !survivingTypes.isEmpty {
            // Suspends instead of blocking, because pending releases may have to run here first. A cancelled task only waits less.
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
        return withSurvivors { SurvivorReport($0, since: variables).text }
    }

    /// Runs `body` as a part of the scope.
    func run(_ body: () throws -> Void) rethrows { try AllocationWatch.$current.withValue(watch) { try body() } }

    func run(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async rethrows {
        try await AllocationWatch.$current.withValue(watch) { try await body() }
    }

    /// The types of the surviving objects that the program makes itself.
    var survivingTypes: [String] {
        withSurvivors { $0.compactMap(Survivor.type).filter(Survivor.isReported).map { String(reflecting: $0) } }
    }

    func withSurvivors<Result>(_ body: ([UInt]) -> Result) -> Result {
        Trace.forgetReleasedModels()
        return watch.withSurvivors(body)
    }

    /// How often to wait for survivors, 5 ms each time: objects that other threads are about to release are no leaks.
    @TaskLocal static var patience = 100
    /// Whether a thread that waits here runs no task meanwhile, so that tasks may be late.
    static var blocksTasks: Bool { withUnsafeCurrentTask { $0 != nil } }
    static let cannotJudge =
        "cannot judge whether anything leaks: the Swift runtime of this program does not report allocations"
}
