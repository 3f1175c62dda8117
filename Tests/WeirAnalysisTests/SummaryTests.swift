import Testing

@testable import WeirAnalysis
@testable import WeirTrace

struct SummaryTests {
    private func summary(
        _ events: [TraceEvent] = EventScript.typing, header: TraceHeader = EventScript.header
    ) -> TraceSummary { EventScript.summary(events, header: header) }

    /// A handler of username (1) has written usernameValid (2), and continues.
    private func writingHandler() -> EventScript {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2)
        script.emit(2, .void)
        script.deliver(4)
        script.endDeliveries()
        return script
    }

    @Test func `each node has its emissions, refreshes, suppressions and handler time`() throws {
        let summary = summary()
        #expect(summary.nodes.map(\.id) == [1, 2, 3])
        #expect(summary.nodes.map(\.emissions) == [1, 2, 0])
        #expect(summary.nodes.map(\.refreshes) == [1, 1, 0])
        #expect(summary.nodes.map(\.internalDeliveries) == [1, 1, 0])
        #expect(summary.nodes.map(\.suppressions) == [[1: 1], [:], [3: 1]])
        #expect(summary.nodes.map(\.subscribers) == [1, 1, 0])
        #expect(summary.nodes.map(\.handlerNanoseconds) == [1000, 1000, 0])
        #expect(summary.rootEmissions == 1)
        #expect(summary.stimuli == [StimulusSummary(text: "type \u{1B}[2Jname", count: 1)])
        #expect(summary.eventCount == UInt64(EventScript.typing.count))
        #expect(summary.isComplete)
    }

    @Test func `replays, ended subscriptions and unknown ids are counted as what they are`() {
        var script = EventScript()
        script.emit(1, .void, isReplayed: true)
        script.deliver(2)
        script.endDeliveries()
        script.add(.subscriptionEnded, subject: 2)
        script.emit(77, .void)
        script.deliver(99)
        script.endDeliveries()
        let summary = summary(script.events)
        #expect(summary.nodes.map(\.id) == [1, 2, 3, 77])
        #expect(summary.nodes[0].replays == 1 && summary.nodes[0].emissions == 0)
        #expect(summary.nodes[0].subscribers == 1 && summary.nodes[0].liveSubscribers == 0)
        #expect(summary.nodes[3].name == "node 77" && summary.nodes[3].emissions == 1)
        #expect(summary.unattributedDeliveries == 1)
        #expect(summary.nodes.map(\.unknownDeliveries) == [0, 0, 0, 1])
        #expect(summary.rootEmissions == 1)
        #expect(summary.emissions == 1 && summary.replays == 1)
    }

    @Test func `a delivery through an unknown subscription is its emitter's, and nodes receive`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.emit(2, .void)
        script.deliver(98)
        script.endDeliveries()
        script.deliver(99)
        script.endDeliveries()
        #expect(summary(script.events).nodes.map(\.unknownDeliveries) == [1, 1, 0])
        #expect(summary(script.events).nodes.map(\.received) == [0, 1, 0])
        #expect(summary(script.events).unattributedDeliveries == 2)
    }

    @Test func `a refresh is carried on when its handler writes, whatever comes of that`() {
        var script = writingHandler()
        // The handler writes the same value again.
        script.suppress(2, .equal)
        script.endDeliveries()
        #expect(summary(script.events).nodes.map(\.carriedOn) == [1, 0, 0])
        script.emit(1, .void)
        script.deliver(2)
        script.suppress(2, .equal)
        script.endDeliveries()
        #expect(summary(script.events).nodes.map(\.carriedOn) == [2, 0, 0])
        #expect(summary(script.events).refreshes == 3 && summary(script.events).carriedOn == 2)
    }

    @Test func `a refresh is not carried on by what its handler did not write`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.emit(2, .void, delivers: false)
        script.deliver(2)
        // A new subscriber receives the current value; a newer value came from elsewhere.
        script.emit(2, .void, isReplayed: true)
        script.deliver(4)
        script.endDeliveries()
        script.suppress(1, .superseded)
        script.endDeliveries()
        script.emit(2, .void, delivers: false)
        #expect(summary(script.events).nodes.map(\.carriedOn) == [0, 0, 0])
        #expect(summary(script.events).refreshes == 2)
    }

    @Test func `handler times hold what the handlers caused, and survive lost ends`() {
        var script = writingHandler()
        script.endDeliveries()
        #expect(summary(script.events).nodes.map(\.handlerNanoseconds) == [3000, 1000, 0])
        let withoutInnerEnd = script.events.filter { $0.id.sequence != 5 }
        #expect(summary(withoutInnerEnd).nodes.map(\.handlerNanoseconds) == [3000, 0, 0])
        let withoutBegin = Array(script.events.dropFirst(2))
        #expect(summary(withoutBegin).nodes.map(\.handlerNanoseconds) == [0, 1000, 0])
    }

    @Test func `the first delivery of a stamped emission begins with it`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2, isStamped: false)
        script.endDeliveries()
        script.emit(1, .void)
        script.deliver(1, isStamped: false)
        script.deliver(2, isStamped: false)
        script.endDeliveries()
        #expect(summary(script.events).nodes.map(\.handlerNanoseconds) == [1000, 0, 0])
        var cascades: [Cascade] = []
        var assembler = CascadeAssembler { cascades.append($0) }
        for event in script.events { assembler.take(event) }
        #expect(cascades.map { $0.items.map(\.deliveryTicks) } == [[nil, 1000], [nil, nil, nil]])
    }

    @Test func `numbers that the file lacks are missing events`() {
        let summary = summary(EventScript.typing.filter { $0.id.sequence != 3 && $0.id.sequence != 4 })
        #expect(summary.missingEvents == 2 && !summary.isComplete)
    }

    @Test func `endings and hops are counted for their nodes, and endings are no refreshes`() {
        let summary = EventScript.summary(
            EventScript.searching, header: EventScript.header, definitions: EventScript.searchDefinitions)
        #expect(summary.nodes.map(\.id) == [1, 2, 3, 5, 6])
        #expect(summary.nodes.map(\.hops) == [0, 0, 0, 1, 1])
        #expect(summary.nodes.map(\.completions) == [0, 0, 0, 0, 1])
        #expect(summary.nodes.map(\.refreshes) == [0, 0, 0, 0, 1])
        #expect(summary.nodes[4].handlerNanoseconds == 2000)
        #expect(summary.nodesByKind.map(\.kind) == [.observable, .combiner, .debounce, .deliver])
        #expect(summary.nodesByKind.map(\.count) == [1, 2, 1, 1])
        #expect(summary.unattributedDeliveries == 0 && summary.rootHops == 0 && summary.rootEndings == 0)
        #expect(summary.count(of: .hopBegan) == 2 && summary.emissions == 3)
    }

    @Test func `roots of every kind are counted`() {
        var script = EventScript()
        script.fail(1, .void, delivers: false)
        script.batch()
        script.emit(1, .void, delivers: false)
        script.complete(2, delivers: false)
        script.hop(5, causedBy: nil)
        script.batch()
        script.endBatch()
        script.endHop()
        script.endBatch()
        let summary = summary(script.events)
        #expect(summary.rootEmissions == 0 && summary.rootEndings == 1)
        #expect(summary.rootBatches == 1 && summary.rootHops == 1)
        #expect(summary.nodes.map(\.failures) == [1, 0, 0, 0] && summary.nodes.map(\.completions) == [0, 1, 0, 0])
    }

    @Test func `settling is no delivery, ends the one before, and nothing in it is carried on`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2)
        script.settle()
        script.emit(2, .void, delivers: false)
        script.endDeliveries()
        script.emit(1, .void)
        script.settle()
        script.endDeliveries()
        let summary = summary(script.events)
        #expect(summary.settlings == 2)
        #expect(summary.settlings(of: .deliveryBegan) == 1 && summary.settlings(of: .deliveryNext) == 1)
        #expect(summary.refreshes == 1 && summary.carriedOn == 0 && summary.unattributedDeliveries == 0)
        #expect(summary.nodes.map(\.unknownDeliveries) == [0, 0, 0])
        #expect(summary.nodes.map(\.handlerNanoseconds) == [1000, 0, 0])
    }

    @Test func `what runs in a hop within a delivery does not carry its value on`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(2)
        script.hop(5, causedBy: nil)
        script.emit(2, .void, delivers: false)
        script.endHop()
        #expect(summary(script.events).carriedOn == 0)
        script.batch()
        script.suppress(2, .batched)
        #expect(summary(script.events).carriedOn == 1)
    }

    @Test func `a handler of a completion carries no value on`() {
        var script = EventScript()
        script.complete(1)
        script.deliver(2)
        script.emit(2, .void, delivers: false)
        script.deliver(99)
        script.endDeliveries()
        let summary = summary(script.events)
        #expect(summary.refreshes == 0 && summary.carriedOn == 0 && summary.unattributedDeliveries == 0)
        #expect(summary.nodes.map(\.handlerNanoseconds) == [1000, 0, 0])
    }
}
