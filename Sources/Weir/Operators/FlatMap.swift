import WeirRecording

extension Signal {
    /// The values of the signals that `transform` returns for each value.
    ///
    ///     source:           --a-----b------|
    ///     a, b become:        1--2--3|, 4--5--6|
    ///     flatMap(.merge):  --1--2--(34)--5--6|
    ///     flatMap(.latest): --1--2--4--5--6|
    ///     flatMap(.concat): --1--2--(34)--5--6|
    ///     flatMap(.first):  --1--2--3------|
    ///
    /// Completes when the source and all subscribed signals have completed. Fails when any of them fails or `transform` throws,
    /// and ends the other subscriptions. With `.concat`, `transform` runs when the previous signal has completed: until then the
    /// value waits (a trace says 'waiting'). If that signal is released before it completes, the whole signal ends. With
    /// `.first`, `transform` does not run for a value that arrives before the previous signal has completed: that value is
    /// dropped (a trace says 'still executing').
    ///
    /// The depth of the stack does not grow with the number of values, even if all signals are synchronous.
    @inlinable
    public func flatMap<Output>(
        _ strategy: FlattenStrategy, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value) throws -> Signal<Output>
    ) -> Signal<Output> {
        Operator(.flatMap, FlatMap(strategy: strategy, transform: transform), to: self, file: file, line: line)
    }

    /// The values of the signals that this signal emits; see `flatMap`.
    @inlinable
    public func flatten<Output>(
        _ strategy: FlattenStrategy, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Output> where Value: Signal<Output> {
        flatMap(strategy, file: file, line: line) { $0 }
    }
}

@usableFromInline
struct FlatMap<Input, Output>: Operation {
    @usableFromInline let strategy: FlattenStrategy
    @usableFromInline let transform: (Input) throws -> Signal<Output>

    @inlinable
    init(strategy: FlattenStrategy, transform: @escaping (Input) throws -> Signal<Output>) {
        self.strategy = strategy
        self.transform = transform
    }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        switch strategy {
        case .merge: merge(downstream, source)
        case .latest: switchToLatest(downstream, source)
        case .concat: concat(downstream, source)
        case .first: first(downstream, source)
        }
    }

    @inlinable
    func merge(_ downstream: Sink<Output>, _ source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let open = OpenSources(1, of: links)
        let outer = InputSink<Input, Output>(
            feeding: downstream,
            next: { [transform] value in
                do {
                    let signal = try downstream.made { try transform(value) }
                    let key = open.open()
                    let inner = InputSink<Output, Output>(
                        feeding: downstream, next: { downstream.emit($0) }, end: { open.close(key, $0) },
                        cancelled: { _ in open.close(key, .completed) })
                    links.attach(inner, toMade: signal, key: key)
                } catch {
                    links.finish(.failed(error))
                }
            }, end: { open.close(0, $0) })
        return links.token { links.attach(outer, to: source, key: 0) }
    }

    @inlinable
    func switchToLatest(_ downstream: Sink<Output>, _ source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let latest = LatestSource(of: links)
        let outer = InputSink<Input, Output>(
            feeding: downstream,
            next: { [transform] value in
                do {
                    let signal = try downstream.made { try transform(value) }
                    let key = latest.replace()
                    let inner = InputSink<Output, Output>(
                        feeding: downstream, next: { downstream.emit($0) }, end: { latest.close(key, $0) },
                        cancelled: { _ in latest.close(key, .completed) })
                    links.attach(inner, toMade: signal, key: key)
                    // Another thread may have replaced it before the subscription existed.
                    if !latest.isLatest(key) { links.cut(key) }
                } catch {
                    links.finish(.failed(error))
                }
            }, end: { latest.close(0, $0) })
        return links.token { links.attach(outer, to: source, key: 0) }
    }

    @inlinable
    func concat(_ downstream: Sink<Output>, _ source: Signal<Input>) -> Disposable {
        let succession = Succession<Input, Output>(feeding: downstream, makesSignals: true)
        let outer = InputSink<Input, Output>(
            feeding: downstream, next: { [transform] in succession.add($0, open: transform) },
            end: { succession.end($0) })
        return succession.links.token { succession.links.attach(outer, to: source, key: 0) }
    }

    @inlinable
    func first(_ downstream: Sink<Output>, _ source: Signal<Input>) -> Disposable {
        let exclusive = Exclusive<Input, Output>(feeding: downstream)
        let outer = InputSink<Input, Output>(
            feeding: downstream, next: { [transform] in exclusive.receive($0, open: transform) },
            end: { exclusive.close(0, $0) })
        return exclusive.links.token { exclusive.links.attach(outer, to: source, key: 0) }
    }
}

/// Tracks which of several consecutive signals is the latest; ends the operator after the last of them.
@usableFromInline
final class LatestSource<Output>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var lastKey = 0
        /// Whether the latest signal is still open.
        var isLatestOpen = false
        var isOuterOpen = true
        var isReleased = false
    }

    private let links: SourceLinks<Output>
    @usableFromInline let state = OperatorState(State())

    @usableFromInline
    init(of links: SourceLinks<Output>) { self.links = links }

    /// Ends the subscription to the previous signal; returns the key of the next.
    @usableFromInline
    func replace() -> Int {
        let key = state.withState {
            $0.lastKey += 1
            $0.isLatestOpen = true
            return $0.lastKey
        }
        if key > 1 { links.cut(key - 1) }
        return key
    }

    @inlinable
    func isLatest(_ key: Int) -> Bool { state.withState { $0.lastKey == key } }

    /// - Parameter key: that of the latest signal; 0: the outer source.
    @usableFromInline
    func close(_ key: Int, _ ending: Ending) {
        let (isKnown, isLast, isReleased) = state.withState { state -> (Bool, Bool, Bool) in
            guard key == 0 || key == state.lastKey else { return (false, false, false) }
            if key == 0 { state.isOuterOpen = false } else { state.isLatestOpen = false }
            if ending.isReleased { state.isReleased = true }
            return (true, !state.isOuterOpen && !state.isLatestOpen, state.isReleased)
        }
        guard isKnown else { return }
        if case .failed = ending { return links.finish(ending) }
        links.cut(key)
        if isLast { links.finish(isReleased ? .released : .completed) }
    }
}
