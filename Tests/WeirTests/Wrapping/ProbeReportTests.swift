import Foundation
import Testing
import Weir
import WeirTrace

/// What the command says of a trace in which foreign observables are told of by probes.
extension Everything {
    @Suite struct ProbeReportTests {
        /// A small library of the kind that is wrapped: a hot observable, whose listeners are told one after the other.
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

        /// Subscribes to `feed` by way of `probe`.
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

        private func report(_ arguments: [String], _ body: () throws -> Void) throws -> String {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock())
            do {
                defer { Trace.stop() }
                try body()
            }
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: try BuiltProgram("weir").path)
            process.arguments = [arguments[0], file.path] + arguments.dropFirst() + ["--color", "never"]
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.replacing(file.path, with: "TRACE")
        }

        private final class Price {
            let shown = Observable(0)
        }

        /// Prices come over two probes, and are shown.
        private func showPrices(_ values: [Int]) {
            let (ticks, prices, model) = (Feed(), Feed(), Price())
            let (tickProbe, priceProbe) = (TraceProbe("ticks", of: Int.self), TraceProbe("prices", of: Int.self))
            Trace.adopt(model)
            let first = listen(to: ticks, tickProbe, feeding: priceProbe) { prices.tell($0 / 10) }
            let second = listen(to: prices, priceProbe) { price in
                withTracing("show price", price) { model.shown.value = price }
            }
            for value in values { Trace.stimulus("tick") { ticks.tell(value) } }
            second()
            first()
        }

        @Test func `Explore`() throws {
            print("WHY", try report(["why", "Price.shown"]) { showPrices([10, 20]) })
            print("WHYNOT", try report(["why-not", "Price.shown"]) { showPrices([10, 11]) })
            print("GRAPH", try report(["graph"]) { showPrices([10, 20]) })
            print("REDUNDANT", try report(["redundant"]) { showPrices([10, 11, 12]) })
            print("LEAKS", try report(["leaks"]) { showPrices([10, 11, 12]) })
            print(
                "FEEDBACK",
                try report(["redundant"]) {
                    let feed = Feed()
                    var depth = 0
                    let stop = listen(to: feed, TraceProbe("loop")) { value in
                        depth += 1
                        if depth < 3 { feed.tell(value + 1) }
                    }
                    Trace.stimulus("go") { feed.tell(1) }
                    stop()
                })
            print(
                "VOID", try report(["redundant"]) { for _ in 0..<3 { Trace.stimulus("go") { withTracing("tap") {} } } })
            print(
                "VOIDLEAKS", try report(["leaks"]) { for _ in 0..<3 { Trace.stimulus("go") { withTracing("tap") {} } } }
            )
            print(
                "BURST", try report(["redundant"]) { for step in 0..<5 { withTracing("show", step) {} } })
            print(
                "UNDISPOSED",
                try report(["leaks"]) {
                    let owner = Price()
                    let subscription = TraceProbe("prices").subscribed(owner: owner)
                    Trace.adopt(owner)
                    subscription.emitted(1)
                    undisposed.append(subscription)
                })
            undisposed = []
        }
        nonisolated(unsafe) private static var kept: [TraceProbe.Subscription] = []
        private var undisposed: [TraceProbe.Subscription] {
            get { Self.kept }
            nonmutating set { Self.kept = newValue }
        }
    }
}
