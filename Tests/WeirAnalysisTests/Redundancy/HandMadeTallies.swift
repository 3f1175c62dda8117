@testable import WeirAnalysis
@testable import WeirTrace

extension RuleTally {
    /// A tally like one from a pass.
    static func made(
        _ rule: RedundancyRule, node: UInt32, subscription: UInt32 = 0, count: UInt64 = 1, refreshes: UInt64 = 0,
        wasted: UInt64 = 0, example: UInt64 = 1, counterpart: UInt64? = nil, via: UInt32 = 0,
        within: UInt64 = 0, threads: [UInt32] = [], unsettled: UInt64 = 0, isOfOneView: Bool = false,
        later: UInt64 = 0, all: UInt64 = 0, areAnswers: Bool = false
    ) -> RuleTally {
        var tally = RuleTally(
            rule, node: node, subscription: subscription, example: EventID(thread: 1, sequence: example),
            counterpart: counterpart.map { EventID(thread: 1, sequence: $0) })
        tally.count = count
        tally.refreshes = refreshes
        tally.wastedTicks = wasted
        tally.via = via
        tally.ofOneWriter = within
        tally.threads = threads
        tally.unsettled = unsettled
        tally.isOfOneView = isOfOneView
        tally.later = later
        tally.all = all
        tally.areAnswers = areAnswers
        return tally
    }
}

/// A cart: items (1) feed subtotal (2) and total (3); subtotal feeds total, too; a view shows total and, twice, items.
///
/// Cells (10 to 12) are made by one line, and named by their contents; subscriptions on one line show them.
enum Cart {
    static func definitions(shift: Int = 0) -> TraceDefinitions {
        var result = TraceDefinitions()
        func site(_ file: String, _ line: Int) -> TraceSite {
            TraceSite(file: "Cart/\(file).swift", line: line + shift)
        }
        let model = "CartModel"
        result.nodes[1] = TraceNode(
            id: 1, rawKind: 1, label: "CartModel.items", valueType: "Array<Item>", site: site(model, 10))
        result.nodes[2] = TraceNode(
            id: 2, rawKind: 3, label: "CartModel.subtotal", valueType: "Cart.Price", site: site(model, 14))
        result.nodes[3] = TraceNode(
            id: 3, rawKind: 3, label: "CartModel.total", valueType: "Cart.Price", site: site(model, 18), owner: 1)
        result.nodes[4] = TraceNode(id: 4, rawKind: 16, valueType: "Int", site: site(model, 20))
        result.nodes[5] = TraceNode(id: 5, rawKind: 16, valueType: "Int", site: site(model, 24))
        result.objects[1] = TraceObject(id: 1, type: "Cart.CartModel", label: "CartModel")
        result.subscriptions[1] = TraceSubscription(
            id: 1, source: 1, target: 2, isInternal: true, site: site(model, 14))
        result.subscriptions[2] = TraceSubscription(
            id: 2, source: 1, target: 3, isInternal: true, site: site(model, 18))
        result.subscriptions[3] = TraceSubscription(
            id: 3, source: 2, target: 3, isInternal: true, site: site(model, 18))
        result.subscriptions[4] = TraceSubscription(id: 4, source: 3, site: site("CartView", 30))
        result.subscriptions[5] = TraceSubscription(id: 5, source: 1, site: site("CartView", 33))
        result.subscriptions[6] = TraceSubscription(id: 6, source: 1, site: site("CartView", 36))
        for (number, id) in (10...12 as ClosedRange<UInt32>).enumerated() {
            result.nodes[id] = TraceNode(
                id: id, rawKind: 16, label: "item \(number).title", valueType: "String", site: site("CartCell", 8))
            result.subscriptions[id] = TraceSubscription(id: id, source: id, site: site("CartCell", 20))
        }
        return result
    }

    /// The user adds an item, so total is computed twice.
    static let adding: [TraceEvent] = {
        var script = EventScript()
        script.stimulus("tap Add")
        script.emit(1, .signed(3))
        script.deliver(1, isStamped: false)
        script.emit(2, .signed(10))
        script.deliver(3, isStamped: false)
        script.emit(3, .signed(12))
        script.deliver(4)
        script.endDeliveries()
        script.endDeliveries(isStamped: false)
        script.deliver(2, isStamped: false)
        script.emit(3, .signed(13))
        script.deliver(4)
        script.endDeliveries()
        script.endDeliveries(isStamped: false)
        script.endStimulus()
        return script.events
    }()

    /// The cause of an event in `events`.
    static func evidence(_ events: [TraceEvent]) -> (EventID) -> Evidence? {
        { id in
            var steps: [Evidence.Step] = []
            var next = events.first { $0.id == id }
            while let event = next {
                next = event.cause.flatMap { cause in events.first { $0.id == cause } }
                steps.append(.init(event: event, way: CauseStep.way(of: event, openedBy: next?.kind)))
            }
            return steps.isEmpty ? nil : Evidence(steps: steps.reversed())
        }
    }
}
