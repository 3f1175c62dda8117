import WeirRecording

extension Signal {
    /// The values before the first one for which `predicate` returns false; then it completes and ends its subscription.
    ///
    ///     source:           --1--2--3--1--|
    ///     take(while: <3):  --1--2--|
    @inlinable
    public func take(
        while predicate: @escaping @Sendable (Value) throws -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.take, TakeWhile(predicate: predicate), to: self, file: file, line: line)
    }
}

@usableFromInline
struct TakeWhile<Value>: Operation {
    @usableFromInline let predicate: (Value) throws -> Bool

    @inlinable
    init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Value, Value>(
            feeding: downstream,
            next: { [predicate] value in
                do {
                    if try predicate(value) { return downstream.emit(value) }
                    downstream.suppress(.filtered)
                    links.finish(.completed)
                } catch {
                    links.finish(.failed(error))
                }
            }, end: { links.finish($0) })
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
