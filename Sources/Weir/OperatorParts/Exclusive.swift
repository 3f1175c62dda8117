import WeirRecording

/// Subscribes to one signal at a time, and drops values that arrive before it has ended: the strategy of `flatMap(.first)`.
@usableFromInline
final class Exclusive<Input, Output>: @unchecked Sendable {
    @usableFromInline
    struct State {
        /// Whether a signal is subscribed to, or about to be.
        @usableFromInline var isBusy = false
        /// The key of the last signal that was subscribed to; 0 is the source of values.
        @usableFromInline var lastKey = 0
        var isOuterOpen = true
        var isReleased = false

        @inlinable
        init() {}
    }

    @usableFromInline let links: SourceLinks<Output>
    @usableFromInline let downstream: Sink<Output>
    @usableFromInline let state = Guarded(State())

    @inlinable
    init(feeding downstream: Sink<Output>) {
        self.downstream = downstream
        links = SourceLinks(feeding: downstream)
    }

    /// Subscribes to the signal for `value`, unless another one is still subscribed to.
    ///
    /// - Parameter open: returns the signal for a value. Not kept here: it may hold the subscribed signal, whose sink holds this
    ///   object.
    @inlinable
    func receive(_ value: Input, open: (Input) throws -> Signal<Output>) {
        let key = state.withState { state -> Int? in
            if state.isBusy { return nil }
            state.isBusy = true
            state.lastKey += 1
            return state.lastKey
        }
        guard let key else { return downstream.suppress(.executing) }
        do {
            let signal = try downstream.made { try open(value) }
            let inner = InputSink<Output, Output>(
                feeding: downstream, next: { [downstream] in downstream.emit($0) }, end: { [self] in close(key, $0) },
                cancelled: { [self] _ in close(key, .completed) })
            links.attach(inner, toMade: signal, key: key)
        } catch {
            links.finish(.failed(error))
        }
    }

    /// - Parameter key: identifies the signal that has ended; 0: the source of values.
    @usableFromInline
    func close(_ key: Int, _ ending: Ending) {
        if case .failed = ending { return links.finish(ending) }
        links.cut(key)
        let last = state.withState { state -> Ending? in
            if key == 0 { state.isOuterOpen = false } else { state.isBusy = false }
            if ending.isReleased { state.isReleased = true }
            if state.isOuterOpen || state.isBusy { return nil }
            return state.isReleased ? .released : .completed
        }
        if let last { links.finish(last) }
    }
}
