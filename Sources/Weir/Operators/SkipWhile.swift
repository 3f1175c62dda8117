import WeirRecording

extension Signal {
    /// The values from the first one for which `predicate` returns false; a trace says 'filtered' for earlier ones.
    ///
    ///     source:           --1--2--3--1--|
    ///     skip(while: <3):  --------3--1--|
    ///
    /// An error that `predicate` throws fails the signal.
    @inlinable
    public func skip(
        while predicate: @escaping @Sendable (Value) throws -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.skip, SkipWhile(predicate: predicate), to: self, file: file, line: line)
    }
}

@usableFromInline
struct SkipWhile<Value>: Operation {
    @usableFromInline let predicate: (Value) throws -> Bool

    @inlinable
    init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let isOpen = OperatorState(false)
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Value, Value>(
            feeding: downstream,
            next: { [predicate] value in
                do {
                    if !isOpen.value {
                        if try predicate(value) { return downstream.suppress(.filtered) }
                        isOpen.value = true
                    }
                    downstream.emit(value)
                } catch {
                    links.finish(.failed(error))
                }
            }, end: { links.finish($0) })
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
