import CWeirCore
import WeirRecording

/// Delivers values to its subscribers, then possibly one failure or completion.
///
/// Every observable type is a signal. `Observable` and `Emitter` are *hot*: all subscribers receive the same emissions. A signal
/// made with a closure, and every operator, is *cold*: its closure runs once for every subscription.
/// ```swift
/// let greeting = Signal<String> { subscriber in
///     subscriber.next("hello")
///     subscriber.complete()
///     return nil
/// }
/// greeting.subscribe { print($0) }
/// ```
/// **Ownership.** A hot signal holds its subscribers. The `Disposable` of a subscription holds the sources, all the way up a
/// chain of operators; no other object holds them. So dropping a `Disposable` ends nothing, and a chain that is dropped together
/// with its source leaks nothing.
///
/// **Threads.** Every operation may be called from any thread and is memory-safe. Values are delivered on the thread that emits
/// them, unless a scheduler or an actor changes that. One thread at a time delivers to a subscriber: if a delivery is in
/// progress, a thread leaves its value to the delivering thread, and returns.
///
/// **Ends.** After a failure or completion nothing more is delivered: a later value is dropped, and a trace shows it. A failure
/// that no handler receives ends the subscription; a trace shows it, and `Trace.onUnhandledFailure` reports it.
public class Signal<Value>: Node {
    /// Subscribes a sink; unused for subjects, which keep lists of sinks. Not optional, for speed (see `Sink`).
    @usableFromInline final let start: (Signal<Value>, consuming Sink<Value>) -> Disposable
    final let operation: NodeKind
    /// The node that represents a cold signal in a trace; its subscriptions also hold it, because they must not hold the signal.
    @exclusivity(unchecked) private final var identity: UnsafeMutableRawPointer?

    @usableFromInline
    init(
        _ operation: NodeKind, privacy: TracePrivacy, file: StaticString, line: UInt,
        start: @escaping (Signal<Value>, consuming Sink<Value>) -> Disposable
    ) {
        self.operation = operation
        self.start = start
        super.init(file: file, line: line, privacy: privacy)
    }

    /// As above, with the privacy of an operator: that of its sources.
    @usableFromInline
    init(
        _ operation: NodeKind, isPrivate: Bool, file: StaticString, line: UInt,
        start: @escaping (Signal<Value>, consuming Sink<Value>) -> Disposable
    ) {
        // Read first, so that `start` is passed on, without reference counting.
        let isMadeOfSecret = operation != .disclose && PrivateMaking.isUnderWay
        self.operation = operation
        self.start = start
        super.init(file: file.utf8Start, line: UInt32(clamping: line), isPrivate: isPrivate || isMadeOfSecret)
    }

    /// As above, for the call site of another node.
    init(
        _ operation: NodeKind, isPrivate: Bool, file: UnsafePointer<UInt8>, line: UInt32,
        start: @escaping (Signal<Value>, consuming Sink<Value>) -> Disposable
    ) {
        // Read first, so that `start` is passed on, without reference counting.
        let isMadeOfSecret = operation != .disclose && PrivateMaking.isUnderWay
        self.operation = operation
        self.start = start
        super.init(file: file, line: line, isPrivate: isPrivate || isMadeOfSecret)
    }

    /// A cold signal that `node` represents in a trace.
    init(_ node: OperatorNode, start: @escaping (Signal<Value>, consuming Sink<Value>) -> Disposable) {
        operation = node.kind
        identity = Unmanaged.passRetained(node).toOpaque()
        self.start = start
        super.init(file: node.file, line: node.line, isPrivate: node.isPrivate)
    }

    deinit {
        if let identity { Unmanaged<OperatorNode>.fromOpaque(identity).release() }
    }

    override var kind: NodeKind { operation }
    override final var valueType: Any.Type? { Value.self }

    override var tracedNode: Node { sharedIdentity }
    override var nodeIfTraced: Node? { knownIdentity?.takeUnretainedValue() }

