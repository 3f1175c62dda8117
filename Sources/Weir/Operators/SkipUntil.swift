import WeirRecording

extension Signal {
    /// The values after the first value of `other`; a trace says 'waiting' for earlier ones.
    ///
    ///     source:     --1--2--3--4--|
    ///     other:      -------x
    ///     skipUntil:  --------3--4--|
    ///
    /// The completion of `other` has no effect; its failure, before it has emitted, fails the signal.
    @inlinable
    public func skipUntil<Other>(
        _ other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.skipUntil, of: [self, other], isPrivate: isPrivate, file: file, line: line) { sources, downstream in
            let isOpen = OperatorState(false)
            let links = SourceLinks(feeding: downstream)
            let opener = InputSink<Other, Value>(
                feeding: downstream,
                next: { _ in
                    isOpen.value = true
                    links.cut(1)
                }, end: { links.timingEnded($0, key: 1) }, cancelled: { _ in })
            opener.givesTimes = true
            let sink = InputSink<Value, Value>(
                feeding: downstream,
                next: { value in
                    if isOpen.value { downstream.emit(value) } else { downstream.suppress(.waiting) }
                }, end: { links.finish($0) })
            return links.token {
                links.attach(opener, to: sources[1], key: 1)
                links.attach(sink, to: sources[0], key: 0)
            }
        }
    }
}
