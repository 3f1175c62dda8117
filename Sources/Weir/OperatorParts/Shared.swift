import CWeirCore
import WeirRecording

/// A signal that subscribes to its source once for all its subscribers: from the first until the last has left.
///
/// It holds the source and the token of the subscription to it; so does each of its own subscriptions. The sink attached to the
/// source holds only the hub, which contains the subscribers.
@usableFromInline
final class Shared<Value>: Signal<Value> {
    private let source: Signal<Value>
    private let hub: Hub<Value>
    /// The subscription to the source.
    private let upstream = Guarded<(connection: UInt64, token: Disposable?)>((0, nil))

    /// - Parameters:
    ///   - memory: the number of values that a new subscriber receives.
    ///   - receive: handles a value of the source; specialised by the caller.
    @usableFromInline
    convenience init(
        _ source: Signal<Value>, memory: Int, file: StaticString, line: UInt,
        receive: @escaping (Sink<Value>, Value) -> Void
    ) {
        self.init(source, Hub(memory: memory, isPrivate: source.isPrivate, file: file, line: line, receive: receive))
    }

    private init(_ source: Signal<Value>, _ hub: Hub<Value>) {
        self.source = source
        self.hub = hub
        super.init(.share, isPrivate: source.isPrivate, file: hub.file, line: hub.line) { signal, sink in
            signal.attach(sink)
        }
    }

    override var tracedNode: Node { hub }
    override var inputs: [Node] { [source] }

    override func forLater(_ others: LaterSignals) -> () -> Signal<Value>? {
        { [weak self, weak hub, source = others.later(source)] in
            if let self { return self }
            guard let hub, let source = source.signal() else { return nil }
            return Shared(source, hub)
        }
    }

    override func attach(_ sink: consuming Sink<Value>) -> Disposable { attach(sink) {} }

    override func attach(_ sink: Sink<Value>, caughtUp: () -> Void) -> Disposable {
        let (place, missed) = hub.join(sink)
        // Even if the hub has ended since: the sink delays the end until it has caught up.
        for value in missed { hub.replay(value, to: sink) }
        caughtUp()
        if place.isComplete {
            hub.notify(hub.remove(place.key).map { [$0] } ?? [], .completed)
            return Disposable.ended()
        }
        if place.isFirst { connect(place.connection) }
        return SharedToken(self, hub, place)
    }

    private func connect(_ connection: UInt64) {
        let token = source.attach(ConnectionSink(hub, connection))
        guard hub.link(token.weakened(), of: connection) else { return token.dispose() }
        keep(token, of: connection)
    }

    /// Holds the subscription to the source; nil: releases it.
    fileprivate func keep(_ token: Disposable?, of connection: UInt64) {
        var former = token
        upstream.withState {
            guard token != nil || $0.connection == connection else { return }
            $0.connection = connection
            swap(&$0.token, &former)
        }
        withExtendedLifetime(former) {}
    }
}

extension Shared: @unchecked Sendable where Value: Sendable {}  // Adds constants to `Signal`.

/// A subscription to a shared signal, held by its subscriber.
private final class SharedToken<Value>: Disposable, @unchecked Sendable {
    private let weak: WeakSharedToken<Value>
    /// The objects that the token holds until it is disposed.
    private let held: Guarded<(shared: Shared<Value>, hub: Hub<Value>)?>

    init(_ shared: Shared<Value>, _ hub: Hub<Value>, _ place: Hub<Value>.Place) {
        weak = WeakSharedToken(shared, hub, place)
        held = Guarded((shared, hub))
        super.init()
        // Unless it has already ended: then there is nothing to hold.
        if !hub.willRelease(held, of: place.connection) { release() }
    }

    override func end(_ reason: SubscriptionEndReason) {
        weak.dispose(reason)
        release()
    }

    private func release() {
        let former = held.withState { held in
            defer { held = nil }
            return held
        }
        withExtendedLifetime(former) {}
    }

    override func weakened() -> Disposable { weak }
}

private final class WeakSharedToken<Value>: Disposable, @unchecked Sendable {
    private weak var shared: Shared<Value>?
    private weak var hub: Hub<Value>?
    private let place: Hub<Value>.Place

    init(_ shared: Shared<Value>, _ hub: Hub<Value>, _ place: Hub<Value>.Place) {
        self.shared = shared
        self.hub = hub
        self.place = place
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        if hub?.leave(place, reason) == true { shared?.keep(nil, of: place.connection) }
    }
}

// MARK: - Hub

/// Holds the subscribers of a shared signal and represents the signal in a trace. Does not hold the source.
@usableFromInline
final class Hub<Value>: Subject<Value> {
    /// The position that a subscriber received on joining.
    struct Place {
        var key: UInt64 = 0
        var connection: UInt64 = 0
        var isFirst = false
        var isComplete = false
    }

    @usableFromInline let mostValues: Int
    fileprivate let receive: (Sink<Value>, Value) -> Void
    // Guarded by the gate.
    /// The current subscription to the source; 0: none. Values of a former one are dropped.
    @usableFromInline @exclusivity(unchecked) var connection: UInt64 = 0
    /// The last values, in a ring.
    @usableFromInline @exclusivity(unchecked) var memory: [Value] = []
    @usableFromInline @exclusivity(unchecked) var oldest = 0
    @exclusivity(unchecked) private var lastConnection: UInt64 = 0
    @exclusivity(unchecked) private var subscribers = 0
    @exclusivity(unchecked) private var isComplete = false
    @exclusivity(unchecked) private var link: Disposable?
    /// The references that the subscribers' tokens hold: this hub and its source, until the source ends.
    @exclusivity(unchecked) private var held: [WeakHeld] = []

