import WeirRecording

extension Signal {
    /// The accumulated result of `combine` for all values, at completion; without values, `initial`.
    ///
    ///     source:       --1--2--3--|
    ///     reduce(0, +): -----------(6|)
    ///
    /// An error that `combine` throws fails the signal. A failure is delivered at once; the accumulated result is lost with it,
    /// and also when the source is released. A trace says 'waiting' for each value.
    @inlinable
    public func reduce<Output>(
        _ initial: Output, file: StaticString = #fileID, line: UInt = #line,
        _ combine: @escaping @Sendable (Output, Value) throws -> Output
    ) -> Signal<Output> {
        Operator(.reduce, Reduce(initial: initial, combine: combine), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Reduce<Input, Output>: Operation {
    @usableFromInline let initial: Output
    @usableFromInline let combine: @Sendable (Output, Input) throws -> Output

    @inlinable
    init(initial: Output, combine: @escaping @Sendable (Output, Input) throws -> Output) {
        self.initial = initial
        self.combine = combine
    }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let accumulated = OperatorState(initial)
        let sink = InputSink<Input, Output>(feeding: downstream) { [combine] value in
            do {
                accumulated.value = try combine(accumulated.value, value)
                downstream.suppress(.waiting)
            } catch {
                links.finish(.failed(error))
            }
        } end: { ending in
            if case .completed = ending { downstream.emit(accumulated.value) }
            links.finish(ending)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
