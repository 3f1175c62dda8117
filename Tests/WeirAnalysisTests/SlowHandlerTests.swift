import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

struct SlowHandlerTests {
    @Test func `handlers are reported by the place where they were subscribed, the slowest first`() {
        var definitions = EventScript.definitions
        definitions.subscriptions[9] = TraceSubscription(id: 9, source: 1, site: definitions.subscriptions[4]?.site)
        var script = EventScript()
        for subscription in [2, 4, 9] as [UInt32] {
            script.emit(1, .void)
            script.deliver(subscription)
            if subscription == 9 { script.stimulus("tap") }
            if subscription == 9 { script.endStimulus() }
            script.endDeliveries()
        }
        let handlers = EventScript.summary(script.events, header: EventScript.header, definitions: definitions)
            .slowestHandlers
        #expect(handlers.map { $0.site?.line } == [41, 40])
        #expect(handlers.map(\.source) == [nil, "Login.username"])
        #expect(handlers.map(\.deliveries) == [2, 1])
        #expect(handlers.map(\.nanoseconds) == [4000, 1000])
        #expect(handlers.map(\.slowestNanoseconds) == [3000, 1000])
        #expect(handlers.map(\.slowest) == [EventID(thread: 1, sequence: 8), EventID(thread: 1, sequence: 2)])
    }

    @Test func `a handler of which no time is known is left out`() {
        var script = EventScript()
        script.stimulus("tap")
        script.emit(1, .void)
        script.deliver(2, isStamped: false)
        script.endDeliveries()
        #expect(EventScript.summary(script.events, header: EventScript.header).slowestHandlers.isEmpty)
    }

    @Test(arguments: Repeats.seeds(8))
    func `times are those that looking up the end of each delivery gives`(seed: UInt64) {
        let script = RandomScript(seed: seed)
        var times: [TraceSite?: [EventID: UInt64]] = [:]
        for (index, event) in script.events.enumerated() where [.deliveryBegan, .deliveryNext].contains(event.kind) {
            guard let subscription = script.definitions.subscriptions[event.subject], !subscription.isInternal else {
                continue
            }
            let emission = script.events.first { $0.id == event.cause }
            let sharesStamp = event.kind == .deliveryBegan && emission?.isStamped == true
            let end = script.events[(index + 1)...].first {
                [.deliveryNext, .deliveryEnded].contains($0.kind) && $0.cause == event.cause
            }
            guard let end, end.isStamped, event.isStamped || sharesStamp else { continue }
            times[subscription.site, default: [:]][event.id] = end.ticks - event.ticks
        }
        let handlers = script.summary.slowestHandlers
        #expect(Set(handlers.map(\.site)) == Set(times.keys))
        #expect(handlers.map(\.nanoseconds) == handlers.map(\.nanoseconds).sorted(by: >))
        for handler in handlers {
            let expected = times[handler.site] ?? [:]
            #expect(handler.deliveries == UInt64(expected.count))
            #expect(handler.nanoseconds == expected.values.reduce(0, +))
            #expect(handler.slowestNanoseconds == expected.values.max())
            #expect(handler.slowest.flatMap { expected[$0] } == handler.slowestNanoseconds)
        }
    }
}
