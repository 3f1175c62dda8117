import Foundation
import Observation
import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

@Observable
private final class Basket {
    var items = 0
    var total: Int { items * 5 }
    var gift: Gift?
}

@Observable
private final class Gift {
    var price = 0
}

extension Everything {
    /// Writes that a handler makes at once or later: the graph and `why-not` lead from it to them.
    @Suite struct LaterWritesTests {
        private final class Form: @unchecked Sendable {  // Any thread may use its properties.
            @Traced var name = ""
            @Traced var hint = ""
        }

        /// The edges of the graph: 'from kind to', with the names of the nodes.
        private func edges(_ recorded: RecordedFile) throws -> Set<String> {
            let reader = try TraceReader(path: recorded.file.path)
            let topology = Topology(try reader.definitions())
            var builder = GraphBuilder(topology)
            var state = TraceState(topology, startTicks: reader.header.startTicks)
            reader.forEachEvent { event in
                builder.take(event)
                state.take(event)
                return true
            }
            let graph = builder.graph(of: state)
            let counted = try #require(GraphBuilder.counting(reader, topology))
            #expect(counted.builder.graph(of: counted.state) == graph)
            return Set(
                graph.edges.map { edge in
                    "\(topology.definitions.name(ofNode: graph.nodes[edge.source].ids[0])) \(edge.kind) "
                        + topology.definitions.name(ofNode: graph.nodes[edge.target].ids[0])
                })
        }

        @Test func `A callback that makes another one run, or a probe emit, leads to it`() throws {
            let recorded = try RecordedFile {
                let progress = TraceProbe("progress", of: Int.self).subscribed()
                let finished = TraceProbe("finished", of: Int.self)
                let feed = TraceProbe("feed", of: Int.self).subscribed(feeding: finished)
                let ended = finished.subscribed()
                withTracing("didReceive") {
                    progress.emitted(1) { withTracing("show progress") {} }
                    feed.emitted(2) { ended.emitted(3) {} }
                }
            }
            let edges = try edges(recorded)
            #expect(
                edges == [
                    "didReceive handler progress", "didReceive handler feed", "progress handler show progress",
                    "feed data finished",
                ])
        }

        @Test func `A loop over a stream leads to what its body writes, after an await too`() async throws {
            let form = Form()
            let recorded = try await RecordedFile.ofTask {
                Trace.adopt(form)
                let (names, source) = AsyncStream<String>.makeTracedStream("names")
                let loop = Task {
                    await names.forEach { name in
                        await Task.yield()
                        if name != "" { form.name = name }
                    }
                }
                Trace.stimulus("type") { withTracing("key", "Maruko") { _ = source.yield("Maruko") } }
                Trace.stimulus("erase") { withTracing("key", "") { _ = source.yield("") } }
                source.finish()
                await loop.value
            }
            #expect(try edges(recorded) == ["key handler names", "names handler Form.name"])
        }

