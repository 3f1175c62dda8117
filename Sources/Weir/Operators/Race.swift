import WeirRecording

extension Signal {
    /// The signal that emits or ends first; the subscriptions to the others then end.
    ///
    ///     source: ----1--2--|
    ///     other:  --a----b----|
    ///     race:   --a----b----|
    ///
    /// A failure or a completion also wins. A source that is released before it has won leaves the race.
    @inlinable
    public func race(
        _ others: Signal<Value>..., file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal.race([self] + others, file: file, line: line)
    }

    /// The first of `sources` that emits or ends; see `race(_:)`. None: completes at once.
    ///
    /// The sources are subscribed to in order; one that emits at once wins before the next is subscribed to. Swift needs the
    /// type: `Signal<Int>.race(all)`.
    @inlinable
    public static func race(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.race, of: sources, file: file, line: line) { sources, downstream in
            let contest = Contest(of: sources.nodes.count, feeding: downstream)
            return contest.links.token {
                if sources.nodes.isEmpty { contest.links.finish(.completed) }
                for key in sources.nodes.indices { contest.attach(sources[key], key: key) }
            }
        }
    }
}

/// One subscription to `race`: the winning source, and the number of sources that can still win.
@usableFromInline
final class Contest<Value>: @unchecked Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var winner: Int?
        /// The number of sources that have not been released.
        var runners: Int
    }

    @usableFromInline let links: SourceLinks<Value>
    @usableFromInline let downstream: Sink<Value>
    private let count: Int
    @usableFromInline let state: Guarded<State>

    @usableFromInline
    init(of count: Int, feeding downstream: Sink<Value>) {
        self.count = count
        self.downstream = downstream
        links = SourceLinks(feeding: downstream)
        state = Guarded(State(runners: count))
    }

    /// Subscribes to a source, unless another has already won.
    @inlinable
    func attach(_ source: Signal<Value>, key: Int) {
        guard state.withState({ $0.winner }) == nil else { return }
        let sink = InputSink<Value, Value>(
            feeding: downstream,
            next: { [self] value in
                if wins(key) { downstream.emit(value) } else { downstream.suppress(.disposed) }
            },
            end: { [self] in end(key, $0) },
            cancelled: { [self] reason in
                if state.withState({ $0.winner }) == key { downstream.cancel(reason) }
            })
        links.attach(sink, to: source, key: key)
        // Another source may have won, on another thread, before the subscription existed.
        if let winner = state.withState({ $0.winner }), winner != key { links.cut(key) }
    }

    /// Whether the source with that key is the winner; the first caller wins.
    @inlinable
    func wins(_ key: Int) -> Bool {
        let former = state.withState { state -> Int? in
            let former = state.winner
            if former == nil { state.winner = key }
            return former
        }
        if former == nil { cutOthers(than: key) }
        return former == nil || former == key
    }

    @usableFromInline
    func cutOthers(than winner: Int) {
        for key in 0..<count where key != winner { links.cut(key) }
    }

    @usableFromInline
    func end(_ key: Int, _ ending: Ending) {
        if ending.isReleased, state.withState({ $0.winner }) == nil {
            links.cut(key)
            let isLast = state.withState { state in
                state.runners -= 1
                return state.runners == 0
            }
            if isLast { links.finish(.released) }
        } else if wins(key) {
            links.finish(ending)
        }
    }
}
