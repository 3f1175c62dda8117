/// Receives the turns and refreshes of a recording as intervals, while they happen: Instruments, or a test.
///
/// Any thread may call it, and an interval may end on another thread than the one on which it began. It must not emit.
package protocol SignpostSink: AnyObject, Sendable {
    /// Whether anything reads the intervals now. Until then, no names are made.
    var isEnabled: Bool { get }

    /// Begins an interval. Returns what `ended` needs to end it.
    ///
    /// - Parameters:
    ///   - name: the stimulus, node or handler. No value is ever part of it.
    ///   - cause: what caused it, if that is known.
    func began(_ kind: SignpostKind, _ name: String, cause: String?) -> AnyObject

    /// Ends an interval, once; `unchanged`: it is a refresh that showed what had been shown before.
    func ended(_ kind: SignpostKind, _ state: AnyObject, unchanged: Bool)
}

/// The kinds of intervals.
package enum SignpostKind: Sendable {
    /// Everything that one stimulus, or one emission without a cause, causes on a thread.
    case turn
    /// A call of a handler, or a run of the body of a view.
    case refresh
}
