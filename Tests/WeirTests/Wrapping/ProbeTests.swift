import Dispatch
import Testing
import Weir
import WeirTrace

/// Another library's observable, as small as possible.
private struct Feed {
    let listen: (@escaping (Int) -> Void) -> () -> Void
}

extension Feed {
    func traced(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> Feed {
        let probe = TraceProbe(name, of: Int.self, file: file, line: line)
        return Feed { listener in
            let subscription = probe.subscribed(file: file, line: line)
            let stop = self.listen { value in subscription.emitted(value) { listener(value) } }
            return {
                stop()
                subscription.disposed()
            }
        }
    }
}

private struct Offline: Error {}

extension Everything {
    @Suite struct ProbeTests {
        private func story(_ recording: Recording) -> [String] {
            Array(recording.story.drop { !$0.hasPrefix("stimulus") })
        }

        @Test func `The example's feed is a node, whose emissions cause what its listeners emit`() throws {
            let recording = try record {
                var listeners: [(Int) -> Void] = []
                let feed = Feed { listener in
                    listeners.append(listener)
                    return { listeners = [] }
                }
                let shown = Observable(0, file: "App/Shown.swift", line: 3)
                let stop = feed.traced("prices").listen { shown.value = $0 }
                Trace.stimulus("tick") { for listener in listeners { listener(7) } }
                stop()
            }
            #expect(
                story(recording).prefix(7) == [
                    "stimulus tick", "  prices = 7", "    to closure", "    observable Shown.swift:3 = 7", "    done",
                    "stimulusEnded", "end of closure: disposed",
                ])
            let node = try #require(recording.definitions.nodes.values.first { $0.label == "prices" })
            #expect(node.kind == .foreign && node.valueType == "Int")
            #expect(recording.damage.isEmpty)
        }

        @Test func `An edge feeds another probe, and is not a refresh`() throws {
            let recording = try record {
                let source = TraceProbe("source", of: Int.self)
                let target = TraceProbe("target", of: String.self)
                let edge = source.subscribed(feeding: target)
                let handler = target.subscribed()
                Trace.stimulus("go") { edge.emitted(1) { handler.emitted("one") {} } }
                edge.completed { handler.completed() }
            }
            #expect(
                story(recording).prefix(12) == [
                    "stimulus go", "  source = 1", "    to target", "    target = \"one\"", "      to closure",
                    "      done",
                    "    done",
                    "stimulusEnded", "source completed", "  to target", "  target completed", "    to closure",
                ])
            let edges = recording.definitions.subscriptions.values.filter { $0.target != nil }
            #expect(edges.count == 1)
        }

        @Test func `Errors end a subscription once, values after that are handed on and reported as late`() throws {
            var handed = 0
            let recording = try record {
                let subscription = TraceProbe("feed").subscribed()
                Trace.stimulus("go") {
                    subscription.failed(Offline())
                    subscription.emitted(3) { handed += 1 }
                    subscription.completed { handed += 1 }
                    subscription.disposed()
                }
            }
            #expect(handed == 2)
            #expect(recording.count(.failed) == 1 && recording.count(.completed) == 0)
            #expect(recording.count(.subscriptionEnded) == 1 && recording.count(.emitted) == 0)
            #expect(recording.story.contains("  feed suppressed: afterCompletion"))
        }

        @Test func `A private probe tells no value and no error`() throws {
            let recording = try record {
                let subscription = TraceProbe("secret", privacy: .private).subscribed()
                subscription.emitted("swordfish")
                subscription.failed(Offline())
            }
            #expect(recording.emissions(of: "secret") == [.withheld])
            #expect(recording.events.first { $0.kind == .failed }?.value == .withheld)
        }

        @Test func `A probe in a property is named by adoption, and wrapped twice gives two nodes`() throws {
            final class Model { let prices = TraceProbe("inner") }
            let recording = try record {
                let model = Model()
                Trace.adopt(model)
                let (inner, outer) = (model.prices.subscribed(), TraceProbe("outer").subscribed())
                inner.emitted(1) { outer.emitted(1) }
            }
            #expect(recording.emissions(of: "Model.prices") == [.signed(1)])
            #expect(recording.emissions(of: "outer") == [.signed(1)])
        }

        @Test func `A subscription that is released without an end was disposed`() throws {
            weak var probe: TraceProbe?
            let recording = try record {
                let subscription = {
                    let made = TraceProbe("feed")
                    probe = made
                    return made.subscribed()
                }()
                subscription.emitted(1)
            }
            #expect(probe == nil)
            #expect(recording.story.suffix(2) == ["end of closure: disposed", "feed nodeReleased"])
        }

        @Test func `Several threads may emit, and all of it is recorded`() throws {
            let recording = try record {
                let subscription = TraceProbe("feed").subscribed()
                DispatchQueue.concurrentPerform(iterations: 8) { thread in
                    for step in 0..<200 { subscription.emitted(thread * 1000 + step) }
                }
            }
            #expect(recording.emissions(of: "feed").count == 1600)
            #expect(recording.damage.isEmpty)
        }

        @Test func `What a body throws reaches the caller, and the frame is closed`() throws {
            let recording = try record {
                let subscription = TraceProbe("feed").subscribed()
                #expect(throws: Offline.self) { try subscription.emitted(1) { throw Offline() } }
                subscription.emitted(2)
            }
            #expect(recording.events.filter { $0.kind == .emitted }.allSatisfy { $0.cause == nil })
        }

        @Test func `An emission takes nine bytes, as one of an emitter does`() throws {
            func bytes(_ emissions: Int) throws -> Int {
                let subscription = TraceProbe("feed").subscribed()
                let file = try TemporaryTrace()
                try Trace.start(writingTo: file.path, clock: VirtualClock(step: 100), snapshots: .none)
                for value in 0..<emissions { subscription.emitted(value & 63) }
                Trace.stop()
                var count = 0
                try TraceReader(path: file.path).forEachEventChunk { header, _ in
                    count += Int(header.committed)
                    return true
                }
                return count
            }
            #expect(try bytes(1001) - bytes(1) == 9000)
        }

        @Test func `A recording that starts and stops inside of an emission leaves nothing open`() throws {
            let subscription = TraceProbe("feed").subscribed()
            let file = try TemporaryTrace()
            try subscription.emitted(1) { try Trace.start(writingTo: file.path, snapshots: .none) }
            _ = subscription.emitted(2) { Trace.stop() }
            let recording = try record { subscription.emitted(3) }
            #expect(recording.emissions(of: "feed") == [.signed(3)])
            #expect(recording.count(.deliveryEnded) == 1)
        }
    }
}