    private struct WeakHeld {
        weak var held: Guarded<(shared: Shared<Value>, hub: Hub<Value>)?>?
    }

    init(
        memory: Int, isPrivate: Bool, file: StaticString, line: UInt, receive: @escaping (Sink<Value>, Value) -> Void
    ) {
        mostValues = memory
        self.receive = receive
        super.init(.share, privacy: isPrivate ? .private : .public, file: file, line: line)
    }

    /// Receives a value of the source.
    @inlinable
    func receive(_ value: Value, from connection: UInt64) {
        guard weir_load_u64(&self.connection) == connection else { return }
        var forgotten: Value?
        broadcast(value) { if mostValues > 0, self.connection == connection { keep(value, &forgotten) } }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(forgotten) {}
    }

    @inlinable
    func keep(_ value: Value, _ forgotten: inout Value?) {
        guard memory.count == mostValues else { return memory.append(value) }
        forgotten = memory[oldest]
        memory[oldest] = value
        oldest = (oldest + 1) % mostValues
    }

    override var remembers: Bool { mostValues > 0 }

    override func remember(_ value: Value, _ forgotten: inout Value?) {
        if mostValues > 0, connection != 0 { keep(value, &forgotten) }
    }

    /// Adds a subscriber; returns the values that it has missed, and its place.
    fileprivate func join(_ sink: Sink<Value>) -> (place: Place, missed: [Value]) {
        var place = Place()
        var missed: [Value] = []
        place.key = add(sink) {
            missed = Array(memory[oldest...] + memory[..<oldest])
            place.isComplete = isComplete
            if isComplete { return }
            place.isFirst = connection == 0
            if place.isFirst {
                lastConnection += 1
                weir_store_u64(&connection, lastConnection)
            }
            place.connection = connection
            subscribers += 1
        }
        return (place, missed)
    }

    /// Removes a subscriber; the last one ends the connection. Returns whether it did.
    fileprivate func leave(_ place: Place, _ reason: SubscriptionEndReason) -> Bool {
        removeSubscription(place.key, reason)
        let (isLast, former) = change { () -> (Bool, Former) in
            guard connection == place.connection else { return (false, Former()) }
            subscribers -= 1
            return subscribers == 0 ? (true, disconnected(forgetting: true)) : (false, Former())
        }
        former.link?.dispose(reason)
        return isLast
    }

    /// Registers a token, which holds its source until the connection ends; false: it has already ended.
    fileprivate func willRelease(_ held: Guarded<(shared: Shared<Value>, hub: Hub<Value>)?>, of connection: UInt64)
        -> Bool
    {
        change {
            guard self.connection == connection else { return false }
            if self.held.count >= 2 * (subscribers + 1) { self.held.removeAll { $0.held == nil } }
            self.held.append(WeakHeld(held: held))
            return true
        }
    }

    /// Called when the source has been subscribed to. False: there is no subscriber any more, or the source has ended.
    fileprivate func link(_ link: Disposable, of connection: UInt64) -> Bool {
        change {
            guard self.connection == connection else { return false }
            self.link = link
            return true
        }
    }

    /// Called when the source of the connection `tag` has ended.
    override func end(_ ending: Ending, tag connection: UInt64) {
        var isComplete = false
        if case .completed = ending { isComplete = mostValues > 0 }
        let (sinks, former) = change { () -> ([Sink<Value>], Former) in
            guard self.connection == connection else { return ([], Former()) }
            self.isComplete = isComplete
            return (takeAllOut(), disconnected(forgetting: !isComplete))
        }
        notify(sinks, ending)
        former.release()
    }

    /// Released outside of the gate.
    private struct Former {
        var link: Disposable?
        var memory: [Value] = []
        var backlog: Backlog<Value>?
        var held: [WeakHeld] = []

        /// Called when the subscriptions have ended: they need not hold the source any more.
        func release() {
            for token in held {
                let former = token.held?.withState { held in
                    defer { held = nil }
                    return held
                }
                withExtendedLifetime(former) {}
            }
        }
    }

    private func disconnected(forgetting: Bool) -> Former {
        var former = Former()
        swap(&former.link, &link)
        // A new connection must not receive emissions that were not yet delivered.
        swap(&former.backlog, &backlog)
        swap(&former.held, &held)
        if forgetting {
            swap(&former.memory, &memory)
            oldest = 0
        }
        weir_store_u64(&connection, 0)
        subscribers = 0
        return former
    }

    private func change<Result>(_ body: () -> Result) -> Result {
        HeldGate.inside(&gate) { body() }
    }
}

extension Hub: @unchecked Sendable where Value: Sendable {}  // The gates guard the mutable state.

/// The sink through which a source feeds the hub of a shared signal.
@usableFromInline
final class ConnectionSink<Value>: Sink<Value> {
    @usableFromInline let hub: Hub<Value>
    @usableFromInline let connection: UInt64

    fileprivate init(_ hub: Hub<Value>, _ connection: UInt64) {
        self.hub = hub
        self.connection = connection
        super.init(operation: hub.receive, file: hub.file, line: hub.line)
    }

    override func end(_ ending: Ending) { hub.finish(ending, tag: connection) }
    override func passPrivacyOn() { hub.becomePrivate() }
    override var target: Node? { hub }
    override var isHeard: Bool {
        // No key path: in code that is not specialised each use would make one.
        super.isHeard && weir_load_u64(&hub.connection) == connection && hub.sinks.contains { $0.isHeard }
    }
}
