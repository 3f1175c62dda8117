import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// A random program with owners, operators, handlers that write, and two threads; and its recording.
struct RandomFlow {
    private(set) var definitions = TraceDefinitions()
    private(set) var events: [TraceEvent] = []
    private var random: SeededGenerator
    private let nodes: ClosedRange<UInt32> = 1...9

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for id in 1...4 as ClosedRange<UInt32> {
            definitions.objects[id] = TraceObject(id: id, type: id < 4 ? "Cell" : "Model")
        }
        let kinds: [NodeKind] = [.observable, .emitter, .combiner, .command, .observer, .map, .foreign, .binding]
        let techniques: [NodeTechnique] = [.weir, .weir, .render, .observation, .foreign]
        for id in nodes where number(0...9) > 0 {
            var node = TraceNode(id: id, rawKind: kinds[number(0...7)].rawValue)
            node.technique = techniques[number(0...4)]
            if number(0...5) > 0 { node.site = TraceSite(file: "Flow/File\(number(1...2)).swift", line: number(1...3)) }
            if number(0...2) > 0 {
                let owner = UInt32(number(1...4))
                node.owner = number(0...3) > 0 ? owner : nil
                node.label = (owner < 4 ? "Cell." : "Model.") + "abc".prefix(number(1...3))
            }
            definitions.nodes[id] = node
        }
        for id in 1...16 as ClosedRange<UInt32> {
            definitions.subscriptions[id] = TraceSubscription(
                id: id, source: node, target: number(0...3) > 0 ? node : nil, isInternal: number(0...1) > 0,
                isTiming: number(0...3) == 0)
        }
        var scripts = [EventScript(thread: 1), EventScript(thread: 2)]
        for index in scripts.indices { for _ in 0..<6 { turn(&scripts[index], depth: 0) } }
        var rest = scripts.map { $0.events[...] }
        while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
            events.append(rest[index].removeFirst())
        }
    }

    private var node: UInt32 { mutating get { UInt32(number(1...Int(nodes.upperBound))) } }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    private mutating func turn(_ script: inout EventScript, depth: Int) {
        let node = node
        let reasons = SuppressionReason.allCases
        switch number(0...(depth < 4 ? 14 : 5)) {
        case 0: script.emit(node, .signed(Int64(number(0...9))), delivers: false)
        case 1: script.suppress(node, reasons[number(0...(reasons.count - 1))])
        case 2: script.add(.subscriptionStarted, subject: UInt32(number(1...17)))
        case 3: script.add(.subscriptionEnded, subject: UInt32(number(1...17)))
        case 4: script.add(.nodeCreated, subject: node)
        case 5: if number(0...2) == 0 { script.add(.nodeReleased, subject: node) }
        case 6:
            script.stimulus("tap")
            turns(&script, depth)
            script.endStimulus()
        case 7:
            script.hop(
                node, causedBy: script.events.isEmpty ? nil : script.last,
                by: number(0...2) == 0 ? 0 : UInt32(number(1...17)))
            turns(&script, depth)
            script.endHop()
        case 8:
            script.batch()
            turns(&script, depth)
            script.endBatch()
        case 9:
            script.fail(node, .string("no"))
            deliveries(of: node, &script, depth)
        default:
            script.emit(node, .signed(Int64(number(0...9))), isReplayed: number(0...3) == 0)
            deliveries(of: node, &script, depth)
        }
    }

    private mutating func turns(_ script: inout EventScript, _ depth: Int) {
        for _ in 0..<number(0...2) { turn(&script, depth: depth + 1) }
    }

    private mutating func deliveries(of node: UInt32, _ script: inout EventScript, _ depth: Int) {
        // One of them is not defined by the trace.
        let subscriptions = definitions.subscriptions.values.filter { $0.source == node }.map(\.id).sorted() + [17]
        for subscription in subscriptions.shuffled(using: &random).prefix(number(1...3)) {
            script.deliver(subscription, isStamped: false)
            turns(&script, depth)
        }
        if number(0...3) == 0 {
            script.settle()
            turns(&script, depth)
        }
        script.endDeliveries()
    }
}
