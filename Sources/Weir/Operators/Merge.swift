import WeirRecording

extension Signal {
    /// The values of this signal and of `others`, in the order of arrival.
    ///
    ///     source:  --1-----2--|
    ///     other:   ----a-b------c--|
    ///     merge:   --1-a-b-2----c--|
    ///
    /// Completes when all have completed; fails when one fails, and ends the subscriptions to the others.
    @inlinable
    public func merge(
        _ others: Signal<Value>..., file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal.merge([self] + others, file: file, line: line)
    }

    /// The values of all `sources` in the order of arrival; completes when all have, fails when one does. None: completes at once.
    ///
    /// Swift needs the type: `Signal<Int>.merge(all)`.
    @inlinable
    public static func merge(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.merge, of: sources, file: file, line: line) { sources, downstream in
            let links = SourceLinks(feeding: downstream)
            let open = OpenSources(sources.nodes.count, of: links)
            return links.token {
                if sources.nodes.isEmpty { links.finish(.completed) }
                for key in sources.nodes.indices {
                    let sink = InputSink<Value, Value>(
                        feeding: downstream, next: { downstream.emit($0) }, end: { open.close(key, $0) })
                    links.attach(sink, to: sources[key], key: key)
                }
            }
        }
    }
}
