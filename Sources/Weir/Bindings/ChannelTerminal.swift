import CWeirCore
import WeirRecording

/// One side of a channel: delivers what the other side sends, and sends to it.
///
/// A value that is sent to a side does not come back to that side.
public class ChannelTerminal<Value: Equatable & SendableMetatype>: Subject<Value> {
    init(isPrivate: Bool, file: StaticString, line: UInt) {
        super.init(.channel, privacy: isPrivate ? .private : .public, file: file, line: line)
    }

    /// Gives `value` to the other side.
    public func send(_ value: Value) {}
}

extension ChannelTerminal: @unchecked Sendable where Value: Sendable {}  // Adds no state to `Subject`.

/// The model's side: values that the view sends go into the observable.
final class ModelTerminal<Value: Equatable & SendableMetatype>: ChannelTerminal<Value> {
    let observable: Observable<Value>

    init(_ observable: Observable<Value>, file: StaticString, line: UInt) {
        self.observable = observable
        super.init(isPrivate: observable.isPrivate, file: file, line: line)
        recordCreated()
        _ = attach(RelaySink(to: observable) { observable.value = $0 })
    }

    override func send(_ value: Value) { observable.value = value }
}

/// The view's side: delivers the observable's value whenever the view shows a different one.
///
/// The view shows the value that it sent itself, which is enough to suppress echoes. If the model changes that value, the view
/// receives the changed value.
final class ViewTerminal<Value: Equatable & SendableMetatype>: ChannelTerminal<Value> {
    private struct Shown {
        var value: Value
        /// Whether the view sent this value itself.
        var isSent = false
        /// The thread that is delivering a value to the view; 0: none.
        var thread: UInt = 0
        /// The view has sent a value during that delivery, on another thread: which of the two it shows is unknown.
        var isUncertain = false
    }

    private let model: ModelTerminal<Value>
    private let shown: Guarded<Shown>
    private var changes: Disposable?

    init(_ model: ModelTerminal<Value>, file: StaticString, line: UInt) {
        self.model = model
        shown = Guarded(Shown(value: model.observable.handedOut))
        super.init(isPrivate: model.isPrivate, file: file, line: line)
        recordCreated()
        changes = model.observable.attach(RelaySink(to: self) { [weak self] _ in self?.observableChanged() })
    }

    deinit { changes?.dispose() }

    override func passPrivacyOn() {
        super.passPrivacyOn()
        model.becomePrivate()
    }

    override func send(_ value: Value) {
        show(value) {
            $0.isSent = true
            if $0.thread != 0 && $0.thread != UInt(bitPattern: weir_thread_current()) { $0.isUncertain = true }
        }
        model.broadcast(value)
    }

    /// A new subscriber first receives the value that the view shows.
    override func attach(_ sink: consuming Sink<Value>) -> Disposable {
        Subscription(self, key: add(sink, receiving: { [shown] in shown.withState { $0.value } }))
    }

    private func observableChanged() {
        var isNews = false
        while case let current = model.observable.handedOut,
            !Equality.areEqual(equatable: current, whatIsShown) || isUncertain
        {
            isNews = true
            show(current) {
                ($0.isSent, $0.isUncertain) = (false, false)
                $0.thread = UInt(bitPattern: weir_thread_current())
            }
            broadcast(current)
            shown.withState { $0.thread = 0 }
        }
        if !isNews && weir_recording() != 0 { recordSuppressed(isSent ? .echoed : .equal) }
    }

    private var isSent: Bool { shown.withState { $0.isSent } }
    private var whatIsShown: Value { shown.withState { $0.value } }
    private var isUncertain: Bool { shown.withState { $0.isUncertain } }

    private func show(_ value: Value, _ note: (inout Shown) -> Void) {
        let former = shown.withState { shown in
            defer { shown.value = value }
            note(&shown)
            return shown.value
        }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }
}

extension ModelTerminal: @unchecked Sendable where Value: Sendable {}  // Has a constant.
extension ViewTerminal: @unchecked Sendable where Value: Sendable {}  // `shown` is guarded.
