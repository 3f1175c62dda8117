import WeirRecording

extension Signal {
    /// The values of the source and, if it fails, of the signal that `recover` makes for the error.
    ///
    ///     source:  --1--2--#
    ///     recover:         --a--|
    ///     catch:   --1--2----a--|
    ///
    /// A failure of that signal, or an error that `recover` throws, fails the signal.
    @inlinable
    public func `catch`(
        file: StaticString = #fileID, line: UInt = #line,
        _ recover: @escaping @Sendable (any Error) throws -> Signal<Value>
    ) -> Signal<Value> {
        Operator(.catch, Catch(recover: recover), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Catch<Value>: Operation {
    @usableFromInline let recover: (any Error) throws -> Signal<Value>

    @inlinable
    init(recover: @escaping (any Error) throws -> Signal<Value>) { self.recover = recover }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Value, Value>(feeding: downstream) {
            downstream.emit($0)
        } end: { [recover] ending in
            guard case .failed(let error) = ending else { return links.finish(ending) }
            links.cut(0)
            do {
                let substitute = try downstream.made { try recover(error) }
                let sink = InputSink<Value, Value>(feeding: downstream) {
                    downstream.emit($0)
                } end: {
                    links.finish($0)
                }
                links.attach(sink, toMade: substitute, key: 1)
            } catch {
                links.finish(.failed(error))
            }
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
