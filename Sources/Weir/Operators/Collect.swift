import WeirRecording

extension Signal {
    /// All values as one array, at completion; an empty array if there were none.
    ///
    ///     source:    --1--2--3--|
    ///     collect(): -----------([1,2,3]|)
    ///
    /// Keeps every value until then. A failure is delivered at once; the values are lost with it, and also when the source is
    /// released. A trace says 'waiting' for each value. `buffer(count:)` delivers arrays in between.
    @inlinable
    public func collect(file: StaticString = #fileID, line: UInt = #line) -> Signal<[Value]> {
        Operator(.collect, Collect(), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Collect<Value>: Operation {
    @inlinable
    init() {}

    @inlinable
    func attach(_ downstream: Sink<[Value]>, to source: Signal<Value>) -> Disposable {
        let collected = Guarded([Value]())
        let takeOut = {
            var all: [Value] = []
            collected.withState { swap(&$0, &all) }
            return all
        }
        let links = SourceLinks(feeding: downstream) { _ = takeOut() }
        let sink = InputSink<Value, [Value]>(feeding: downstream) { value in
            collected.withState { $0.append(value) }
            downstream.suppress(.waiting)
        } end: { ending in
            let all = takeOut()
            if case .completed = ending { downstream.emit(all) }
            links.finish(ending)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
