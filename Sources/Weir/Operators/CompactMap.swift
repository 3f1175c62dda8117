import WeirRecording

extension Signal {
    /// Each transformed value, unless it is nil; a trace says 'filtered' for nil.
    ///
    ///     source:          --1--x--3--|
    ///     compactMap(Int): --1-----3--|
    @inlinable
    public func compactMap<Output>(
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) -> Output?
    ) -> Signal<Output> {
        Operator(.compactMap, CompactMap(transform: transform), to: self, file: file, line: line)
    }

    /// Each transformed value, unless it is nil; an error that `transform` throws fails the signal.
    @inlinable
    public func compactMap<Output>(
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> Output?
    ) -> Signal<Output> {
        Operator(.compactMap, ThrowingCompactMap(transform: transform), to: self, file: file, line: line)
    }
}

@usableFromInline
struct CompactMap<Input, Output>: StatelessOperation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline let transform: (Input) -> Output?

    @inlinable
    init(transform: @escaping (Input) -> Output?) { self.transform = transform }

    @inlinable @inline(__always)
    func receive(_ value: Input, _ downstream: Sink<Output>) {
        if let output = transform(value) { downstream.emit(output) } else { downstream.suppress(.filtered) }
    }
}

@usableFromInline
struct ThrowingCompactMap<Input, Output>: Operation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline let transform: (Input) throws -> Output?

    @inlinable
    init(transform: @escaping (Input) throws -> Output?) { self.transform = transform }

    @inlinable
    func attach(_ downstream: Sink<Output>, to source: Signal<Input>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Input, Output>(feeding: downstream) { [transform] value in
            do {
                if let output = try transform(value) { downstream.emit(output) } else { downstream.suppress(.filtered) }
            } catch {
                links.finish(.failed(error))
            }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
