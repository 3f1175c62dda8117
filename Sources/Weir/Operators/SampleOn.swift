import WeirRecording

extension Signal {
    /// The latest value at each value of `other`, unless it has already been emitted.
    ///
    ///     source:      --1--2-----3--|
    ///     other:       -------x-x--x---x
    ///     sample(on:): -------2----3-|
    ///
    /// A new value waits (a trace says 'waiting'), and is dropped when a newer one arrives or the source ends. The completion of
    /// `other` ends nothing; its failure fails the signal.
    @inlinable
    public func sample<Other>(
        on other: Signal<Other>, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.sample, of: [self, other], isPrivate: isPrivate, file: file, line: line) { sources, downstream in
            let latest = Latest<Value>()
            let links = SourceLinks(feeding: downstream, onCut: latest.clear)
            let trigger = InputSink<Other, Value>(
                feeding: downstream,
                next: { _ in if let value = latest.take() { downstream.emit(value) } },
                end: { links.timingEnded($0, key: 1) })
            trigger.givesTimes = true
            let sink = InputSink<Value, Value>(
                feeding: downstream,
                next: {
                    latest.replace(by: $0)
                    downstream.suppress(.waiting)
                }, end: { links.finish($0) })
            return links.token {
                links.attach(trigger, to: sources[1], key: 1)
                links.attach(sink, to: sources[0], key: 0)
            }
        }
    }
}

/// The latest value of a source, if there is one.
@usableFromInline
final class Latest<Value> {
    @usableFromInline let state = OperatorState<(value: Value?, isOver: Bool)>((nil, false))

    @inlinable
    init() {}

    @inlinable
    var value: Value? { state.withState { $0.value } }

    @inlinable
    func replace(by value: Value) {
        var former: Value? = value
        state.withState { if !$0.isOver { swap(&$0.value, &former) } }
        // Released here.
        withExtendedLifetime(former) {}
    }

    @inlinable
    func take() -> Value? {
        var value: Value?
        state.withState { swap(&$0.value, &value) }
        return value
    }

    /// Releases the value, and accepts no other.
    @usableFromInline
    func clear() {
        state.withState { $0.isOver = true }
        _ = take()
    }
}
