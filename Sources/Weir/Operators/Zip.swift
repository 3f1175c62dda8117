import WeirRecording

extension Signal {
    /// The first values of both signals as a pair, then the second ones, and so on.
    ///
    ///     source:  --1--2-----3--|
    ///     other:   ----a----b------c--|
    ///     zip:     ----1a---2b-----3c|
    ///
    /// Completes as soon as it cannot make another pair: when a source has completed and all its values are paired (RxSwift waits
    /// for another value of the other source). Fails when one of them fails. A trace says 'waiting' for a value that has to wait
    /// for its partner. The value is kept until then, so a source that is much faster than the other costs memory.
    ///
    /// If both emit at once on two threads, no value is lost or used twice, and pairs are delivered one after the other.
    @inlinable
    public func zip<Other>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, Other)> {
        zip(other, file: file, line: line) { ($0, $1) }
    }

    /// The result of `transform` for each pair; an error that it throws fails the signal.
    @inlinable
    public func zip<Other, Output>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, Other) throws -> Output
    ) -> Signal<Output> {
        Junction(.zip, of: [self, other], file: file, line: line) { sources, downstream in
            let (a, b) = (ZipLane<Value>(), ZipLane<Other>())
            let zipper = Zipper(feeding: downstream, [a, b], transform: { try transform($0.0, $0.1) }) {
                ($0.take(a), $0.take(b))
            }
            return zipper.links.token {
                zipper.attach(a, to: sources[0], key: 0)
                zipper.attach(b, to: sources[1], key: 1)
            }
        }
    }

    /// The first values of three signals together, then the second ones, and so on; see `zip(_:)`.
    @inlinable
    public func zip<B, C>(
        _ b: Signal<B>, _ c: Signal<C>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, B, C)> {
        zip(b, c, file: file, line: line) { ($0, $1, $2) }
    }

    /// The result of `transform` for each combination of three values; an error that it throws fails the signal.
    @inlinable
    public func zip<B, C, Output>(
        _ b: Signal<B>, _ c: Signal<C>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, B, C) throws -> Output
    ) -> Signal<Output> {
        Junction(.zip, of: [self, b, c], file: file, line: line) { sources, downstream in
            let (a, b, c) = (ZipLane<Value>(), ZipLane<B>(), ZipLane<C>())
            let zipper = Zipper(feeding: downstream, [a, b, c], transform: { try transform($0.0, $0.1, $0.2) }) {
                ($0.take(a), $0.take(b), $0.take(c))
            }
            return zipper.links.token {
                zipper.attach(a, to: sources[0], key: 0)
                zipper.attach(b, to: sources[1], key: 1)
                zipper.attach(c, to: sources[2], key: 2)
            }
        }
    }

    /// The first values of four signals together, then the second ones, and so on; see `zip(_:)`.
    @inlinable
    public func zip<B, C, D>(
        _ b: Signal<B>, _ c: Signal<C>, _ d: Signal<D>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, B, C, D)> {
        zip(b, c, d, file: file, line: line) { ($0, $1, $2, $3) }
    }

    /// The result of `transform` for each combination of four values; an error that it throws fails the signal.
    @inlinable
    public func zip<B, C, D, Output>(
        _ b: Signal<B>, _ c: Signal<C>, _ d: Signal<D>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, B, C, D) throws -> Output
    ) -> Signal<Output> {
        Junction(.zip, of: [self, b, c, d], file: file, line: line) { sources, downstream in
            let (a, b, c, d) = (ZipLane<Value>(), ZipLane<B>(), ZipLane<C>(), ZipLane<D>())
            let zipper = Zipper(
                feeding: downstream, [a, b, c, d], transform: { try transform($0.0, $0.1, $0.2, $0.3) }
            ) {
                ($0.take(a), $0.take(b), $0.take(c), $0.take(d))
            }
            return zipper.links.token {
                zipper.attach(a, to: sources[0], key: 0)
                zipper.attach(b, to: sources[1], key: 1)
                zipper.attach(c, to: sources[2], key: 2)
                zipper.attach(d, to: sources[3], key: 3)
            }
        }
    }
}

