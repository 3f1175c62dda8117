import Foundation
import Testing
import WeirReport
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

extension Everything.OracleTests {
    @Test func `a part of a trace explains an event as the whole does, or lacks history`() throws {
        var (compared, lacking) = (0, 0)
        for program in try Self.programs() where !program.events.isEmpty {
            let whole = try Timeline(program.reader)
            var random = SeededGenerator(seed: program.seed &* 41 &+ 3)
            for _ in 0..<12 {
                let index = Int.random(in: program.events.indices, using: &random)
                let start = program.events[Int.random(in: 0...index, using: &random)].ticks
                guard program.reader.hasRisingChunks,
                    let part = Timeline(program.reader, whole.topology, from: start, checkpointSpacing: 16)
                else { continue }
                let id = program.events[index].id
                let explanation = part.explanation(of: id)
                if part.lacksHistory {
                    lacking += 1
                    continue
                }
                compared += 1
                #expect(explanation == whole.explanation(of: id), "seed \(program.seed), \(id) from \(start)")
                if explanation != whole.explanation(of: id) { return }
            }
        }
        #expect(
            compared > Repeats.count(90) && lacking > Repeats.count(90),
            "\(compared) were compared, \(lacking) lacked history")
    }

    /// A thread has begun to deliver when another one ends the subscription: the end comes before the delivery. If it has no
    /// time of its own, it even comes before the emission.
    @Test(arguments: [true, false])
    func `a part of a trace knows no subscription by a delivery that its end overtook`(endIsStamped: Bool) throws {
        var file = CraftedFile()
        file.node(1)
        file.node(2, kind: 3)
        file.node(3)
        file.subscription(1, 1, 2)
        file.emitted(3, 1, delivers: true, on: 2)
        file.emitted(1, 1, delivers: true)
        file.ended(subscription: 1, on: 2, isStamped: endIsStamped)
        file.delivered(1)
        file.emitted(2, 5, on: 3)
        file.ended()
        file.emitted(1, 2)
        file.emitted(2, 6, on: 3)
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        let whole = try Timeline(reader)
        var events: [TraceEvent] = []
        reader.forEachEvent {
            events.append($0)
            return true
        }
        let last = try #require(events.last)
        var lacking = 0
        for start in events.map(\.ticks) {
            let part = try #require(Timeline(reader, whole.topology, from: start))
            let explanation = part.explanation(of: last.id)
            if part.lacksHistory { lacking += 1 } else { #expect(explanation == whole.explanation(of: last.id)) }
        }
        #expect(lacking > 0 && lacking < events.count)
    }

    @Test func `a part of a trace knows the last change of a node, or lacks history`() throws {
        var (compared, lacking) = (0, 0)
        for program in try Self.programs() where !program.events.isEmpty {
            let whole = try Timeline(program.reader)
            whole.move(to: .max)
            var random = SeededGenerator(seed: program.seed &* 43 &+ 11)
            for node in whole.topology.nodeIDs {
                let start = program.events.randomElement(using: &random)?.ticks ?? 0
                guard program.reader.hasRisingChunks, let part = Timeline(program.reader, whole.topology, from: start)
                else { continue }
                part.move(to: .max)
                let change = part.lastChange(of: [node])
                if part.lacksHistory { lacking += 1 } else { compared += 1 }
                if !part.lacksHistory, change != whole.lastChange(of: [node]) {
                    Issue.record("seed \(program.seed), node \(node) from \(start)")
                    return
                }
            }
        }
        #expect(
            compared > Repeats.count(90) && lacking > Repeats.count(90),
            "\(compared) were compared, \(lacking) lacked history")
    }

    @Test func `counting chunks in any order draws the graph that every event gives`() throws {
        var (compared, edges) = (0, 0)
        for program in try Self.programs() {
            let topology = Topology(program.definitions)
            guard let counted = GraphBuilder.counting(program.reader, topology) else { continue }
            var builder = GraphBuilder(topology)
            var state = TraceState(topology, startTicks: program.reader.header.startTicks)
            for event in program.events {
                builder.take(event)
                state.take(event)
            }
            let options = GraphOptions()
            let graph = builder.graph(of: state, .wholeRecording, options)
            compared += 1
            edges += graph.edges.count { $0.kind == .handler }
            #expect(counted.builder.graph(of: counted.state, .wholeRecording, options) == graph, "seed \(program.seed)")
            #expect(counted.state.order == state.order)
        }
        #expect(
            compared > Repeats.count(16) && edges > Repeats.count(16),
            "\(compared) graphs with \(edges) writes of handlers")
    }

    @Test func `counting most events says why a node did not change as every event does`() throws {
        var (compared, stopped) = (0, 0)
        for program in try Self.programs() where !program.events.isEmpty {
            let whole = try Timeline(program.reader)
            let stimuli = program.events.filter { $0.kind == .stimulusBegan }
            var random = SeededGenerator(seed: program.seed &* 53 &+ 1)
            for node in whole.topology.nodeIDs.prefix(6) {
                let occasion: Timeline.Occasion =
                    stimuli.randomElement(using: &random).map {
                        .after(TimeScale(program.reader.header).nanosecondsSinceStart($0.ticks))
                    } ?? .last
                guard let counted = try? program.reader.countedWhyNot(whole.topology, [node], after: occasion),
                    let expected = try? whole.whyNot([node], after: occasion)
                else { continue }
                compared += 1
                if case .stopped = expected.outcome { stopped += 1 }
                #expect(counted == expected, "seed \(program.seed), node \(node), \(occasion)")
                if counted != expected { return }
            }
        }
        #expect(
            compared > Repeats.count(60) && stopped > Repeats.count(6),
            "\(compared) were compared, \(stopped) of them with stops")
    }

    @Test func `counting chunks in any order sums up what every event does`() throws {
        var compared = 0
        for program in try Self.programs() where !program.events.isEmpty {
            let header = program.reader.header
            var counted = SummaryCounter(header: header, definitions: program.definitions)
            guard counted.takeCount(of: program.reader) else { continue }
            var taken = SummaryCounter(header: header, definitions: program.definitions)
            for event in program.events { taken.count(event) }
            let reports = [counted, taken].map {
                InfoReport($0.finish(), path: "random.weir", fileSize: 0, top: 100).json.indentedText
            }
            compared += 1
            #expect(reports[0] == reports[1], "seed \(program.seed)")
            if reports[0] != reports[1] { return }
        }
        #expect(compared > Repeats.count(16), "\(compared) were compared")
    }
}
