import CWeirCore
import WeirRecording

/// Delivers the values that a new subscriber has missed, then the following ones: none lost, none twice, in order.
@usableFromInline
struct CatchUp<Value>: Operation {
    @usableFromInline
    struct State {
        /// Whether the arriving values are the missed ones, one after the other.
        @usableFromInline var isCatchingUp = true
        /// The thread that delivers the missed values.
        @usableFromInline let thread = UInt(bitPattern: weir_thread_current())
        /// Whether it is delivering a missed value now: a value that a handler emits on this thread is not a missed one.
        @usableFromInline var isGiving = false
        /// Values that handlers emitted while they received missed ones.
        @usableFromInline var heldBack = Queue<Value>()
        @usableFromInline var ending: Ending?

        @inlinable
        init() {}

        @inlinable
        var isMissedValue: Bool { !isGiving && thread == UInt(bitPattern: weir_thread_current()) }
    }

    @usableFromInline enum Way { case through, missed, heldBack }

    @inlinable
    init() {}

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let state = Guarded(State())
        let sink = InputSink<Value, Value>(feeding: downstream) { value in
            let way = state.withState { state -> Way in
                if !state.isCatchingUp { return .through }
                if state.isMissedValue {
                    state.isGiving = true
                    return .missed
                }
                state.heldBack.append(value)
                return .heldBack
            }
            if way == .heldBack { return }
            downstream.emit(value)
            if way == .missed { state.withState { $0.isGiving = false } }
        } end: { ending in
            let isHeldBack = state.withState {
                if $0.isCatchingUp { $0.ending = ending }
                return $0.isCatchingUp
            }
            if !isHeldBack { downstream.finish(ending) }
        }
        return source.attach(sink) { Self.deliver(state, to: downstream) }
    }

    /// Delivers the held-back values.
    @usableFromInline
    static func deliver(_ state: Guarded<State>, to downstream: Sink<Value>) {
        state.withState { $0.isGiving = true }
        while true {
            let (value, ending) = state.withState { state -> (Value?, Ending?) in
                if let value = state.heldBack.popFirst() { return (value, nil) }
                state.isCatchingUp = false
                return (nil, state.ending)
            }
            guard let value else {
                if let ending { downstream.finish(ending) }
                return
            }
            downstream.emit(value)
        }
    }
}
