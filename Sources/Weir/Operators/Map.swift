import WeirRecording

extension Signal {
    /// Each transformed value.
    ///
    ///     source:  --1--2--3--|
    ///     map(x2): --2--4--6--|
    ///
    /// Cost: one allocation to make, and one for each subscription.
    @inlinable
    public func map<Output>(
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) -> Output
    ) -> Signal<Output> {
        Operator(.map, Map(transform: transform), to: self, file: file, line: line)
    }

    /// Each transformed value; an error that `transform` throws fails the signal and ends the subscription to its source.
    @inlinable
    public func map<Output>(
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> Output
    ) -> Signal<Output> {
        Operator(.map, ThrowingMap(transform: transform), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Map<Input, Output>: StatelessOperation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline let transform: (Input) -> Output

    @inlinable
    init(transform: @escaping (Input) -> Output) { self.transform = transform }

    @inlinable @inline(__always)
    func receive(_ value: Input, _ downstream: Sink<Output>) { downstream.emit(transform(value)) }
}

@usableFromInline
struct ThrowingMap<Input, Output>: Operation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline let transform: (Input) throws -> Output

    @inlinable
    init(transform: @escaping (Input) throws -> Output) { self.transform = transform }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Input, Output>(feeding: downstream) { [transform] value in
            do { downstream.emit(try transform(value)) } catch { links.finish(.failed(error)) }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
