import Testing
import WeirTrace

@testable import WeirAnalysis

/// Events that no program causes, but a damaged or foreign trace may contain.
struct TraceStateTests {
    private func state(_ events: [TraceEvent]) -> TraceState {
        var state = TraceState(Topology(EventScript.definitions), startTicks: 0)
        for event in events {
            state.take(event)
            state.checkInvariants()
        }
        return state
    }

    private func event(_ sequence: UInt64, _ kind: EventKind, subject: UInt32 = 0, depth: Int) -> TraceEvent {
        TraceEvent(
            id: EventID(thread: 1, sequence: sequence), kind: kind, ticks: sequence, subject: subject, depth: depth)
    }

    @Test func `deliveries without an emission leave a stimulus or batch open`() {
        for opener in [EventKind.stimulusBegan, .batchBegan, .hopBegan] {
            for stray in [EventKind.deliveryBegan, .deliveryNext, .deliveryEnded] {
                let state = state([event(1, opener, depth: 0), event(2, stray, subject: 2, depth: 1)])
                let frames = state.openFrames(ofThread: 1)
                #expect(frames.map(\.opener) == [opener])
                #expect(frames.map(\.subscription) == [0])
            }
        }
    }

    @Test func `what the trace does not define is counted or passed over`() {
        let state = state([
            event(1, .emitted, subject: 900, depth: 0), event(2, .deliveryBegan, subject: 900, depth: 1),
            event(3, .subscriptionEnded, subject: 900, depth: 0), event(4, .nodeReleased, subject: 900, depth: 0),
        ])
        #expect(state.unattributedDeliveries == 1 && state.order == 4)
        #expect(state.nodes.allSatisfy { $0.life == .unmentioned })
    }
}
