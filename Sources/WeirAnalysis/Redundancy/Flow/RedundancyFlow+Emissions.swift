import WeirTrace

// Each of these is paid for by every emission in the trace.
extension RedundancyFlow {
    @inline(__always)
    mutating func emitted(
        _ record: FlowRecord, _ body: UnsafeRawBufferPointer, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let place = tables.place(ofNode: record.subject)
        guard !thread.pointee.isTooDeep else {
            if record.delivers { _ = thread.pointee.open(FlowFrame(opener: .emission)) }
            return
        }
        let turn = thread.pointee.turn(order)
        var frame = FlowFrame(opener: .emission)
        frame.node = place
        frame.sequence = record.sequence
        frame.order = order
        frame.turn = turn
        frame.isReplayed = record.isReplayed
        frame.isInitial = record.isReplayed || thread.pointee.top?.pointee.isInitial ?? false
        if place >= 0, !record.isReplayed { judgeEmission(place, turn, record, thread, &frame) }
        guard record.delivers else { return }
        frame.value = ValueKey(body)
        if place >= 0 { tables.nodes[Int(place)].openFrames &+= 1 }
        _ = open(frame, thread)
    }

    @inline(__always)
    private mutating func judgeEmission(
        _ place: Int32, _ turn: UInt64, _ record: FlowRecord, _ thread: UnsafeMutablePointer<FlowThread>,
        _ frame: inout FlowFrame
    ) {
        let node = tables.nodes + Int(place)
        let id = EventID(thread.pointee.number, record.sequence)
        frame.mark.order = order
        frame.mark.turn = turn
        frame.mark.screen = screen
        frame.mark.thread = id.thread
        frame.mark.sequence = id.sequence
        if let around = thread.pointee.emission {
            frame.mark.parentOrder = around.pointee.order
            frame.mark.parentNode = around.pointee.node
        }
        if node.pointee.traits.contains(.hot) {
            if applies(.glitch), node.pointee.last.turn == turn {
                frame.glitch = glitch.judge(
                    node.pointee.last, frame.mark, of: place, thread.pointee, tables, below: thread.pointee.count)
                if frame.glitch >= 0 { frame.superseded = node.pointee.last.order }
            }
            node.pointee.last = frame.mark
            if node.pointee.openFrames > 0, applies(.feedback) {
                feedback.judge(
                    place, id, turn: turn, run: -1, thread.pointee, tables, below: thread.pointee.count)
            }
            if node.pointee.thread != id.thread, applies(.crossThread), !thread.pointee.isInHop {
                crossThread.judge(place, id, tables)
            }
        }
        if node.pointee.traits.contains(.computes), isFed(place, thread.pointee) {
            frame.isEvaluation = true
            totals.evaluations &+= 1
            if applies(.unobserved) { unobserved.judge(place, id, tables, &unjudged) }
        }
    }

    /// Whether what a node does now is an evaluation: something is delivered to it, or the turn settles.
    @inline(__always)
    private func isFed(_ place: Int32, _ thread: FlowThread) -> Bool {
        guard let cause = thread.causingEmission else { return false }
        if cause.pointee.subscription == FlowFrame.settling { return true }
        guard cause.pointee.subscription >= 0, !cause.pointee.isEnding else { return false }
        return tables.subscriptions[Int(cause.pointee.subscription)].target == place
    }

    @inline(__always)
    mutating func suppressed(
        _ record: FlowRecord, reason: UInt8, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let place = tables.place(ofNode: record.subject)
        guard place >= 0, !thread.pointee.isTooDeep else { return }
        let node = tables.nodes + Int(place)
        let id = EventID(thread.pointee.number, record.sequence)
        if reason == SuppressionReason.unsettled.rawValue {
            if applies(.feedback) { feedback.leftUnsettled(place, id, tables) }
            return
        }
        let isEqual = reason == SuppressionReason.equal.rawValue
        guard isEqual || reason == SuppressionReason.filtered.rawValue,
            node.pointee.traits.contains(.computes), isFed(place, thread.pointee)
        else { return }
        totals.evaluations &+= 1
        if applies(.unobserved) { unobserved.judge(place, id, tables, &unjudged) }
        if isEqual, node.pointee.traits.contains(.compares) {
            countNoop(place, id, counterpart: nil, via: thread.pointee.causingEmission?.pointee.subscription ?? -1)
        }
        if node.pointee.openFrames > 0, node.pointee.traits.contains(.hot), applies(.feedback) {
            feedback.judge(
                place, id, turn: thread.pointee.turn(order), run: -1, thread.pointee, tables,
                below: thread.pointee.count)
        }
    }

    /// An evaluation gave an equal value.
    @inline(__always)
    mutating func countNoop(_ place: Int32, _ id: EventID, counterpart: EventID?, via: Int32) {
        totals.noopEvaluations &+= 1
        if applies(.noopEvaluation) {
            noopEvaluation.count(place, id, counterpart: counterpart, via: via, tables)
        }
    }

    /// A completion or failure.
    mutating func ended(_ record: FlowRecord, _ thread: UnsafeMutablePointer<FlowThread>) {
        guard record.delivers else { return }
        var frame = FlowFrame(opener: .emission)
        frame.isEnding = true
        frame.node = tables.place(ofNode: record.subject)
        frame.sequence = record.sequence
        frame.order = order
        frame.turn = thread.pointee.turn(order)
        if frame.node >= 0, !thread.pointee.isTooDeep { tables.nodes[Int(frame.node)].openFrames &+= 1 }
        _ = open(frame, thread)
    }
}
