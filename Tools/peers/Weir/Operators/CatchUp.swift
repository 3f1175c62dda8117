import CWeir
import WeirTrace

/// What a new subscriber has missed, then what follows: nothing lost, nothing twice, in order.
@usableFromInline
struct CatchUp<Value>: Operation {
    @usableFromInline
    struct State {
        /// The thread that catches up; 0: nobody does any more. What it emits itself meanwhile is in order.
        @usableFromInline var thread = UInt(bitPattern: weir_thread_current())
        /// What other threads have emitted meanwhile.
        @usableFromInline var heldBack = Queue<Value>()
        @usableFromInline var ending: Ending?

        @inlinable
        init() {}

        @inlinable
        var holdsBack: Bool { thread != 0 && thread != UInt(bitPattern: weir_thread_current()) }
    }

    @inlinable
    init() {}

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let state = Guarded(State())
        let sink = InputSink<Value, Value>(feeding: downstream) { value in
            let isHeldBack = state.withState {
                guard $0.holdsBack else { return false }
                $0.heldBack.append(value)
                return true
            }
            if !isHeldBack { downstream.emit(value) }
        } end: { ending in
            let isHeldBack = state.withState {
                guard $0.holdsBack else { return false }
                $0.ending = ending
                return true
            }
            if !isHeldBack { downstream.finish(ending) }
        }
        return source.attach(sink) { Self.deliver(state, to: downstream) }
    }

    @usableFromInline
    static func deliver(_ state: Guarded<State>, to downstream: Sink<Value>) {
        while true {
            let (value, ending) = state.withState { state -> (Value?, Ending?) in
                if let value = state.heldBack.popFirst() { return (value, nil) }
                state.thread = 0
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