        @Test func `Work of a task or a completion handler belongs to the callback that started it`() async throws {
            let form = Form()
            let recorded = try await RecordedFile.ofTask {
                Trace.adopt(form)
                let task = withTracing("tap Greet") {
                    Trace.task {
                        await Task.yield()
                        form.name = "Maruko"
                        await Trace.task { withTracing("show hint") { form.hint = "Hello" } }.value
                    }
                }
                await task.value
                let expire = withTracing("tap Stay") { Trace.carryingCause { form.hint = "expired" } }
                expire()
            }
            #expect(
                try edges(recorded) == [
                    "tap Greet handler Form.name", "tap Greet handler show hint", "show hint handler Form.hint",
                    "tap Stay handler Form.hint",
                ])
            let json = try recorded.weir("events", "--format", "json", "--kind", "hopBegan").text
            let lines = json.split(separator: "\n").filter { $0.contains("\"scheduledBy\"") }
            #expect(lines.count == 3)
            #expect(json.components(separatedBy: "\"scheduledAt\"").count == lines.count + 1)
        }

        @MainActor
        @Test func `A body and a computed property that run later are fed by what they read`() throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return }
            let (basket, time) = (Basket(), VirtualScheduler())
            let recorded = try RecordedFile {
                Trace.adopt(basket)
                Trace.observe(basket, \.items, \.total, on: time)
                let rendering = Trace.render("BasketView.body", on: time) { "\(basket.total)" }
                withTracing("tap Add") { basket.items = 2 }
                time.runUntilIdle()
                withTracing("tap Add") { basket.items = 3 }
                time.runUntilIdle()
                rendering.dispose()
            }
            let edges = try edges(recorded)
            #expect(edges.isSuperset(of: ["Basket.items data Basket.total", "Basket.items data BasketView.body"]))
            #expect(edges.contains("tap Add handler Basket.items"), "\(edges)")
            let ofBody = edges.filter { $0.hasSuffix("BasketView.body") || $0.hasSuffix("Basket.total") }
            #expect(ofBody.allSatisfy { $0.contains(" data ") }, "\(edges)")
        }

        @MainActor
        @Test func `A scheduler that has failed is asked again at the next write`() throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return }
            let (basket, scheduler) = (Basket(), ReluctantScheduler())
            let recorded = try RecordedFile {
                Trace.adopt(basket)
                Trace.observe(basket, \.items, on: scheduler)
                basket.items = 2
                basket.items = 3
                scheduler.manual.advance(by: 1)
                withTracing("end") {}
            }
            #expect(scheduler.calls == 2)
            let events = try recorded.weir("events", "--kind", "emitted,stimulusBegan").text
            let order = ["items emitted 2", "items emitted 3", "end"].compactMap {
                events.firstRange(of: $0)?.lowerBound
            }
            #expect(order.count == 3 && order == order.sorted(), "\(events)")
        }

        @MainActor
        @Test func `A scheduler that has refused to compute a property is asked again when an input changes`() throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return }
            let (basket, scheduler) = (Basket(), ReluctantScheduler(refusals: 2))
            let recorded = try RecordedFile {
                Trace.adopt(basket)
                Trace.observe(basket, \.total, on: scheduler)
                basket.items = 2
                basket.items = 3
                scheduler.manual.advance(by: 1)
                withTracing("end") {}
            }
            let events = try recorded.weir("events", "--kind", "emitted,stimulusBegan").text
            let order = ["total emitted 15", "end"].compactMap { events.firstRange(of: $0)?.lowerBound }
            #expect(order.count == 2 && order == order.sorted(), "\(events)")
        }

        @MainActor
        @Test func `A model that a wrapper stores is found, though the scheduler refuses to look for it later`() throws
        {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return }
            let (basket, gift, scheduler) = (Basket(), Gift(), ReluctantScheduler())
            let recorded = try RecordedFile {
                Trace.adopt(basket)
                Trace.observe(basket, on: scheduler)
                Trace.wrap(basket).gift = gift
                gift.price = 7
                scheduler.manual.advance(by: 1)
            }
            let events = try recorded.weir("events", "--kind", "emitted").text
            #expect(events.contains("Basket.gift.price emitted 7"), "\(events)")
        }

        @MainActor
        @Test func `A computed property that is observed later is caused by the change after that`() throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return }
            let (basket, time) = (Basket(), VirtualScheduler())
            let recorded = try RecordedFile {
                Trace.adopt(basket)
                let wrapped = Trace.wrap(basket)
                let rendering = Trace.render("BasketView.body", on: time) { "\(wrapped.total)" }
                Trace.stimulus("first") { basket.items = 2 }
                Trace.observe(basket, \.total, on: time)
                Trace.stimulus("second") { basket.items = 3 }
                time.runUntilIdle()
                rendering.dispose()
            }
            let events = try recorded.weir("events").text
            let write = try #require(events.split(separator: "\n").first { $0.contains("items emitted 3") })
            let id = try #require(write.split(separator: " ").first)
            #expect(events.contains("hop: Basket.total, caused by \(id)\n"), "\(events)")
        }

        /// Probes that make each other emit, at once or in hops, at random.
        @Test(arguments: 1...40 as ClosedRange<UInt64>)
        func `Counting chunks in any order draws the same graph of random probes`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            var later: [@Sendable () -> Void] = []
            let probes = (0..<6).map { TraceProbe("probe \($0)", of: Int.self) }
            let model = Form()
            let recorded = try RecordedFile {
                Trace.adopt(model)
                let subscriptions = probes.indices.map { place in
                    let target = Int.random(in: 0..<8, using: &random)
                    return probes[place].subscribed(feeding: target < probes.count ? probes[target] : nil)
                }
                func act(_ depth: Int) {
                    let action = Int.random(in: 0..<(depth < 5 ? 9 : 2), using: &random)
                    switch action {
                    case 0: model.name = "\(Int.random(in: 0...1, using: &random))"
                    case 1:
                        if Bool.random(using: &random) || later.isEmpty {
                            let value = Int.random(in: 0...9, using: &random)
                            let subscription = subscriptions[Int.random(in: 0..<6, using: &random)]
                            let hint = model.$hint
                            later.append(
                                Trace.carryingCause { subscription.emitted(value) { hint.value = "\(value)" } })
                        } else {
                            later.removeLast()()
                        }
                    case 2: batch { act(depth + 1) }
                    case 3: Trace.stimulus("step") { act(depth + 1) }
                    default:
                        subscriptions[Int.random(in: 0..<6, using: &random)].emitted(depth) {
                            for _ in 0..<Int.random(in: 0...2, using: &random) { act(depth + 1) }
                        }
                    }
                }
                for _ in 0..<30 { act(0) }
                for work in later { work() }
            }
            _ = try edges(recorded)
        }
    }
}

/// Fails at the first calls.
private final class ReluctantScheduler: Scheduler, @unchecked Sendable {
    private struct Failure: Error {}
    let manual = ManualScheduler()
    private let refusals: Int
    private(set) var calls = 0

    init(refusals: Int = 1) { self.refusals = refusals }

    var now: UInt64 { manual.now }

    func schedule(_ work: @escaping @Sendable () -> Void) throws -> Disposable {
        try schedule(after: .nanoseconds(0), work)
    }

    func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) throws -> Disposable {
        calls += 1
        if calls <= refusals { throw Failure() }
        return manual.schedule(after: delay, work)
    }
}
