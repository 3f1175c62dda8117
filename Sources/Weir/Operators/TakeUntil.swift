import WeirRecording

extension Signal {
    /// The values until `other` emits; then it completes and ends its subscriptions.
    ///
    ///     source:     --1--2--3--4--|
    ///     other:      --------x
    ///     takeUntil:  --1--2--|
    ///
    /// The completion of `other` ends nothing; its failure fails the signal.
    @inlinable
    public func takeUntil<Other>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.takeUntil, of: [self, other], isPrivate: isPrivate, file: file, line: line) { sources, downstream in
            let links = SourceLinks(feeding: downstream)
            let limit = InputSink<Other, Value>(
                feeding: downstream, next: { _ in links.finish(.completed) }, end: { links.timingEnded($0, key: 1) })
            limit.givesTimes = true
            let sink = InputSink<Value, Value>(
                feeding: downstream, next: { downstream.emit($0) }, end: { links.finish($0) })
            return links.token {
                links.attach(limit, to: sources[1], key: 1)
                links.attach(sink, to: sources[0], key: 0)
            }
        }
    }
}

extension SourceLinks {
    /// Called when a source that only gives times has ended: a failure fails the operator, any other end changes nothing.
    @usableFromInline
    func timingEnded(_ ending: Ending, key: Int) {
        if case .failed = ending { finish(ending) } else { cut(key) }
    }
}