    /// Calls `handler` with every value from now on, until the result is disposed or the signal ends.
    ///
    /// A handler that is made in an actor's isolation, for example that of a `@MainActor` class, runs there: at once if the
    /// emission is in that isolation, otherwise a moment later. Any other handler must be `@Sendable`, and runs on the emitting
    /// thread.
    ///
    /// Dropping the result ends nothing; dispose it, or empty its bag, to end the subscription. Cost: two allocations, and one
    /// for each operator of a chain.
    ///
    /// - Parameter owner: the object for which `handler` works, such as a view. It is not held, and its release ends nothing. A
    ///   trace shows the values that reach the handler after its release: Weir checks the owner before each refresh, so a release
    ///   is recorded before the first refresh that begins after it. As for adopted objects, Weir also checks at the end of each
    ///   stimulus, at frames and at checkpoints. It checks nothing while nothing is recorded.
    @inlinable @discardableResult
    public final func subscribe(
        owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Value) -> Void
    ) -> Disposable {
        if let home = handler.isolation {
            return attach(
                Isolation.handler(handler), in: home, operation: IsolatedSink.receive, owner: owner, file: file,
                line: line)
        }
        guard let owner else {
            return attach(
                TerminalSink(Isolation.handler(handler), target: nil, onEnd: nil, file: file, line: line))
        }
        return attach(sink(for: owner, Isolation.handler(handler), file: file, line: line))
    }

    /// Calls `handler` with every value and with the failure or completion.
    ///
    /// - Parameter owner: the object for which `handler` works, as in `subscribe(owner:)`.
    @inlinable @discardableResult
    public final func subscribeEvents(
        owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Event<Value>) -> Void
    ) -> Disposable {
        let home = handler.isolation
        let handler = Isolation.handler(handler)
        if let home {
            return attach(
                { handler(.next($0)) }, in: home, operation: IsolatedSink.receive, owner: owner,
                onEnd: { $0.notify(handler) }, file: file, line: line)
        }
        if let owner {
            let sink = sink(
                for: owner, { handler(.next($0)) }, onEnd: { $0.notify(handler) }, file: file, line: line)
            return attach(sink)
        }
        return attach(
            TerminalSink(
                { handler(.next($0)) }, target: nil, onEnd: { $0.notify(handler) }, file: file, line: line))
    }

    /// Subscribes a handler that belongs to the actor `home`.
    @usableFromInline @inline(never)
    final func attach(
        _ handler: @escaping (Value) -> Void, in home: any Actor,
        operation: @escaping (Sink<Value>, Value) -> Void, owner: AnyObject?, target: Node? = nil,
        onEnd: ((Ending) -> Void)? = nil, file: StaticString, line: UInt
    ) -> Disposable {
        let sink = IsolatedSink(
            handler, queue: HomeQueue(home), target: target, owner: owner, onEnd: onEnd, file: file, line: line,
            operation: operation)
        return IsolatedSubscription(attach(sink), sink.queue)
    }

    /// A sink that works for `owner`.
    @usableFromInline @inline(never)
    final func sink(
        for owner: AnyObject, _ handler: @escaping (Value) -> Void, onEnd: ((Ending) -> Void)? = nil,
        file: StaticString,
        line: UInt
    ) -> Sink<Value> {
        .working(for: owner, handler, onEnd: onEnd, file: file, line: line)
    }

    /// Subscribes `sink`; the result can end the subscription and holds all sources.
    @usableFromInline
    func attach(_ sink: consuming Sink<Value>) -> Disposable {
        sink.comes(from: self)
        if weir_recording() != 0 { sink.recordStarted() }
        return start(self, sink)
    }

    /// Same as `attach`, but a signal that remembers values first delivers those that the sink has missed, then calls `caughtUp`.
    @usableFromInline
    func attach(_ sink: Sink<Value>, caughtUp: () -> Void) -> Disposable {
        caughtUp()
        return attach(sink)
    }

    /// Same as `attach`, but the sink first receives the current value, if the signal has one.
    @usableFromInline
    func attachCurrent(_ sink: Sink<Value>) -> Disposable { attach(sink) }

    /// This signal, beginning with its current value if it has one.
    @usableFromInline
    func withCurrent(file: StaticString, line: UInt) -> Signal<Value> { self }

    /// Returns this signal again later; see `Later`.
    @usableFromInline
    final func forLater() -> Later<Value> { LaterSignals().later(self) }

    /// A closure that returns the signal again. It holds no subject.
    ///
    /// - Parameter others: for the sources of this signal.
    func forLater(_ others: LaterSignals) -> () -> Signal<Value>? { { self } }

    override final func nodeForLater(_ others: LaterSignals) -> () -> Node? {
        let later = others.later(self)
        return { later.signal() }
    }

    // MARK: Identity

    /// The node that represents this signal in a trace, if it exists or is needed now; alive while the signal is.
    @inline(__always)
    final var identityIfNeeded: Unmanaged<OperatorNode>? {
        weir_recording() != 0 || weir_load_pointer(&identity) != nil ? neededIdentity : nil
    }

    private final var knownIdentity: Unmanaged<OperatorNode>? {
        weir_load_acquire_pointer(&identity).map { Unmanaged<OperatorNode>.fromOpaque($0) }
    }

    override func passPrivacyOn() { knownIdentity?.takeUnretainedValue().becomePrivate() }

    #if Recording
    override package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        if let knownIdentity { visit("identity", UnsafeRawPointer(knownIdentity.toOpaque())) }
    }
    #endif

    final var sharedIdentity: OperatorNode { neededIdentity.takeUnretainedValue() }

    private final var neededIdentity: Unmanaged<OperatorNode> {
        if let knownIdentity { return knownIdentity }
        let new = Unmanaged.passRetained(
            OperatorNode(operation, type: Value.self, isPrivate: isPrivate, file: file, line: line))
        if weir_compare_exchange_pointer(&identity, nil, new.toOpaque()) {
            // Another thread may have made the signal private before it could see the identity.
            if isPrivate { new.takeUnretainedValue().becomePrivate() }
            return new
        }
        new.release()
        return self.neededIdentity
    }
}

extension Signal: @unchecked Sendable where Value: Sendable {}  // `identity` is atomic, the rest constant.

extension Ending {
    /// Passes the ending to a handler of events, unless the source was released.
    @usableFromInline
    func notify<Value>(_ handler: (Event<Value>) -> Void) {
        switch self {
        case .completed: handler(.completed)
        case .failed(let error): handler(.failed(error))
        case .released, .abandoned: break
        }
    }
}

/// The node that represents a cold signal in a trace. It holds no values or sources, so subscriptions can hold it.
@usableFromInline
class OperatorNode: Node {
    private final let operation: NodeKind
    private final let type: Any.Type

    init(_ operation: NodeKind, type: Any.Type, isPrivate: Bool, file: UnsafePointer<UInt8>, line: UInt32) {
        self.operation = operation
        self.type = type
        super.init(file: file, line: line, isPrivate: isPrivate)
    }

    override final var kind: NodeKind { operation }
    override final var valueType: Any.Type? { type }
}
