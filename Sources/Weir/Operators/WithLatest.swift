import WeirRecording

extension Signal {
    /// Each value, paired with the latest one of `other`.
    ///
    ///     source:      --1-----2---3--|
    ///     other:       ----a-b-------c--|
    ///     withLatest:  --------2b--3b-|
    ///
    /// A value that arrives before `other` has emitted is dropped; a trace says 'waiting'. The values of `other` emit nothing,
    /// and its completion ends nothing; its failure fails the signal.
    @inlinable
    public func withLatest<Other>(
        from other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<(Value, Other)> {
        withLatest(from: other, file: file, line: line) { ($0, $1) }
    }

    /// The result of `transform` for each value and the latest one of `other`; an error that it throws fails the signal.
    @inlinable
    public func withLatest<Other, Output>(
        from other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (Value, Other) throws -> Output
    ) -> Signal<Output> {
        Junction(.withLatest, of: [self, other], file: file, line: line) { sources, downstream in
            let latest = Latest<Other>()
            let links = SourceLinks(feeding: downstream, onCut: latest.clear)
            let side = InputSink<Other, Output>(
                feeding: downstream, next: { latest.replace(by: $0) }, end: { links.timingEnded($0, key: 1) })
            let sink = InputSink<Value, Output>(
                feeding: downstream,
                next: { value in
                    guard let other = latest.value else { return downstream.suppress(.waiting) }
                    do { downstream.emit(try transform(value, other)) } catch { links.finish(.failed(error)) }
                }, end: { links.finish($0) })
            return links.token {
                links.attach(side, to: sources[1], key: 1)
                links.attach(sink, to: sources[0], key: 0)
            }
        }
    }
}
