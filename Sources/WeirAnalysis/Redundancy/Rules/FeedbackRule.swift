@_spi(Records) import WeirTrace

/// `feedback`: a node emits or evaluates inside its own emission in the same turn; a cold node, inside the same run.
///
/// A write suppressed as equal is not an evaluation: the echo of a two-way binding ends with one. A turn that is left unsettled
/// at a node (reason 10) also counts, and makes the finding an error. A loop across a hop is a clock of the program's own
/// (polling, a retry) and is not judged.
struct FeedbackRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.feedback, ofNodes: tables) }

    /// Bounds the cost of many loops in a deep turn.
    private static let longestLoop = 64

    /// Judges an emission or evaluation of a node in `turn` while its emissions are open, some below the index `top`; returns whether it
    /// counts.
    ///
    /// - Parameter run: The subscription of a cold node's run; otherwise -1.
    mutating func judge(
        _ place: Int32, _ id: EventID, turn: UInt64, run: Int32, _ thread: UnsafeMutablePointer<FlowThread>,
        _ tables: FlowTables, below top: Int
    ) -> Bool {
        guard top > 0 else { return false }
        for frame in (0..<top).reversed() {
            let open = thread.pointee.frames + frame
            guard open.pointee.opener == .emission, open.pointee.node == place, !open.pointee.isEnding,
                open.pointee.turn == turn, run < 0 || open.pointee.subscription == run
            else { continue }
            let handler = (frame..<top).last {
                let inner = thread.pointee.frames[$0]
                return inner.opener == .emission && inner.subscription >= 0
                    && tables.subscriptions[Int(inner.subscription)].isTerminal
            }.map { thread.pointee.frames[$0] }
            let via = Int(thread.pointee.stack.places(below: top).emission)
            let subscription = via >= 0 ? thread.pointee.frames[via].subscription : -1
            table.count(place) {
                var tally = RuleTally(
                    $0, node: tables.nodes[Int(place)].id, example: id,
                    counterpart: EventID(thread: thread.pointee.number, sequence: open.pointee.sequence))
                tally.via = subscription >= 0 ? tables.subscriptions[Int(subscription)].id : 0
                let around = (frame..<min(top, frame + Self.longestLoop)).map { thread.pointee.frames[$0] }
                tally.loop = around.filter { $0.opener == .emission && $0.subscription >= 0 }.map {
                    tables.subscriptions[Int($0.subscription)].id
                }
                return tally
            }
            if let handler, let slot = table[place] {
                table.change(slot) { $0.note(handler: tables.subscriptions[Int(handler.subscription)].id) }
            }
            return true
        }
        return false
    }

    /// Counts a turn that is left unsettled at a node; `last` is the node whose emission ended last before.
    mutating func leftUnsettled(_ place: Int32, _ id: EventID, after last: Int32, _ tables: FlowTables) {
        let slot = table.slot(place) { RuleTally($0, node: tables.nodes[Int(place)].id, example: id) }
        table.change(slot) {
            $0.count &+= 1
            $0.unsettled &+= 1
            if $0.loopNode == 0, last >= 0 { $0.loopNode = tables.nodes[Int(last)].id }
        }
    }
}

extension FeedbackRule: TallyingRule {
    static let counted = CountedEvents.evaluations

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (finding.tallies.contains { $0.unsettled > 0 } ? .error : .warning, remedy(finding))
    }

    private static func remedy(_ finding: FindingFacts) -> Remedy {
        let (tallies, nodes, definitions) = (finding.tallies, finding.nodes, finding.definitions)
        let cuts = tallies.map(finding.lines.cut)
        let isOfOwnHandlers = tallies.allSatisfy { definitions.subscriptions[$0.via]?.source == $0.node }
        // Each handler of the node that writes it again is a loop of its own.
        let handlers = tallies.flatMap(\.handlers).filter {
            definitions.subscriptions[$0].map { nodes.contains($0.source) } == true
        }
        var remedy = Remedy(
            .cutLoop, nodes: nodes, subscriptions: FindingFacts.distinct(isOfOwnHandlers ? cuts + handlers : cuts),
            site: definitions.subscriptions[cuts[0]]?.site ?? finding.nodeSite)
        remedy.isOfOwnHandlers = isOfOwnHandlers
        remedy.corrected = isOfOwnHandlers ? nil : finding.lines.corrected(tallies)
        remedy.isOfOwnState = isOfOwnHandlers && nodes.allSatisfy { definitions.nodes[$0]?.kind == .observable }
        return remedy
    }
}
