@_spi(Records) import WeirTrace

/// `glitch`: a node emits again in the turn because flows with one origin join in it, which replaces its earlier emission.
///
/// Let E and E′ be successive emissions of a node (for a cold node, of the same run) in one turn, without a `frame` mark
/// between them. Let A be the innermost frame open at both: another node's emission of a value, a batch or a hop. E is replaced
/// if:
///
/// - E and E′ came through different deliveries of A; or
/// - inside A, an emission P is innermost around E, or P′ around E′, and P and P′ are not of one node, or P is itself replaced
///   by P′.
///
/// If P counts, the flows join there: then only the refreshes of E count, for that node.
///
/// Exempt are nodes in which nothing joins (merge, map, …), the state of a command, which no program writes, and emitters, each of whose events counts. `.settled` nodes emit
/// once a turn, unless a handler writes behind the graph's back.
struct GlitchRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.glitch, ofNodes: tables) }

    /// Judges `last`, which `mark` follows; nil if it is not replaced, else the tally for its refreshes, or -1.
    @inline(__always)
    mutating func judge(
        _ last: EmissionMark, _ mark: EmissionMark, of node: Int32, _ thread: UnsafeMutablePointer<FlowThread>,
        _ tables: FlowTables, below top: Int
    ) -> Int32? {
        guard last.turn == mark.turn, last.order != 0, last.screen == mark.screen else { return nil }
        return judgeInTurn(last, mark, node, thread, tables, top)
    }

    private mutating func judgeInTurn(
        _ last: EmissionMark, _ mark: EmissionMark, _ node: Int32, _ thread: UnsafeMutablePointer<FlowThread>,
        _ tables: FlowTables, _ top: Int
    ) -> Int32? {
        guard !tables.nodes[Int(node)].traits.contains(.emitter) else { return nil }
        let areOfOneNode =
            mark.parentNode >= 0 && mark.parentNode == last.parentNode && last.parentOrder != mark.parentOrder
        let around = areOfOneNode ? thread.pointee.frame(below: top, order: mark.parentOrder) : nil
        let outer = around?.pointee.superseded == last.parentOrder ? around : nil
        let isAlike = areOfOneNode && outer == nil
        let origin = thread.pointee.innermost(below: top, atOrBefore: last.order)
        guard isReplaced(last, mark, node, thread, origin, isAlike: isAlike) else { return nil }
        if let outer, outer.pointee.glitch >= 0 { return outer.pointee.glitch }
        guard tables.nodes[Int(node)].traits.contains(.joins) else { return -1 }
        let id = tables.nodes[Int(node)].id
        let slot = table.slot(node) { RuleTally($0, node: id, example: last.id, counterpart: mark.id) }
        let isSettled = isSettled(node, thread, top, tables)
        let batch = origin.flatMap { self.batch(last, mark, thread, $0, top, tables) }
        let innermost = Int(thread.pointee.stack.places(below: top).emission)
        let loop = innermost >= 0 ? thread.pointee.frames[innermost].loop : -1
        table.change(slot) {
            $0.count &+= 1
            if isSettled { $0.settled &+= 1 }
            if let batch {
                $0.ofOneWriter &+= 1
                if batch >= 0 { $0.note(handler: tables.subscriptions[Int(batch)].id) }
            }
            if loop >= 0 {
                $0.inLoop &+= 1
                $0.loopNode = tables.nodes[Int(loop)].id
            }
        }
        return slot
    }

    /// Whether a node that emits now has waited until the turn settles: it is computed, and no delivery made it emit.
    private func isSettled(
        _ node: Int32, _ thread: UnsafeMutablePointer<FlowThread>, _ top: Int, _ tables: FlowTables
    ) -> Bool {
        guard top > 0, !tables.nodes[Int(node)].traits.contains(.shows) else { return false }
        let around = thread.pointee.frames[top - 1]
        return switch around.opener {
        case .emission: around.subscription == FlowFrame.settling
        case .batch, .hop: true
        case .stimulus, .unknown: false
        }
    }

    /// The subscription in whose handler a batch makes one emission of both, or -1 for a hop; nil if no batch does.
    ///
    /// The frame at `place` is the innermost one around both. One is written there directly, the other one in what an emitter or a
    /// callback reaches, which runs inside the batch.
    private func batch(
        _ last: EmissionMark, _ mark: EmissionMark, _ thread: UnsafeMutablePointer<FlowThread>, _ place: Int,
        _ top: Int, _ tables: FlowTables
    ) -> Int32? {
        let origin = thread.pointee.frames[place]
        guard
            origin.opener == .hop
                || origin.opener == .emission && origin.subscription >= 0 && origin.deliveryOrder <= last.order
        else { return nil }
        func runsAtOnce(_ node: Int32) -> Bool {
            node >= 0 && !tables.nodes[Int(node)].traits.isDisjoint(with: [.emitter, .isCallback])
        }
        if last.parentOrder <= origin.order, mark.parentOrder > origin.order {
            let inner = (place + 1..<top).first { thread.pointee.frames[$0].opener == .emission }
            guard let inner, runsAtOnce(thread.pointee.frames[inner].node) else { return nil }
        } else {
            guard last.parentOrder > origin.order, mark.parentOrder <= origin.order, runsAtOnce(last.parentNode)
            else { return nil }
        }
        return origin.opener == .hop ? -1 : origin.subscription
    }

    /// Whether the innermost frame open at both shows that their flows have one origin.
    ///
    /// - Parameter isAlike: The emissions around both are of one node, and the former is not itself replaced.
    private func isReplaced(
        _ last: EmissionMark, _ mark: EmissionMark, _ node: Int32, _ thread: UnsafeMutablePointer<FlowThread>,
        _ place: Int?, isAlike: Bool
    ) -> Bool {
        guard let place else { return false }
        let origin = thread.pointee.frames[place]
        // The frame is the node's own emission: that is feedback.
        if origin.order == last.order { return false }
        // Successive writes of one handler, batch or hop to one node may be intended, and so may their consequences.
        let (isFormerIn, isLatterIn) = (last.parentOrder > origin.order, mark.parentOrder > origin.order)
        let isIndirect = isFormerIn && isLatterIn ? !isAlike : isFormerIn || isLatterIn
        switch origin.opener {
        case .emission:
            let isOneDelivery = origin.deliveryOrder <= last.order && origin.subscription != FlowFrame.settling
            return origin.node != node && !origin.isEnding && (!isOneDelivery || isIndirect)
        case .batch, .hop: return isIndirect
        case .stimulus, .unknown: return false
        }
    }
}

