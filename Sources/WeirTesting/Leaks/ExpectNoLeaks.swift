#if canImport(Testing)
    import Testing

    /// Expects that everything that `body` makes is gone when it returns; else an issue with a drawing of what holds it.
    ///
    /// ```swift
    /// @Test func `the login screen goes away`() {
    ///     expectNoLeaks {
    ///         let screen = LoginScreen(model: LoginModel())
    ///         screen.show()
    ///     }
    /// }
    /// ```
    /// Told are circles of strong references, proven, of whatever they are made; and instances of the program's own
    /// classes, nodes and subscriptions that are alive for another reason, each with the way that holds it. Not told is
    /// what libraries keep, nor what a global makes when `body` is the first to use it; where both come together, what was
    /// given to such a global later may be missed, so use it once before. What other threads and tasks are about to let
    /// go of is waited for, half a second at most; this thread is blocked meanwhile, so where its own run loop or actor
    /// is still to do something (`Task { }`, `DispatchQueue.main.async`), wait for that in `body`, with the form for a
    /// body that waits. What `body` lets another dispatch queue make is not watched.
    /// Cost: an allocation in `body` takes about 100 ns longer. Where `body` throws, nothing is judged.
    public func expectNoLeaks(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) rethrows {
        record(try LeakScope().complaint(after: body), sourceLocation)
    }

    /// As the other one, for a `body` that waits; it runs where the caller runs, on the main actor for instance.
    @_disfavoredOverload
    public func expectNoLeaks(
        isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async rethrows {
        record(try await LeakScope().complaint(after: body), sourceLocation)
    }

    /// Expects that `body` leaves nothing more behind each time it runs: once to warm up, then `rounds` times.
    ///
    /// For what keeps something on purpose, a cache for instance, but must not grow: it is told what each round leaves,
    /// and what holds that. At least 3 rounds. Otherwise as `expectNoLeaks`.
    public func expectNoGrowth(
        rounds: Int = 5, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) rethrows {
        record(try GrowthScope(rounds: rounds).complaint(after: body), sourceLocation)
    }

    /// As the other one, for a `body` that waits.
    @_disfavoredOverload
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
