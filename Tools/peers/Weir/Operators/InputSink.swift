import WeirTrace

/// One source of an operator that keeps state: closures that take its values and its end.
///
/// Unless told otherwise, the end of the source ends what the operator emits.
@usableFromInline
final class InputSink<Value, Output>: Sink<Value> {
    @usableFromInline let downstream: Sink<Output>
    @usableFromInline let onEnd: ((Ending) -> Void)?
    @usableFromInline let onCancel: ((SubscriptionEndReason) -> Void)?

    /// - Parameters:
    ///   - downstream: what the operator emits to.
    ///   - next: takes each value; runs on the source's thread, perhaps on several at once.
    ///   - end: takes the end of the source, in place of ending `downstream` with it.
    ///   - cancelled: is told that the subscription was ended from outside, in place of ending `downstream`.
    @inlinable
    init(
        feeding downstream: Sink<Output>, next: @escaping (Value) -> Void, end: ((Ending) -> Void)? = nil,
        cancelled: ((SubscriptionEndReason) -> Void)? = nil
    ) {
        self.downstream = downstream
        onEnd = end
        onCancel = cancelled
        super.init(next, isTerminal: false, file: downstream.originSite.file, line: downstream.originSite.line)
    }

    override func end(_ ending: Ending) {
        if let onEnd { onEnd(ending) } else { downstream.finish(ending) }
    }

    override func cancelled(_ reason: SubscriptionEndReason) {
        if let onCancel { onCancel(reason) } else { downstream.cancel(reason) }
    }

    override func passPrivacyOn() { downstream.becomePrivate() }
    override func targetCode(_ log: ThreadLog) -> UInt32 { downstream.originCode(log) }
    override var isHeard: Bool { super.isHeard && downstream.isHeard }
}
