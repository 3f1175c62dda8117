import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

struct FanOutTests {
    @Test func `the widest emission of a node is reported, the first of several`() {
        var script = EventScript()
        for width in [1, 2, 2] {
            script.emit(1, .void)
            script.deliver(1)
            if width > 1 { script.deliver(2) }
            script.endDeliveries()
        }
        script.emit(2, .void)
        script.deliver(4)
        script.endDeliveries()
        #expect(
            EventScript.summary(script.events, header: EventScript.header).widestFanOuts == [
                FanOut(node: 1, name: "Login.username", deliveries: 2, emission: EventID(thread: 1, sequence: 4))
            ])
    }

    @Test func `settling and the deliveries of an end are no fan-out`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.settle()
        script.endDeliveries()
        script.complete(1)
        script.deliver(1)
        script.deliver(2)
        script.endDeliveries()
        #expect(EventScript.summary(script.events, header: EventScript.header).widestFanOuts.isEmpty)
    }

    @Test(arguments: Repeats.seeds(8))
    func `fan-outs are those that counting the deliveries of each emission gives`(seed: UInt64) {
        let script = RandomScript(seed: seed)
        let deliveries = script.events.filter {
            [.deliveryBegan, .deliveryNext].contains($0.kind) && !$0.isSettling && !$0.deliversEnd
        }
        let counts = Dictionary(grouping: deliveries, by: \.cause).mapValues { UInt64($0.count) }
        for node in script.summary.nodes {
            let emissions = script.events.filter { $0.kind == .emitted && $0.subject == node.id }
            #expect(node.widestFanOut == emissions.compactMap { counts[$0.id] }.max() ?? 0)
            #expect(counts[node.widestEmission] ?? 0 == node.widestFanOut)
            #expect(node.widestEmission == nil || emissions.contains { $0.id == node.widestEmission })
        }
    }
}
