import WeirRecording

extension Signal {
    /// The accumulated result of `combine` after each value.
    ///
    ///     source:     --1--2--3--|
    ///     scan(0, +): --1--3--6--|
    @inlinable
    public func scan<Output>(
        _ initial: Output, file: StaticString = #fileID, line: UInt = #line,
        _ combine: @escaping @Sendable (Output, Value) -> Output
    ) -> Signal<Output> {
        Operator(.scan, Scan(initial: initial, combine: combine), to: self, file: file, line: line)
    }

    /// The accumulated result of `combine` after each value; an error that it throws fails the signal.
    @inlinable
    public func scan<Output>(
        _ initial: Output, file: StaticString = #fileID, line: UInt = #line,
        _ combine: @escaping @Sendable (Output, Value) throws -> Output
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
        let accumulated = OperatorState(initial)
        return source.attach(
            InputSink<Input, Output>(feeding: downstream) { [combine] value in
                let result = combine(accumulated.value, value)
                accumulated.value = result
                downstream.emit(result)
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
        let accumulated = OperatorState(initial)
        let sink = InputSink<Input, Output>(feeding: downstream) { [combine] value in
            do {
                let result = try combine(accumulated.value, value)
                accumulated.value = result
                downstream.emit(result)
            } catch {
                links.finish(.failed(error))
            }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
