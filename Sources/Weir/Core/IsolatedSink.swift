import CWeirCore
import WeirRecording

/// The end of a chain, like `TerminalSink`, with a handler that runs in the isolation of the actor in which it was made.
///
/// In that isolation the handler is called at once. Elsewhere values wait in a queue, and the handler is called in one hop for
/// each. In a trace, the emission then has `hopScheduled` instead of a delivery; the hop holds the refresh, as a replayed
/// emission.
@usableFromInline
final class IsolatedSink<Value>: Sink<Value>, @unchecked Sendable {  // `ownWord` is atomic, the rest constant.
    @usableFromInline let queue: HomeQueue
    private let observer: Node?
    private let onEnd: ((Ending) -> Void)?
    #if Recording
    /// The object for which the handler works, as in `OwnedSink`.
    private let owner: TrackedObject?
    @exclusivity(unchecked) private var ownWord: UInt64 = 0
    #endif

    @usableFromInline
    init(
        _ handler: @escaping (Value) -> Void, queue: HomeQueue, target: Node?, owner: AnyObject?,
        onEnd: ((Ending) -> Void)?, file: StaticString, line: UInt,
        operation: @escaping (Sink<Value>, Value) -> Void
    ) {
        self.queue = queue
        observer = target
        #if Recording
        self.owner = owner.map(Registry.shared.tracked)
        #endif
        self.onEnd = onEnd
        super.init(isolated: handler, operation: operation, file: file.utf8Start, line: UInt32(clamping: line))
    }

    /// Receives a value: a function without context, to be specialised where the handler is made.
    @inlinable
    static var receive: (Sink<Value>, Value) -> Void {
        { sink, value in
            let me = unsafeDowncast(sink, to: IsolatedSink<Value>.self)
            if _fastPath(me.queue.isOpen) { me.handler(value) } else { me.wait(value) }
        }
    }

    override func end(_ ending: Ending) {
        guard let onEnd else { return }
        if ending.isReleased { return }
        queue.run { onEnd(ending) }
    }

    override var failureUse: FailureUse { onEnd == nil ? .unhandled : .received }
    override func cancelled(_ reason: SubscriptionEndReason) { queue.close() }
    override var target: Node? { observer }
    override func passPrivacyOn() { if let observer, observer.kind == .binding { observer.becomePrivate() } }

    // MARK: Away from the actor

    private func runAsTurn(_ work: () -> Void) {
        _ = weir_turn_begin()
        work()
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
    }

    @usableFromInline @inline(never)
    func wait(_ value: Value) {
        #if Recording
        queue.add { [self] in deliver(value, nil) }
        #else
        queue.add { [self] in runAsTurn { handler(value) } }
        #endif
    }

    #if Recording
    override var isAway: Bool { !queue.isOpen }

    override func receiveAway(_ value: Value, from source: Node, cause: ThreadLog.Place?) {
        if source.isLeftOut {
            let leftOut = LeftOutHop(from: source, cause: cause)
            return queue.add { [self] in leftOut.run { runAsTurn { handler(value) } } }
        }
        let ticket = ticket(from: source, cause: cause)
        queue.add { [self] in deliver(value, ticket) }
    }

    override func endsAway(_ ending: Ending) -> Bool {
        if weir_load_bool(&queue.isBusy) { return true }
        if ending.isReleased { return false }
        return onEnd != nil && !queue.home.isHere
    }

    override func endAway(_ ending: Ending, from source: Node) {
        if source.isLeftOut {
            let leftOut = LeftOutHop(from: source, cause: ThreadLog().openPlace)
            return queue.add { [self] in leftOut.run { runAsTurn { hear(ending) } } }
        }
        let ticket = ticket(from: source, cause: ThreadLog().openPlace, isScheduled: onEnd != nil)
        queue.add { [self] in
            let hop = begin(ticket)
            runAsTurn { hear(ending) }
            let log = ThreadLog()
            if let ticket, let reason = reason(of: ending), log.isReady(weir_recording()),
                log.session == ticket.session
            {
                log.subscriptionEnded(ticket.subscription, reason)
            }
            hop.close()
        }
    }

    private func deliver(_ value: Value, _ ticket: Ticket?) {
        let hop = begin(ticket)
        var emission = RecordedFrame.none
        if let ticket, hop.isOpen { emission = record(value, ticket) }
        let refresh =
            emission.isOpen && weir_has_signposts() ? ThreadLog().refreshBegins { signpostName(from: nil) } : nil
        runAsTurn { handler(value) }
        refresh?.end()
        emission.close(stamped: true)
        hop.close()
    }

    // MARK: Recording

    /// The data with which the hop of a waiting value is recorded.
    private struct Ticket {
        let session: UInt32
        let generation: UInt32
        let node: UInt32
        let subscription: UInt32
        let isPrivate: Bool
        let cause: ThreadLog.Place?
    }

    private func ticket(from source: Node, cause: ThreadLog.Place?, isScheduled: Bool = true) -> Ticket? {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return nil }
        let subscription = code(log, source: source)
        let session = log.session
        let node = subscription == 0 ? 0 : source.code(log)
        // Defining the node may have ended in another recording, where the subscription's code means nothing.
        guard node != 0, log.session == session else { return nil }
        if isScheduled { log.hopScheduled(subscription, toMain: queue.home.isMain) }
        let isPrivate = source.isPrivate || weir_load_bool(&originIsPrivate)
        return Ticket(
            session: session, generation: log.generation, node: node, subscription: subscription, isPrivate: isPrivate,
            cause: cause)
    }

    private func begin(_ ticket: Ticket?) -> RecordedFrame {
        let log = ThreadLog()
        guard let ticket, log.isReady(weir_recording()) else { return .none }
        owner?.recordIfReleased(log)
        // The check may have released the owner and so have run any code.
        guard log.isReady(weir_recording()), log.session == ticket.session else { return .none }
        let hop = log.generation == ticket.generation ? log.hopBegan(ticket.node, cause: ticket.cause) : .none
        if !hop.isOpen { log.countLost(2) }
        return hop
    }

    private func record(_ value: Value, _ ticket: Ticket) -> RecordedFrame {
        let log = ThreadLog()
        // Opening the hop may have begun another generation, which would need new definitions of the codes.
        guard log.isReady(weir_recording()), log.session == ticket.session, log.generation == ticket.generation,
            log.emitted(
                ticket.node, value, isPrivate: ticket.isPrivate, replayed: true, to: ticket.subscription,
                // The source may be gone by now.
                isTerminal: true, redefine: {})
        else {
            log.countLost(2)
            return .none
        }
        return log.emissionOpened
    }

    // MARK: With an owner

    override func define(_ log: ThreadLog, source: Node) -> UInt32 {
        guard let owner else { return super.define(log, source: source) }
        return define(log, source: source, of: owner, word: &ownWord)
    }

    override func isKnown(_ log: ThreadLog) -> Bool {
        owner == nil ? super.isKnown(log) : log.knows(weir_load_u64(&ownWord))
    }
    #endif
}

/// A subscription whose handler belongs to an actor: disposing it drops the values that wait for the actor.
@usableFromInline
final class IsolatedSubscription: Disposable, @unchecked Sendable {  // Changed by `end` alone, once.
    private var subscription: Disposable?
    private var queue: HomeQueue?

    @usableFromInline
    init(_ subscription: Disposable?, _ queue: HomeQueue?) {
        self.subscription = subscription
        self.queue = queue
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        queue?.close()
        subscription?.dispose(reason)
        (subscription, queue) = (nil, nil)
    }

    override func weakened() -> Disposable { IsolatedSubscription(subscription?.weakened(), queue) }
}
