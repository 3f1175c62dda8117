import Testing
import Weir
import WeirTrace

/// Reports on traces in which probes report foreign observables.
extension Everything {
    @Suite struct ProbeReportTests {
        /// A small library of the kind that is wrapped: a hot observable that notifies its listeners one after the other.
        private final class Feed {
            private var listeners: [Int: (Int) -> Void] = [:]
            private var last = 0

            func listen(_ listener: @escaping (Int) -> Void) -> () -> Void {
                last += 1
                let key = last
                listeners[key] = listener
                return { self.listeners[key] = nil }
            }

            func tell(_ value: Int) { for key in listeners.keys.sorted() { listeners[key]?(value) } }
        }

        /// Subscribes to `feed` through `probe`.
        private func listen(
            to feed: Feed, _ probe: TraceProbe, feeding target: TraceProbe? = nil,
            _ listener: @escaping (Int) -> Void
        ) -> () -> Void {
            let subscription = probe.subscribed(feeding: target)
            let stop = feed.listen { value in subscription.emitted(value) { listener(value) } }
            return {
                stop()
                subscription.disposed()
            }
        }

        private func report(
            _ command: String, _ node: String? = nil, _ body: () throws -> Void
        ) throws -> String {
            let recorded = try RecordedFile(snapshots: .standard, body)
            let answer = try node.map { try recorded.weir(command, $0) } ?? recorded.weir(command)
            return answer.text.replacing(recorded.file.path, with: "TRACE")
        }

        private final class Price {
            let shown = Observable(0)
        }

        /// Prices arrive over two probes, and are shown.
        private func showPrices(_ values: [Int], inOneStimulus: Bool = false) {
            let (ticks, prices, model) = (Feed(), Feed(), Price())
            let (tickProbe, priceProbe) = (TraceProbe("ticks", of: Int.self), TraceProbe("prices", of: Int.self))
            Trace.adopt(model)
            let first = listen(to: ticks, tickProbe, feeding: priceProbe) { prices.tell($0 / 10) }
            let second = listen(to: prices, priceProbe) { price in
                withTracing("show price", price) { model.shown.value = price }
            }
            if inOneStimulus {
                Trace.stimulus("ticks") { for value in values { ticks.tell(value) } }
            } else {
                for value in values { Trace.stimulus("tick") { ticks.tell(value) } }
            }
            second()
            first()
        }

        @Test func `Why goes back over probes to the stimulus, with the line of each`() throws {
            let text = try report("why", "Price.shown") { showPrices([10, 20]) }
            let names = ["stimulus “tick”", "ticks = 20", "prices = 2", "show price = 2", "Price.shown = 2, before 1"]
            var rest = text[...]
            for name in names {
                let found = try #require(rest.range(of: name), "\(name) is not behind the others in \(text)")
                rest = rest[found.upperBound...]
            }
            #expect(text.contains("↓ in the handler at WeirTests/ProbeReportTests.swift"))
            let whyNot = try report("why-not", "Price.shown") { showPrices([10, 11]) }
            #expect(whyNot.contains("Price.shown emitted nothing: equal to the current value"))
            #expect(whyNot.contains("3 nodes and 2 refreshes: ticks, prices, show price"))
        }

        @Test func `The graph has an edge between probes, and what a callback writes`() throws {
            let lines = try report("graph") { showPrices([10, 20]) }.split(separator: "\n")
            let ticks = try #require(lines.firstIndex { $0.contains("ticks") && $0.contains("foreign") })
            #expect(lines[ticks + 1].contains("→ prices"))
            let show = try #require(lines.firstIndex { $0.contains("show price") && $0.contains("foreign") })
            #expect(lines[show + 1].contains("→ 1 handler") && lines[show + 2].contains("⇢ Price.shown"))
        }

        @Test func `Repeated values, bursts, slow handlers and feedback are found at probes`() throws {
            let repeated = try report("redundant") { showPrices([10, 11, 12]) }
            #expect(repeated.contains("prices refreshed a handler 2 times with an unchanged value"))
            #expect(repeated.contains("show price refreshed a handler 2 times with an unchanged value"))
            #expect(!repeated.contains("again in the same frame"), "each tick is a stimulus of its own")
            let burst = try report("redundant") { showPrices([10, 20, 30], inOneStimulus: true) }
            #expect(burst.contains("prices refreshed a handler 2 times, and again in the same frame"), "\(burst)")
            #expect(!repeated.contains("ticks refreshed"))
            let loop = try report("redundant") {
                let feed = Feed()
                var depth = 0
                let stop = listen(to: feed, TraceProbe("loop")) { value in
                    depth += 1
                    if depth < 3 { feed.tell(value + 1) }
                }
                Trace.stimulus("go") { feed.tell(1) }
                stop()
            }
            #expect(loop.contains("loop triggered itself again 2 times"))
            let slow = try report("redundant") {
                withTracing("slow") { VirtualClock().advance(nanoseconds: 50_000_000) }
            }
            #expect(slow.contains("slow-refresh"))
            let clean = try report("redundant") {
                for _ in 0..<3 { Trace.stimulus("go") { withTracing("tap") {} } }
            }
            #expect(clean.contains("Nothing was found by any rule"))
        }

        @Test func `Two subscriptions to a probe are no source that runs twice`() throws {
            let text = try report("redundant") {
                let feed = Feed()
                let probe = TraceProbe("feed")
                let ends = [listen(to: feed, probe) { _ in }, listen(to: feed, probe) { _ in }]
                Trace.stimulus("go") { feed.tell(1) }
                for end in ends { end() }
            }
            #expect(text.contains("Nothing was found by any rule"))
        }

        private final class Kept: @unchecked Sendable {
            var subscription: TraceProbe.Subscription?
        }

        @Test func `Leaks tells a subscription whose owner is gone, and none of a callback`() throws {
            let kept = Kept()
            let orphan = try report("leaks") {
                let owner = Price()
                Trace.adopt(owner)
                kept.subscription = TraceProbe("prices").subscribed(owner: owner)
                kept.subscription?.emitted(1)
            }
            #expect(orphan.contains("a subscription to prices"))
            #expect(orphan.contains("is alive although Price, for which it works, was released"))
            // Twice: a callback from one recording is no leak in the next one either.
            for _ in 0..<2 {
                let clean = try report("leaks") { showPrices([10, 11]) }
                // Other tests of this process may have left other findings behind.
                #expect(!clean.contains("undisposed") && !clean.contains("ProbeReportTests"), "\(clean)")
            }
        }
    }
}
