#if Recording
import CWeirCore
import WeirRecording

extension Node {
    /// Records that this node emits `value`, first to `sink`, and opens the frame around what that causes.
    ///
    /// No frame is opened if the recording leaves the node out, or if the emission is lost, which is counted.
    final func openEmission<Value, Received>(
        of value: Value, isReplayed: Bool = false, to sink: Sink<Received>
    ) -> RecordedFrame {
        let log = ThreadLog()
        guard !isLeftOut, log.isReady(weir_recording()) else { return .none }
        // First, because defining it may record the release of its owner, and also defines this node.
        let subscription = sink.code(log, source: self)
        let session = log.session
        let node = subscription == 0 ? 0 : code(log)
        // Defining may have ended in another recording, where the subscription's code means nothing.
        guard node != 0, log.session == session,
            log.emitted(
                node, value, isPrivate: isPrivate, replayed: isReplayed, to: subscription, isTerminal: sink.isTerminal,
                redefine: { _ = (code(log), sink.code(log, source: self)) })
        else {
            // The emission has been counted as lost; its delivery and its end have not.
            log.countLost(2)
            return .none
        }
        return log.emissionOpened
    }
}

extension RecordedFrame {
    /// Records that the delivery goes on with `sink`, the next subscriber of `node`; false: that cannot be recorded.
    func continues<Value>(with sink: Sink<Value>, of node: Node, stamped: Bool) -> Bool {
        let log = ThreadLog()
        guard accepts(log) else { return false }
        let code = sink.code(log, source: node)
        // Defining the subscription may have ended in another recording.
        guard code != 0, log.session == session else { return false }
        log.deliveryNext(code, stamped: stamped)
        return true
    }
}
#endif
