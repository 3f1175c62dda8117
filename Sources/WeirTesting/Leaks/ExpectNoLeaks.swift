#if canImport(Testing)
import Testing

/// Expects that everything that `body` makes is gone when it returns; otherwise records an issue with a drawing of what holds it.
///
/// ```swift
/// @Test func `the login screen goes away`() {
///     expectNoLeaks {
///         let screen = LoginScreen(model: LoginModel())
///         screen.show()
///     }
/// }
/// ```
/// It reports two kinds of leaks: proven cycles of strong references, whatever objects they contain; and instances of the
/// program's own classes, nodes and subscriptions that something else keeps alive, each with the path that holds it. It does not
/// report what libraries keep, nor what a global creates when `body` uses it first. It may miss objects that are later given to
/// such a global, so use the global once before: then an object that `body` assigns to it is reported. So is one that it assigns to a
/// global without an initial value, or with a constant one such as `nil`. It waits up to half a second for other threads and tasks to release objects, and blocks
/// this thread during that time. If `body` starts a task, or work on this thread's run loop or actor (`DispatchQueue.main.async`),
/// make the test asynchronous and write `await expectNoLeaks`: parallel tests that wait like this block all threads that tasks run
/// on. It does not watch allocations that `body` causes on another dispatch queue.
/// Cost: an allocation in `body` takes about 100 ns longer. The variables of the program are copied first, about a millisecond for
/// each MB. If `body` throws, nothing is judged.
@_disfavoredOverload
public func expectNoLeaks(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) rethrows {
    record(try LeakScope().complaint(after: body), sourceLocation)
}

/// The same for an asynchronous `body`, which runs where the caller runs, for instance on the main actor.
public func expectNoLeaks(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async rethrows {
    record(try await LeakScope().complaint(after: body), sourceLocation)
}

/// Expects that `body` leaves nothing more behind each time it runs: once to warm up, then `rounds` times.
///
/// For code that keeps something on purpose, such as a cache, but must not grow. The issue lists what each round leaves
/// and what holds it. At least 3 rounds. Otherwise like `expectNoLeaks`.
@_disfavoredOverload
public func expectNoGrowth(
    rounds: Int = 5, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) rethrows {
    record(try GrowthScope(rounds: rounds).complaint(after: body), sourceLocation)
}

/// The same for an asynchronous `body`.
public func expectNoGrowth(
    rounds: Int = 5, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async rethrows {
    record(try await GrowthScope(rounds: rounds).complaint(after: body), sourceLocation)
}

private func record(_ complaint: String?, _ sourceLocation: SourceLocation) {
    guard let complaint else { return }
    Issue.record(Comment(rawValue: complaint), sourceLocation: sourceLocation)
}
#endif
