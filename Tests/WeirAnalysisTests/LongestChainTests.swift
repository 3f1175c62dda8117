import Testing
import WeirTestSupport

@testable import WeirAnalysis
@_spi(Records) @testable import WeirTrace

struct LongestChainTests {
    private func chains(_ script: EventScript) -> [EmissionChain] {
        EventScript.summary(script.events, header: EventScript.header).longestChains
    }

    @Test func `a chain has all emissions of which each caused the next, settling and stimuli in between`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.stimulus("tap")
        script.emit(2, .void)
        script.settle()
        script.complete(3, delivers: false)
        let deepest = script.last
        script.endDeliveries()
        script.endStimulus()
        script.endDeliveries()
        #expect(chains(script) == [EmissionChain(length: 3, deepest: deepest, nodes: [1, 2, 3])])
    }

    @Test func `what a hop runs is caused by the hop, and begins a chain of its own`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.hop(5, causedBy: nil)
        script.emit(2, .void)
        script.deliver(3)
        script.emit(3, .void, delivers: false)
        let deepest = script.last
        script.endDeliveries()
        script.endHop()
        #expect(chains(script) == [EmissionChain(length: 2, deepest: deepest, nodes: [2, 3])])
    }

    @Test func `what came before within the same emission is no link`() {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.emit(2, .void)
        script.deliver(3)
        script.endDeliveries()
        script.stimulus("tap")
        script.emit(3, .void)
        script.deliver(99)
        script.emit(4, .void, delivers: false)
        #expect(chains(script).map(\.beginning) == [[1, 3, 4]])
    }

    @Test func `of a very long chain both ends are kept`() {
        var script = EventScript()
        for node in 1...40 as ClosedRange<UInt32> {
            script.emit(node, .void)
            script.deliver(99)
        }
        #expect(
            chains(script) == [
                EmissionChain(
                    length: 40, deepest: EventID(thread: 1, sequence: 79), nodes: Array(1...40))
            ])
        #expect(chains(script).map(\.omitted) == [24])
    }

    @Test func `a trace that opens emissions without end takes no more memory for it`() {
        var chains = LongestChains()
        var open = FrameWalk<OpenEmission>()
        for number in 1...4200 {
            var event = TraceEvent(
                id: EventID(thread: 1, sequence: UInt64(number)), kind: .emitted, ticks: 0, subject: 1, delivers: true)
            event.depth = number
            event.cause = EventID(thread: 1, sequence: UInt64(number - 1))
            open.settle(before: event)
            let link = chains.take(event, slot: 0, in: open)
            open.open(event, OpenEmission(link: link))
            if number % 1000 == 0 { open.checkInvariants() }
        }
        #expect(chains.longestFirst.map(\.length) == [4097])
    }

    @Test(arguments: Repeats.seeds(8), [false, true])
    func `chains are those that following each emission's causes back gives`(seed: UInt64, isLossy: Bool) {
        var script = RandomScript(seed: seed)
        if isLossy { script.lose() }
        let emissions = script.events.filter { [.emitted, .completed, .failed].contains($0.kind) }
        let byID = Dictionary(uniqueKeysWithValues: emissions.map { ($0.id, $0) })
        var longest: [UInt32: [EventID]] = [:]
        for emission in emissions {
            var path = [emission.id]
            while let cause = path.first.flatMap({ byID[$0]?.cause }), byID[cause] != nil { path.insert(cause, at: 0) }
            guard path.count > 1, let root = byID[path[0]]?.subject else { continue }
            if path.count > longest[root]?.count ?? 1 { longest[root] = path }
        }
        let found = script.summary.longestChains
        #expect(found.map(\.length) == longest.values.map(\.count).sorted(by: >))
        for chain in found {
            let path = longest[chain.beginning[0]]
            #expect(path?.last == chain.deepest && path?.compactMap { byID[$0]?.subject } == chain.beginning)
        }
    }
}