extension Signal {
    /// The first values of all `sources` as an array, then the second ones, and so on; see `zip(_:)`.
    ///
    /// Each array has the order of `sources`. Without sources, it completes at once. Swift needs the type of the sources' values:
    /// `Signal<Int>.zip(all)`.
    @inlinable
    public static func zip(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<[Value]> {
        Junction(.zip, of: sources, file: file, line: line) { sources, downstream in
            let lanes = sources.nodes.map { _ in ZipLane<Value>() }
            let zipper = Zipper(feeding: downstream, lanes, transform: { $0 }) { state in
                lanes.map { state.take($0) }
            }
            return zipper.links.token {
                if lanes.isEmpty { zipper.links.finish(.completed) }
                for key in lanes.indices { zipper.attach(lanes[key], to: sources[key], key: key) }
            }
        }
    }
}

/// One subscription to `zip`: makes rows with one value from each lane, as long as all lanes have one.
@usableFromInline
final class Zipper<Row, Output>: @unchecked Sendable {
    @usableFromInline let links: SourceLinks<Output>
    @usableFromInline let downstream: Sink<Output>
    @usableFromInline let state: OperatorState<ZipState>
    @usableFromInline let takeRow: (inout ZipState) -> Row
    @usableFromInline let transform: (Row) throws -> Output

    /// - Parameter takeRow: takes one value from each of `lanes`, all of which have one.
    @inlinable
    init(
        feeding downstream: Sink<Output>, _ lanes: [AnyLane], transform: @escaping (Row) throws -> Output,
        takeRow: @escaping (inout ZipState) -> Row
    ) {
        let state = OperatorState(ZipState(emptyLanes: lanes.count))
        self.state = state
        self.takeRow = takeRow
        self.transform = transform
        self.downstream = downstream
        links = SourceLinks(feeding: downstream) {
            state.withState { $0.isOver = true }
            for lane in lanes { lane.clear() }
        }
    }

    @inlinable
    func attach<Value>(_ lane: ZipLane<Value>, to source: Signal<Value>, key: Int) {
        let sink = InputSink<Value, Output>(
            feeding: downstream, next: { [self] in receive($0, lane) }, end: { [self] in end(lane, $0, key: key) })
        links.attach(sink, to: source, key: key)
    }

    @inlinable
    func receive<Value>(_ value: Value, _ lane: ZipLane<Value>) {
        let row = state.withState { state -> Row? in
            guard !state.isOver else { return nil }
            if lane.waiting.isEmpty { state.emptyLanes -= 1 }
            lane.waiting.append(value)
            guard state.emptyLanes == 0 else { return nil }
            state.inDelivery += 1
            return takeRow(&state)
        }
        guard let row else { return downstream.suppress(.waiting) }
        do { downstream.emit(try transform(row)) } catch { links.finish(.failed(error)) }
        let ending = state.withState {
            $0.inDelivery -= 1
            return $0.dueEnding
        }
        if let ending { links.finish(ending) }
    }

    @inlinable
    func end<Value>(_ lane: ZipLane<Value>, _ ending: Ending, key: Int) {
        if case .failed = ending { return links.finish(ending) }
        links.cut(key)
        let due = state.withState { state -> Ending? in
            lane.ending = ending
            if lane.waiting.isEmpty, state.ending == nil { state.ending = ending }
            return state.dueEnding
        }
        if let due { links.finish(due) }
    }
}

@usableFromInline
struct ZipState {
    @usableFromInline var emptyLanes: Int
    /// The number of taken rows that are being delivered: the end must not overtake them.
    @usableFromInline var inDelivery = 0
    /// If set, there are no further rows.
    @usableFromInline var ending: Ending?
    @usableFromInline var isOver = false

    @inlinable
    init(emptyLanes: Int) { self.emptyLanes = emptyLanes }

    @inlinable
    var dueEnding: Ending? { inDelivery == 0 ? ending : nil }

    @inlinable
    mutating func take<Value>(_ lane: ZipLane<Value>) -> Value {
        let value = lane.waiting.popFirst()
        if lane.waiting.isEmpty {
            emptyLanes += 1
            if ending == nil { ending = lane.ending }
        }
        return value.unsafelyUnwrapped
    }
}

/// The values that a combining operator keeps of one source, guarded by the operator's state.
@usableFromInline
class AnyLane {
    @usableFromInline
    init() {}
    /// Releases the values; no other code accesses them any more.
    @usableFromInline
    func clear() {}
}

@usableFromInline
final class ZipLane<Value>: AnyLane {
    @usableFromInline @exclusivity(unchecked) var waiting = Queue<Value>()
    @usableFromInline @exclusivity(unchecked) var ending: Ending?

    @inlinable
    override init() {}

    override func clear() { waiting = Queue() }
}
