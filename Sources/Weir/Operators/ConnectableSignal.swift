import CWeirCore
import WeirRecording

extension Signal {
    /// The values of `subject`, which receives them from this signal after `connect()`.
    ///
    ///     connected at c: ---c
    ///     source:            --1--2--3--|
    ///     first:         ^-----1--2--3--|
    ///     second:               ^-2--3--|   (subscribed at ^)
    ///
    /// ```swift
    /// let results = load.multicast(through: Emitter())
    /// results.subscribe { list.show($0) }.disposed(by: bag)
    /// results.subscribe { log($0) }.disposed(by: bag)
    /// results.connect().disposed(by: bag)
    /// ```
    /// Subscribers receive the values of the subject; the source does not run before ``ConnectableSignal/connect(file:line:)``.
    /// `share()` connects automatically while it has a subscriber. The end of the source ends the subject, which cannot be
    /// connected again.
    ///
    /// A private source makes the subject private permanently.
    public func multicast(
        through subject: Emitter<Value>, file: StaticString = #fileID, line: UInt = #line
    ) -> ConnectableSignal<Value> {
        ConnectableSignal(self, through: subject, file: file, line: line)
    }
}

/// A signal whose subscribers receive from a subject, which receives from its source while it is connected.
///
/// **Ownership.** It holds the source, the subject and the connection. A subscription holds the subject, and a connection the
/// source, until it is disposed or the source ends. Dropping a connection ends nothing.
public final class ConnectableSignal<Value>: Signal<Value> {
    /// Nil: the signal was recreated to be subscribed to, and cannot be connected.
    private let source: Signal<Value>?
    private let subject: Emitter<Value>
    private let connection = Guarded<Connection<Value>?>(nil)

    fileprivate init(_ source: Signal<Value>, through subject: Emitter<Value>, file: StaticString, line: UInt) {
        self.source = source
        self.subject = subject
        if source.isPrivate { subject.becomePrivate() }
        super.init(.multicast, isPrivate: subject.isPrivate, file: file, line: line, start: Self.start)
    }

    private init(hearing subject: Emitter<Value>, like node: OperatorNode) {
        source = nil
        self.subject = subject
        super.init(node, start: Self.start)
    }

    private static func start(_ signal: Signal<Value>, _ downstream: Sink<Value>) -> Disposable {
        let subject = unsafeDowncast(signal, to: ConnectableSignal<Value>.self).subject
        return subject.attach(InputSink<Value, Value>(feeding: downstream) { downstream.emit($0) })
    }

    override func forLater(_: LaterSignals) -> () -> Signal<Value>? {
        { [weak subject, node = sharedIdentity] in subject.map { ConnectableSignal(hearing: $0, like: node) } }
    }

    override var inputs: [Node] { [subject] + (source.map { [$0] } ?? []) }

    /// Subscribes the subject to the source, until the result is disposed or the source ends.
    ///
    /// While connected, it returns the existing connection. After that is disposed, it can be connected again, which subscribes
    /// to the source again; subscribers keep their subscriptions. After the end of the subject it does nothing. If several
    /// threads call it at once, one connects.
    @discardableResult
    public func connect(file: StaticString = #fileID, line: UInt = #line) -> Disposable {
        guard let source, !subject.hasEnded else { return .ended() }
        let new = Connection(of: self)
        let current = connection.withState { known in
            if known == nil { known = new }
            return known ?? new
        }
        guard current === new else { return current }
        let sink = SubjectSink(subject, file: file, line: line) { [weak new, subject] ending in
            new?.letGo()
            subject.take(ending)
        }
        new.hold(source.attach(sink))
        return new
    }

    fileprivate func forget(_ former: Connection<Value>) {
        // This is not the last reference: the caller holds another.
        connection.withState { if $0 === former { $0 = nil } }
    }
}

extension ConnectableSignal: @unchecked Sendable where Value: Sendable {}

extension Emitter {
    /// Receives the end of the connected source; if the source was released, the emitter does not end.
    fileprivate func take(_ ending: Ending) {
        switch ending {
        case .completed: complete()
        case .failed(let error): fail(error)
        case .released, .abandoned: break
        }
    }
}

/// The subscription of a connectable signal's subject to its source.
private final class Connection<Value>: Disposable, @unchecked Sendable {
    private weak var signal: ConnectableSignal<Value>?
    private let state = Guarded<(link: Disposable?, isOver: Bool)>((nil, false))

    init(of signal: ConnectableSignal<Value>) {
        self.signal = signal
        super.init()
    }

    /// Keeps the subscription, unless it has already ended or been disposed.
    func hold(_ link: Disposable) {
        let isOver = state.withState { state in
            if !state.isOver { state.link = link }
            return state.isOver
        }
        if isOver { link.dispose() }
    }

    /// Releases the subscription after the source has ended.
    func letGo() { withExtendedLifetime(takeLink()) {} }

    override func end(_ reason: SubscriptionEndReason) { takeLink()?.dispose(reason) }

    private func takeLink() -> Disposable? {
        var link: Disposable?
        state.withState { state in
            state.isOver = true
            swap(&state.link, &link)
        }
        signal?.forget(self)
        return link
    }
}

/// The sink through which a source feeds the subject of a connectable signal.
private final class SubjectSink<Value>: Sink<Value> {
    private let subject: Emitter<Value>
    private let onEnd: (Ending) -> Void

    init(_ subject: Emitter<Value>, file: StaticString, line: UInt, end: @escaping (Ending) -> Void) {
        self.subject = subject
        onEnd = end
        super.init({ subject.emit($0) }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }

    override func end(_ ending: Ending) { onEnd(ending) }
    override func passPrivacyOn() { subject.becomePrivate() }
    override var target: Node? { subject }
    override var isHeard: Bool { super.isHeard && !subject.hasEnded }
}
