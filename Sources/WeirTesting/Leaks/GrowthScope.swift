#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A scope that runs several times and must leave no more behind each time; reports what it leaves and what holds that.
struct GrowthScope {
    private let rounds: Int

    init(rounds: Int) {
        precondition(rounds >= 3, "fewer than 3 rounds cannot show that something grows")
        self.rounds = rounds
    }

    /// Runs `body` once to warm up, then `rounds` times. Returns sentences about what grew, or nil if nothing did.
    func complaint(after body: () throws -> Void) rethrows -> String? {
        guard AllocationWatch.isPossible else { return LeakScope.cannotJudge }
        try AllocationWatch.$current.withValue(nil) { try body() }
        let scopes = (0..<rounds).map { _ in LeakScope() }
        for scope in scopes { try scope.run(body) }
        for _ in 0..<LeakScope.patience where !Self.leftByAll(scopes).isEmpty { usleep(5000) }
        return Self.complaint(scopes, blocksTasks: LeakScope.blocksTasks)
    }

    /// The same for an asynchronous scope.
    func complaint(
        isolation: isolated (any Actor)? = #isolation, after body: () async throws -> Void
    ) async rethrows -> String? {
        guard AllocationWatch.isPossible else { return LeakScope.cannotJudge }
        try await AllocationWatch.$current.withValue(nil) { try await body() }
        let scopes = (0..<rounds).map { _ in LeakScope() }
        for scope in scopes { try await scope.run(body) }
        for _ in 0..<LeakScope.patience where !Self.leftByAll(scopes).isEmpty {
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
        return Self.complaint(scopes)
    }

    private static func complaint(_ scopes: [LeakScope], blocksTasks: Bool = false) -> String? {
        let growing = leftByAll(scopes)
        guard !growing.isEmpty, let last = scopes.last else { return nil }
        return last.withSurvivors {
            SurvivorReport($0, since: last.variables, only: growing, rounds: scopes.count, blocksTasks: blocksTasks)
                .text
        }
    }

    /// Only types that every round left behind count as growth.
    private static func leftByAll(_ scopes: [LeakScope]) -> Set<String> {
        var types = Set(scopes[0].survivingTypes)
        for scope in scopes.dropFirst() where !types.isEmpty { types.formIntersection(scope.survivingTypes) }
        return types
    }
}
