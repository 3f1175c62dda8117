import CWeirCore
import WeirRecording

/// A source of a stateful operator: closures that receive its values and its end.
///
/// By default, the end of the source ends the operator's output. Attached through `SourceLinks`, the closures of all sources run
/// on one thread at a time, so the operator's state needs no protection of its own; a single source delivers on one thread at a
/// time anyway.
@usableFromInline
final class InputSink<Value, Output>: Sink<Value> {
    @usableFromInline let downstream: Sink<Output>
    @usableFromInline let next: (Value) -> Void
    /// Set once, before the source can emit.
    @usableFromInline @exclusivity(unchecked) var serializer: Serializer?
    /// Whether its source gives times, not values: its values do not make the output private, but its error does.
    @usableFromInline @exclusivity(unchecked) var givesTimes = false
    /// Whether a failure goes no further, and does not count as received.
    @exclusivity(unchecked) var dropsFailure = false
    @usableFromInline let onEnd: ((Ending) -> Void)?
    @usableFromInline let onCancel: ((SubscriptionEndReason) -> Void)?

    /// - Parameters:
    ///   - downstream: the sink to which the operator emits.
    ///   - next: receives each value, on the thread that delivers it.
    ///   - end: receives the end of the source, instead of ending `downstream` with it.
    ///   - cancelled: called when the subscription was ended from outside, instead of ending `downstream`.
    @inlinable
    init(
        feeding downstream: Sink<Output>, next: @escaping (Value) -> Void, end: ((Ending) -> Void)? = nil,
        cancelled: ((SubscriptionEndReason) -> Void)? = nil
    ) {
        self.downstream = downstream
        self.next = next
        onEnd = end
        onCancel = cancelled
        super.init(
            operation: { sink, value in
                let me = unsafeDowncast(sink, to: InputSink<Value, Output>.self)
                guard let serializer = me.serializer else { return me.next(value) }
                guard serializer.enter(orLeave: me.later { $0.receiveLate(value) }) else { return }
                me.next(value)
                serializer.leave()
            }, file: downstream.originSite.file, line: downstream.originSite.line)
        isOfSecret = downstream.isOfSecret
    }

    override var failureUse: FailureUse { dropsFailure ? .dropped : .received }

    override func enter(through serializer: Serializer) { self.serializer = serializer }

    /// Work for the thread that is inside; recorded as a hop.
    @usableFromInline @inline(never)
    func later(_ work: @escaping (InputSink<Value, Output>) -> Void) -> () -> Void {
        let hop = Hop.queued
        return { [self] in hop.run(of: downstream) { work(self) } }
    }

    /// Receives a value that had to wait; the subscription may have been disposed since.
    @usableFromInline
    func receiveLate(_ value: Value) { if downstream.isHeard { next(value) } }

    override func end(_ ending: Ending) {
        if givesTimes, case .failed = ending, weir_load_bool(&originIsPrivate) { downstream.becomePrivate() }
        inTurn { me in
            if let onEnd = me.onEnd { onEnd(ending) } else { me.downstream.finish(ending) }
        }
    }

    override func cancelled(_ reason: SubscriptionEndReason) {
        guard let onCancel else { return downstream.cancel(reason) }
        inTurn { _ in onCancel(reason) }
    }

    private func inTurn(_ work: @escaping (InputSink<Value, Output>) -> Void) {
        guard let serializer else { return work(self) }
        guard serializer.enter(orLeave: later(work)) else { return }
        work(self)
        serializer.leave()
    }

    override func passPrivacyOn() { if !givesTimes { downstream.becomePrivate() } }
    #if Recording
    override var isTiming: Bool { givesTimes }
    override func targetCode(_ log: ThreadLog) -> UInt32 { downstream.originCodeAsTarget(log) }
    #endif
    override var isHeard: Bool { super.isHeard && downstream.isHeard }
}
