import CWeir
import WeirTrace

/// One side of a channel: delivers what the other side sends, and sends to it.
///
/// What is sent here does not come back here.
public class ChannelTerminal<Value: Equatable>: Subject<Value> {
    init(isPrivate: Bool, file: StaticString, line: UInt) {
        super.init(.channel, privacy: isPrivate ? .private : .public, file: file, line: line)
    }

    /// Gives `value` to the other side.
    public func send(_ value: Value) {}
}

extension ChannelTerminal: @unchecked Sendable where Value: Sendable {}

/// The model's side: what the view sends goes into the observable.
final class ModelTerminal<Value: Equatable>: ChannelTerminal<Value> {
    let observable: Observable<Value>

    init(_ observable: Observable<Value>, file: StaticString, line: UInt) {
        self.observable = observable
        super.init(isPrivate: observable.isPrivate, file: file, line: line)
        recordCreated()
        _ = attach(RelaySink(to: observable) { observable.value = $0 })
    }

    override func send(_ value: Value) { observable.value = value }
}

/// The view's side: delivers the observable's value whenever the view shows another.
///
/// That the view has what it has sent itself is all it takes to keep echoes away; and if the model makes something else of
/// it, the view hears that.
final class ViewTerminal<Value: Equatable>: ChannelTerminal<Value> {
    private let model: ModelTerminal<Value>
    private let shown: Guarded<Value>
    private var changes: Disposable?

    init(_ model: ModelTerminal<Value>, file: StaticString, line: UInt) {
        self.model = model
        shown = Guarded(model.observable.value)
        super.init(isPrivate: model.isPrivate, file: file, line: line)
        recordCreated()
        changes = model.observable.attach(RelaySink(to: self) { [weak self] _ in self?.observableChanged() })
    }

    deinit { changes?.dispose() }

    override func send(_ value: Value) {
        show(value)
        model.broadcast(value)
    }

    /// A new subscriber first gets what the view shows.
    override func attach(_ sink: Sink<Value>) -> Disposable {
        let subscription = super.attach(sink)
        var replayed: Value
        repeat {
            replayed = whatIsShown
            replay(replayed, to: sink)
            // Between the two, another thread may have sent what the subscriber has heard before the replay.
        } while weir_load_bool(&sink.isActive) && differ(replayed, whatIsShown)
        return subscription
    }

    private func observableChanged() {
        var isNews = false
        // The value now, not the one delivered: of threads that write at the same time, the last delivery is not always
        // that of the last write.
        while case let current = model.observable.value, differ(current, whatIsShown) {
            isNews = true
            show(current)
            broadcast(current)
        }
        if !isNews && weir_recording() != 0 { recordSuppressed(.equal) }
    }

    /// Of values that do not even equal themselves (NaN) none differs from another, else there would be no end.
    private func differ(_ left: Value, _ right: Value) -> Bool {
        left != right && (left == left || right == right)
    }

    private var whatIsShown: Value { shown.withState { $0 } }

    private func show(_ value: Value) {
        let former = shown.withState { shown in
            defer { shown = value }
            return shown
        }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }
}

extension ModelTerminal: @unchecked Sendable where Value: Sendable {}
extension ViewTerminal: @unchecked Sendable where Value: Sendable {}
