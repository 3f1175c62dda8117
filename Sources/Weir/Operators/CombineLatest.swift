import WeirRecording

extension Signal {
    /// The latest values of both signals whenever one of them emits, once both have emitted.
    ///
    ///     source:         --1-----2------|
    ///     other:          ----a------b-----|
    ///     combineLatest:  ----1a--2a-2b----|
    ///
    /// A trace says 'waiting' for a value that arrives before the other signal has emitted. Completes when both have completed,
    /// or when one completes that has not emitted (RxSwift and ReactiveSwift then wait for the other); fails when one fails.
    ///
    /// This receives emissions only. For two observables, use `Observable.combine` (whose result has a value at once, and can
    /// settle once per turn), or combine their `current`.
    @inlinable
    public func combineLatest<Other>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, Other)> {
        combineLatest(other, file: file, line: line) { ($0, $1) }
    }

    /// The result of `transform` for the latest values; an error that it throws fails the signal.
    @inlinable
    public func combineLatest<Other, Output>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, Other) throws -> Output
    ) -> Signal<Output> {
        Junction(.combineLatest, of: [self, other], file: file, line: line) { sources, downstream in
            let (a, b) = (LatestLane<Value>(), LatestLane<Other>())
            let latest = LatestRow(feeding: downstream, [a, b], transform: { try transform($0.0, $0.1) }) {
                (a.known, b.known)
            }
            return latest.links.token {
                latest.attach(a, to: sources[0], key: 0)
                latest.attach(b, to: sources[1], key: 1)
            }
        }
    }

    /// The latest values of three signals, once all have emitted; see `combineLatest(_:)`.
    @inlinable
    public func combineLatest<B, C>(
        _ b: Signal<B>, _ c: Signal<C>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, B, C)> {
        combineLatest(b, c, file: file, line: line) { ($0, $1, $2) }
    }

    /// The result of `transform` for the latest values of three signals; an error that it throws fails the signal.
    @inlinable
    public func combineLatest<B, C, Output>(
        _ b: Signal<B>, _ c: Signal<C>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, B, C) throws -> Output
    ) -> Signal<Output> {
        Junction(.combineLatest, of: [self, b, c], file: file, line: line) { sources, downstream in
            let (a, b, c) = (LatestLane<Value>(), LatestLane<B>(), LatestLane<C>())
            let latest = LatestRow(feeding: downstream, [a, b, c], transform: { try transform($0.0, $0.1, $0.2) }) {
                (a.known, b.known, c.known)
            }
            return latest.links.token {
                latest.attach(a, to: sources[0], key: 0)
                latest.attach(b, to: sources[1], key: 1)
                latest.attach(c, to: sources[2], key: 2)
            }
        }
    }

    /// The latest values of four signals, once all have emitted; see `combineLatest(_:)`.
    @inlinable
    public func combineLatest<B, C, D>(
        _ b: Signal<B>, _ c: Signal<C>, _ d: Signal<D>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, B, C, D)> {
        combineLatest(b, c, d, file: file, line: line) { ($0, $1, $2, $3) }
    }

    /// The result of `transform` for the latest values of four signals; an error that it throws fails the signal.
    @inlinable
    public func combineLatest<B, C, D, Output>(
        _ b: Signal<B>, _ c: Signal<C>, _ d: Signal<D>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, B, C, D) throws -> Output
    ) -> Signal<Output> {
        Junction(.combineLatest, of: [self, b, c, d], file: file, line: line) { sources, downstream in
            let (a, b, c, d) = (LatestLane<Value>(), LatestLane<B>(), LatestLane<C>(), LatestLane<D>())
            let latest = LatestRow(
                feeding: downstream, [a, b, c, d], transform: { try transform($0.0, $0.1, $0.2, $0.3) }
            ) {
                (a.known, b.known, c.known, d.known)
            }
            return latest.links.token {
                latest.attach(a, to: sources[0], key: 0)
                latest.attach(b, to: sources[1], key: 1)
                latest.attach(c, to: sources[2], key: 2)
                latest.attach(d, to: sources[3], key: 3)
            }
        }
    }
}

