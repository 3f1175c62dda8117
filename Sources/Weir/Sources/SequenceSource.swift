import WeirRecording

extension Signal {
    /// Emits the elements of `sequence` to each subscriber, then completes; stops when there is no subscriber any more.
    ///
    ///     Signal([1, 2, 3]): (123|)
    ///
    /// All elements are delivered before the subscription is returned, so only an operator (`take`) or another thread can end an
    /// endless sequence. Each subscription iterates anew; a sequence that can be iterated only once delivers nothing to later
    /// ones.
    @inlinable
    public convenience init<Elements: Sequence & Sendable>(
        _ sequence: Elements, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) where Elements.Element == Value {
        self.init(iterating: sequence, privacy: privacy, file: file, line: line)
    }

    /// Emits `values` to each subscriber, then completes; otherwise the same as for other sequences.
    @inlinable
    public convenience init(
        _ values: [Value], privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(iterating: values, privacy: privacy, file: file, line: line)
    }

    /// - Precondition: if the values are `Sendable`, so is the sequence: each subscriber iterates it on its own thread.
    @inlinable
    convenience init<Elements: Sequence>(
        iterating sequence: Elements, privacy: TracePrivacy, file: StaticString, line: UInt
    ) where Elements.Element == Value {
        self.init(.source, privacy: privacy, file: file, line: line) { _, sink in
            for value in sequence {
                guard sink.isHeard else { return sink.idleToken() }
                sink.emitTurn(value)
            }
            sink.finish(.completed)
            return Disposable.ended()
        }
    }
}
