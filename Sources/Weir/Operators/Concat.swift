import WeirRecording

extension Signal {
    /// The values of this signal and, when it has completed, those of each of `others` in turn.
    ///
    ///     source:  --1--2--|
    ///     other:           --a--|
    ///     concat:  --1--2----a--|
    ///
    /// It subscribes to a hot signal only when that signal's turn comes. A failure ends the result, and so does the release of a
    /// source that has not completed: the sources after it never start.
    @inlinable
    public func concat(
        _ others: Signal<Value>..., file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal.concat([self] + others, file: file, line: line)
    }

    /// The values of all `sources`, each after the previous one has completed; see `concat(_:)`. None: completes at once.
    ///
    /// Swift needs the type: `Signal<Int>.concat(all)`.
    @inlinable
    public static func concat(
        _ sources: [Signal<Value>], file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Junction(.concat, of: sources, file: file, line: line) { sources, downstream in
            // Not the signals: the current subject holds the waiting ones, so they must not hold it.
            let later = LaterSignals()
            let waiting = sources.nodes.indices.map { later.later(sources[$0] as Signal<Value>) }
            let succession = Succession<Later<Value>, Value>(feeding: downstream, makesSignals: false)
            return succession.links.token(holding: sources.nodes) { succession.start(waiting) { $0.signal() } }
        }
    }
}
