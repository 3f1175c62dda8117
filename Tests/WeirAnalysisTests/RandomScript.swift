import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// A random program: its graph, and the recording of two of its threads.
struct RandomScript {
    private(set) var definitions = TraceDefinitions()
    private(set) var events: [TraceEvent] = []
    private var random: SeededGenerator
    private let nodes: ClosedRange<UInt32> = 1...6

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for id in nodes { definitions.nodes[id] = TraceNode(id: id, rawKind: 1, label: "node.\(id)") }
        for id in 1...24 as ClosedRange<UInt32> {
            let line = Int.random(in: 0...5, using: &random)
            definitions.subscriptions[id] = TraceSubscription(
                id: id, source: .random(in: nodes, using: &random), isInternal: .random(using: &random),
                site: line == 0 ? nil : TraceSite(file: "Random/View.swift", line: line))
        }
        var scripts = [EventScript(thread: 1), EventScript(thread: 2)]
        for index in scripts.indices { for _ in 0..<12 { turn(&scripts[index], depth: 0) } }
        var rest = scripts.map { $0.events[...] }
        while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
            events.append(rest[index].removeFirst())
        }
    }

    var summary: TraceSummary { EventScript.summary(events, header: EventScript.header, definitions: definitions) }

    /// The same with some events lost.
    mutating func lose() { events.removeAll { _ in Int.random(in: 0..<6, using: &random) == 0 } }

    private mutating func turn(_ script: inout EventScript, depth: Int) {
        let node = UInt32.random(in: nodes, using: &random)
        switch Int.random(in: 0..<(depth < 5 ? 10 : 3), using: &random) {
        case 0: script.emit(node, .void, delivers: false)
        case 1: script.suppress(node, .equal)
        case 2: script.complete(node, delivers: false)
        case 3:
            script.stimulus("tap")
            turns(&script, depth)
            script.endStimulus()
        case 4:
            script.hop(node, causedBy: script.events.isEmpty ? nil : script.last)
            turns(&script, depth)
            script.endHop()
        case 5:
            script.complete(node)
            deliveries(of: node, &script, depth)
        default:
            script.emit(node, .void, isReplayed: .random(using: &random))
            deliveries(of: node, &script, depth)
        }
    }

    private mutating func turns(_ script: inout EventScript, _ depth: Int) {
        for _ in 0..<Int.random(in: 0...2, using: &random) { turn(&script, depth: depth + 1) }
    }

    private mutating func deliveries(of node: UInt32, _ script: inout EventScript, _ depth: Int) {
        var subscriptions = definitions.subscriptions.values.filter { $0.source == node }.map(\.id).sorted()
        // A subscription that the trace does not define.
        subscriptions.append(99)
        let count = Int.random(in: 1...subscriptions.count, using: &random)
        for subscription in subscriptions.shuffled(using: &random).prefix(count) {
            script.deliver(subscription, isStamped: .random(using: &random))
            turns(&script, depth)
        }
        if Bool.random(using: &random) {
            script.settle()
            turns(&script, depth)
        }
        script.endDeliveries(isStamped: .random(using: &random))
    }
}
