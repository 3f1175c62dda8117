#if Recording
import CWeirCore
import WeirRecording

/// The record of a completion or failure: a frame around what it causes.
@usableFromInline
struct EndFrame: ~Copyable {
    private var frame = RecordedFrame.none
    private var isTimed = false
    private var hop: TaskHop?
    private var leftOut: LeftOutDelivery?
    private var turn: SignpostInterval?

    /// Opens the frame, if there is anything to record.
    init<Value>(_ ending: Ending, of node: Node, to sink: Sink<Value>?) {
        let kind: EventKind
        var error: [UInt8]
        let log = ThreadLog()
        if node.isLeftOut {
            if ending.isReleased { return }
            leftOut = LeftOutDelivery(of: node)
            return
        }
        let isPrivate = node.isPrivate || sink.map { weir_load_bool(&$0.originIsPrivate) } ?? false
        switch ending {
        case .completed: (kind, error) = (.completed, log.encodedAbsence)
        case .failed(let failure):
            (kind, error) = (.failed, isPrivate ? log.encodedPrivacy : log.encoded(failure))
        case .released, .abandoned: return
        }
        guard log.isReady(weir_recording()) else { return }
        if weir_tasks_carry_causes() { hop = TaskHop(of: node) }
        if weir_has_signposts() { turn = log.turnBegins { node.signpostName } }
        let code = node.code(log)
        let subscription = code == 0 ? 0 : sink?.code(log, source: node) ?? 0
        guard code != 0,
            log.ended(
                kind, code, error, to: subscription, isTerminal: sink?.isTerminal ?? false,
                redefine: { _ = (node.code(log), sink?.code(log, source: node)) })
        else { return }
        guard subscription != 0 else { return }
        frame = log.emissionOpened
        isTimed = sink?.isTerminal ?? false
    }

    /// Continues the frame with the next of several sinks.
    mutating func next<Value>(_ sink: Sink<Value>, of node: Node) {
        if frame.continues(with: sink, of: node, stamped: isTimed || sink.isTerminal) { isTimed = sink.isTerminal }
    }

    consuming func close() {
        frame.close(stamped: isTimed)
        turn?.end()
        hop?.end()
        leftOut?.end()
    }
}
#endif