extension FlowThread {
    /// The innermost frame below an index that was open at an event of this order; nil: none was.
    fileprivate func innermost(below top: Int, atOrBefore order: UInt64) -> Int? {
        var place = top - 1
        while place >= 0, frames[place].order > order { place -= 1 }
        return place >= 0 ? place : nil
    }

    /// The frame of the emission of this order, below an index.
    fileprivate func frame(below top: Int, order: UInt64) -> UnsafeMutablePointer<FlowFrame>? {
        var place = top - 1
        while place >= 0, frames[place].order > order { place -= 1 }
        return place >= 0 && frames[place].order == order ? frames + place : nil
    }
}

extension GlitchRule: TallyingRule {
    static let counted = CountedEvents.emissions
    static let followsLoops = true

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.warning, remedy(finding))
    }

    private static func remedy(_ finding: FindingFacts) -> Remedy? {
        let (tallies, node, lines) = (finding.tallies, finding.first.node, finding.lines)
        // A handler writes to an input of what has settled: waiting would not help.
        if tallies.allSatisfy({ $0.settled == $0.count }) { return nil }
        // One side of a two-way binding: the writes are made at the other side.
        if finding.definitions.nodes[node]?.kind == .channel { return nil }
        if lines.computes(node) { return finding.settling }
        if finding.technique == .weir || finding.technique == .traced, isBatched(tallies) {
            return Remedy(
                .batchHandler, nodes: finding.nodes, subscriptions: FindingFacts.distinct(tallies.flatMap(\.handlers)),
                site: finding.nodeSite)
        }
        var remedy = Remedy(.computeOnce, nodes: finding.nodes, site: lines.computingSite(ofNode: node))
        remedy.beginsWithCurrent = lines.beginsWithCurrent(node)
        return remedy
    }

    /// Whether a batch joins more than half of the values that were replaced.
    private static func isBatched(_ tallies: [RuleTally]) -> Bool {
        let all = tallies.reduce(into: (count: 0 as UInt64, batched: 0 as UInt64)) {
            $0.count &+= $1.count
            $0.batched &+= $1.ofOneWriter
        }
        return all.batched > all.count / 2
    }
}