extension Signal {
    /// The latest values of all `sources` as an array, once all have emitted; see `combineLatest(_:)`.
    ///
    /// Each array has the order of `sources`. Without sources, it emits an empty array and completes. Swift needs the type of the
    /// sources' values: `Signal<Int>.combineLatest(all)`.
    @inlinable
    public static func combineLatest(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<[Value]> {
        Junction(.combineLatest, of: sources, file: file, line: line) { sources, downstream in
            let lanes = sources.nodes.map { _ in LatestLane<Value>() }
            let latest = LatestRow(feeding: downstream, lanes, transform: { $0 }) { lanes.map { $0.known } }
            return latest.links.token {
                if lanes.isEmpty {
                    downstream.emitTurn([])
                    latest.links.finish(.completed)
                }
                for key in lanes.indices { latest.attach(lanes[key], to: sources[key], key: key) }
            }
        }
    }
}

/// One subscription to `combineLatest`: makes a row of the latest values whenever one of them changes.
@usableFromInline
final class LatestRow<Row, Output>: @unchecked Sendable {
    @usableFromInline let links: SourceLinks<Output>
    @usableFromInline let downstream: Sink<Output>
    @usableFromInline let state: OperatorState<LatestRowState>
    @usableFromInline let makeRow: () -> Row
    @usableFromInline let transform: (Row) throws -> Output

    /// - Parameter makeRow: returns the values of `lanes`, all of which have one.
    @inlinable
    init(
        feeding downstream: Sink<Output>, _ lanes: [AnyLane], transform: @escaping (Row) throws -> Output,
        makeRow: @escaping () -> Row
    ) {
        let state = OperatorState(LatestRowState(lanes: lanes.count))
        self.state = state
        self.makeRow = makeRow
        self.transform = transform
        self.downstream = downstream
        links = SourceLinks(feeding: downstream) {
            state.withState { $0.isOver = true }
            for lane in lanes { lane.clear() }
        }
    }

    @inlinable
    func attach<Value>(_ lane: LatestLane<Value>, to source: Signal<Value>, key: Int) {
        let sink = InputSink<Value, Output>(
            feeding: downstream, next: { [self] in receive($0, lane) }, end: { [self] in end(lane, $0, key: key) })
        links.attach(sink, to: source, key: key)
    }

    @inlinable
    func receive<Value>(_ value: Value, _ lane: LatestLane<Value>) {
        var former: Value? = value
        let row = state.withState { state -> Row? in
            guard !state.isOver else { return nil }
            if case nil = lane.value { state.emptyLanes -= 1 }
            swap(&lane.value, &former)
            return state.emptyLanes == 0 ? makeRow() : nil
        }
        // Released here.
        withExtendedLifetime(former) {}
        guard let row else { return downstream.suppress(.waiting) }
        do { downstream.emit(try transform(row)) } catch { links.finish(.failed(error)) }
    }

    @inlinable
    func end<Value>(_ lane: LatestLane<Value>, _ ending: Ending, key: Int) {
        if case .failed = ending { return links.finish(ending) }
        links.cut(key)
        let last = state.withState { state -> Ending? in
            state.openLanes -= 1
            if ending.isReleased { state.isReleased = true }
            if case nil = lane.value { return ending }
            guard state.openLanes == 0 else { return nil }
            return state.isReleased ? .released : .completed
        }
        if let last { links.finish(last) }
    }
}

@usableFromInline
struct LatestRowState {
    @usableFromInline var emptyLanes: Int
    @usableFromInline var openLanes: Int
    @usableFromInline var isReleased = false
    @usableFromInline var isOver = false

    @inlinable
    init(lanes: Int) { (emptyLanes, openLanes) = (lanes, lanes) }
}

@usableFromInline
final class LatestLane<Value>: AnyLane {
    @usableFromInline @exclusivity(unchecked) var value: Value?

    @inlinable
    override init() {}

    @inlinable
    var known: Value { value.unsafelyUnwrapped }

    override func clear() { value = nil }
}
