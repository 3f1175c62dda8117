import WeirTrace

extension Signal {
    /// The values of this signal, and when it has completed those of each of `others` in turn.
    ///
    ///     source:  --1--2--|
    ///     other:           --a--|
    ///     concat:  --1--2----a--|
    ///
    /// A hot signal is heard from its turn on. A failure ends it, and so does the release of a source that has not
    /// completed: what comes after it never starts.
    @inlinable
    public func concat(
        _ others: Signal<Value>..., file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal.concat([self] + others, file: file, line: line)
    }

    /// The values of all `sources`, each when the former has completed; see `concat(_:)`. None: completes at once.
    ///
    /// Swift needs to be told the type: `Signal<Int>.concat(all)`.
    @inlinable
    public static func concat(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.concat, of: sources, file: file, line: line) { sources, downstream in
            // Not the signals: the subject that is heard now holds what waits, and so must not be held by it.
            let later = LaterSignals()
            let waiting = sources.nodes.indices.map { later.later(sources[$0] as Signal<Value>) }
            let succession = Succession<Later<Value>, Value>(feeding: downstream, makesSignals: false)
            return succession.links.token(holding: sources.nodes) { succession.start(waiting) { $0.signal() } }
        }
    }
}
