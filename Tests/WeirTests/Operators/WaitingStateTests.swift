import Testing

@testable import Weir

/// The transitions of the state of operators that keep a value until it is due.
struct WaitingStateTests {
    private typealias State = Waiting<Int>.State

    private func text<Value>(_ action: Waiting<Value>.Action) -> String {
        switch action {
        case .none: "none"
        case .setTimer(let due): "timer \(due)"
        case .suppress(let value): "suppress \(value)"
        case .deliver(let value, _): "deliver \(value)"
        case .handOver(let value, _): "hand over \(value)"
        }
    }

    @Test func `A value sets the timer; another one replaces it, and may postpone it`() {
        var state = State.idle(next: 0)
        #expect(text(state.keep(1, until: 5, postpones: true, .uncaused)) == "timer 5")
        #expect(text(state.keep(2, until: 7, postpones: true, .uncaused)) == "suppress 1")
        #expect(text(state.ring(at: 5, pause: 0)) == "timer 7")
        #expect(text(state.keep(3, until: 9, postpones: false, .uncaused)) == "suppress 2")
        #expect(text(state.ring(at: 7, pause: 0)) == "deliver 3")
        #expect(text(state.ring(at: 8, pause: 0)) == "none")
    }

    @Test func `After a value has been taken, the timer is still set`() {
        var state = State.idle(next: 0)
        #expect(state.take()?.value == nil)
        _ = state.keep(1, until: 5, postpones: true, .uncaused)
        #expect([state.take()?.value, state.take()?.value] == [1, nil])
        #expect(text(state.keep(2, until: 8, postpones: true, .uncaused)) == "none")
        #expect(text(state.ring(at: 5, pause: 0)) == "timer 8")
        _ = state.take()
        #expect(text(state.ring(at: 8, pause: 0)) == "none")
        #expect(text(state.keep(3, until: 9, postpones: true, .uncaused)) == "timer 9")
    }

    @Test func `A value passes if none waits and the pause is over`() {
        var state = State.idle(next: 0)
        #expect(state.pass(at: 1, pause: 4) == nil)
        #expect(state.pass(at: 2, pause: 4) == 5)
        #expect(text(state.keep(2, until: 5, postpones: false, .uncaused)) == "timer 5")
        #expect(state.pass(at: 5, pause: 4) == 5, "the waiting value is first")
        #expect(text(state.ring(at: 6, pause: 4)) == "deliver 2")
        #expect(state.pass(at: 9, pause: 4) == 10)
        #expect(state.pass(at: 10, pause: 4) == nil)
    }

    @Test func `An array is handed over when it is full, and its timer serves the next one`() {
        var state = Waiting<[Int]>.State.idle(next: 0)
        #expect(text(state.append(1, until: 5, most: 2, .uncaused)) == "timer 5")
        #expect(text(state.append(2, until: 6, most: 2, .uncaused)) == "hand over [1, 2]")
        #expect(text(state.append(3, until: 7, most: 2, .uncaused)) == "none")
        #expect(text(state.ring(at: 5, pause: 0)) == "timer 7")
        #expect(text(state.ring(at: 7, pause: 0)) == "deliver [3]")
        var single = Waiting<[Int]>.State.idle(next: 0)
        #expect(text(single.append(1, until: 5, most: 1, .uncaused)) == "hand over [1]")
    }
}
