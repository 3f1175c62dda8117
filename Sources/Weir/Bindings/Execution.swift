import CWeirCore
import WeirRecording

/// One execution of a command: runs its signal once and replays the values and the end to every subscriber.
///
///     the command's signal:  --1--2--|
///     subscribed at once:    --1--2--|
///     subscribed later:          (12|)
///
/// A late subscriber receives everything from the beginning. Each subscriber receives one value after the other: a value that
/// arrives while it handles another waits. The execution keeps all values for as long as it lives.
///
/// **Ownership.** Held by its command while it runs, by the code that keeps the result of `execute`, and by subscriptions that
/// are kept. When the last of them releases it, work that still runs is cancelled.
public final class Execution<Output>: Signal<Output> {
    private enum Close {
        case ended(Ending)
        case cancelled
    }

    private enum Step {
        case value(Output)
        case close(Close)
    }

    private final class Listener {
        let sink: Sink<Output>
        var position = 0
        var isBusy = false
        var isClosed = false

        init(_ sink: Sink<Output>) { self.sink = sink }
    }

    /// Guards the following properties, including the contents of the listeners.
    private let lock = SystemLock()
    private var history: [Output] = []
    private var close: Close?
    private var listeners: [Listener] = []
    private var work: Disposable?
    /// The command's subscription, if the end of it is not recorded yet: whether its failure is received is not known.
    private var publisher: Sink<Output>?
    /// The failure, if it was published and nothing has received it.
    private var unhandled: (any Error)?
    private var isFailureReceived = false
    /// Called once when the execution is over, before any subscriber is notified.
    private let onOver: (Execution<Output>) -> Void

    init(isPrivate: Bool, file: StaticString, line: UInt, onOver: @escaping (Execution<Output>) -> Void) {
        self.onOver = onOver
        super.init(.execution, isPrivate: isPrivate, file: file, line: line) { signal, sink in
            unsafeDowncast(signal, to: Execution<Output>.self).join(sink)
        }
    }

    deinit {
        if let unhandled, let publisher {
            if weir_recording() != 0 { publisher.recordEnded(.failedUnhandled) }
            publisher.reportUnhandled(unhandled, at: file, line)
        }
        work?.dispose()
        for listener in listeners { listener.sink.finish(.released) }
    }

    /// Stops the work; subscribers receive nothing more, and the command can execute again. Late calls do nothing.
    public func cancel() { end(.cancelled) }

    var isOver: Bool { lock.withLock { close != nil } }

    override func passPrivacyOn() {
        super.passPrivacyOn()
        for listener in lock.withLock({ listeners }) { listener.sink.becomePrivate() }
    }

    /// Runs the signal that `make` makes, unless the execution has been cancelled before.
    ///
    /// A private execution has a private input, so `make` runs as a closure that receives a private value.
    func run(_ make: () -> Signal<Output>) {
        let signal = isPrivate ? PrivateMaking.run(make) : make()
        let sink = RelaySink<Output>(to: self) { [weak self] in
            self?.receive($0)
        } end: { [weak self] in
            self?.finish($0)
        }
        sink.isOfSecret = isPrivate
        let subscription = signal.attach(sink)
        let isLate = lock.withLock {
            if close == nil { work = subscription }
            return close != nil
        }
        if isLate { subscription.dispose() }
    }

    func finish(_ ending: Ending) { end(.ended(ending)) }

    private func receive(_ value: Output) {
        let all = lock.withLock { () -> [Listener] in
            if close == nil { history.append(value) }
            return listeners
        }
        for listener in all { serve(listener) }
    }

    private func end(_ reason: Close) {
        let (isFirst, all, former) = lock.withLock { () -> (Bool, [Listener], Disposable?) in
            guard close == nil else { return (false, [], nil) }
            close = reason
            defer { work = nil }
            return (true, listeners, work)
        }
        guard isFirst else { return }
        if case .cancelled = reason { former?.dispose() }
        onOver(self)
        for listener in all { serve(listener) }
    }

    /// Called when the command has published the failure.
    ///
    /// - Parameter isReceived: whether something subscribes to the command's errors.
    func published(_ error: any Error, isReceived: Bool) {
        let publisher = lock.withLock { () -> Sink<Output>? in
            isFailureReceived =
                isFailureReceived || isReceived || listeners.contains { $0.sink.failureUse.counts }
            guard isFailureReceived else {
                unhandled = error
                return nil
            }
            return self.publisher.take()
        }
        if weir_recording() != 0 { publisher?.recordEnded(.failed) }
    }

    override func forLater(_: LaterSignals) -> () -> Signal<Output>? { { [weak self] in self } }

    // MARK: Subscribers

    private func join(_ sink: Sink<Output>) -> Disposable {
        let listener = Listener(sink)
        lock.withLock { listeners.append(listener) }
        // Another thread may have made it private since the sink was made.
        if isPrivate { sink.becomePrivate() }
        serve(listener)
        return ExecutionToken(self) { [weak self] reason in
            sink.cancel(reason)
            self?.remove(listener)
        }
    }

    /// Delivers the values that the listener lacks, unless another call is already serving it: that call then delivers them too.
    private func serve(_ listener: Listener) {
        let isMine = lock.withLock {
            defer { listener.isBusy = true }
            return !listener.isBusy
        }
        guard isMine else { return }
        while let step = nextStep(for: listener) {
            switch step {
            case .value(let value): listener.sink.emit(value)
            case .close(let close):
                noteFailure(close, for: listener.sink)
                // Nothing follows: the handlers need not be held any more.
                remove(listener)
                switch close {
                case .ended(let ending): listener.sink.finish(ending)
                case .cancelled: listener.sink.cancel(.disposed)
                }
            }
        }
    }

    /// Notes that a subscriber receives the failure, or that the command publishes it.
    private func noteFailure(_ close: Close, for sink: Sink<Output>) {
        guard case .ended(.failed) = close else { return }
        if sink.failureUse == .published { return lock.withLock { self.publisher = sink } }
        guard sink.failureUse.counts else { return }
        let publisher = lock.withLock { () -> Sink<Output>? in
            isFailureReceived = true
            guard unhandled != nil else { return nil }
            unhandled = nil
            return self.publisher.take()
        }
        if weir_recording() != 0 { publisher?.recordEnded(.failed) }
    }

    private func nextStep(for listener: Listener) -> Step? {
        lock.withLock {
            if listener.position < history.count {
                listener.position += 1
                return .value(history[listener.position - 1])
            }
            if let close, !listener.isClosed {
                listener.isClosed = true
                return .close(close)
            }
            listener.isBusy = false
            return nil
        }
    }

    private func remove(_ listener: Listener) {
        lock.withLock { listeners.removeAll { $0 === listener } }
    }
}

extension Execution: @unchecked Sendable where Output: Sendable {}  // The lock guards the mutable state.

/// A subscription to an execution, held by its subscriber.
private final class ExecutionToken: Disposable, @unchecked Sendable {  // Changed by `end` alone, once.
    private var execution: Node?
    private let leave: (SubscriptionEndReason) -> Void

    init(_ execution: Node?, leave: @escaping (SubscriptionEndReason) -> Void) {
        self.execution = execution
        self.leave = leave
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        leave(reason)
        execution = nil
    }

    override func weakened() -> Disposable { ExecutionToken(nil, leave: leave) }
}
