import WeirTrace

extension Signal {
    /// What `combine` has made of all values so far, after each of them.
    ///
    ///     source:     --1--2--3--|
    ///     scan(0, +): --1--3--6--|
    ///
    /// When two threads emit at once, `combine` may run again for a value, with a newer accumulation; none is lost.
    @inlinable
    public func scan<Output>(
        _ initial: Output, file: StaticString = #fileID, line: UInt = #line,
        _ combine: @escaping (Output, Value) -> Output
    ) -> Signal<Output> {
        Operator(.scan, Scan(initial: initial, combine: combine), to: self, file: file, line: line)
    }

    /// What `combine` has made of all values so far; an error that it throws fails the signal.
    @inlinable
    public func scan<Output>(
        _ initial: Output, file: StaticString = #fileID, line: UInt = #line,
        _ combine: @escaping (Output, Value) throws -> Output
    ) -> Signal<Output> {
        Operator(.scan, ThrowingScan(initial: initial, combine: combine), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Scan<Input, Output>: Operation {
    @usableFromInline let initial: Output
    @usableFromInline let combine: (Output, Input) -> Output

    @inlinable
    init(initial: Output, combine: @escaping (Output, Input) -> Output) {
        self.initial = initial
        self.combine = combine
    }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        let accumulated = Accumulation(initial)
        return source.attach(
            InputSink<Input, Output>(feeding: downstream) { [combine] value in
                downstream.emit(accumulated.add { combine($0, value) })
            })
    }
}

@usableFromInline
struct ThrowingScan<Input, Output>: Operation {
    @usableFromInline let initial: Output
    @usableFromInline let combine: (Output, Input) throws -> Output

    @inlinable
    init(initial: Output, combine: @escaping (Output, Input) throws -> Output) {
        self.initial = initial
        self.combine = combine
    }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let accumulated = Accumulation(initial)
        let sink = InputSink<Input, Output>(feeding: downstream) { [combine] value in
            do {
                downstream.emit(try accumulated.add { try combine($0, value) })
            } catch {
                links.finish(.failed(error))
            }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}

/// What has been accumulated so far.
@usableFromInline
final class Accumulation<Output> {
    @usableFromInline let state: Guarded<(value: Output, version: Int)>

    @inlinable
    init(_ initial: Output) { state = Guarded((initial, 0)) }

    /// Replaces the value by what `combine` makes of it; runs that again if another thread was faster.
    @inlinable @inline(__always)
    func add(_ combine: (Output) throws -> Output) rethrows -> Output {
        while true {
            let before = state.withState { $0 }
            var next = try combine(before.value)
            let result = next
            let isCurrent = state.withState {
                guard $0.version == before.version else { return false }
                $0.version += 1
                swap(&$0.value, &next)
                return true
            }
            if isCurrent { return result }
        }
    }
}
