@_spi(Records) import WeirTrace

// Every emission in the trace pays for these functions.
extension RedundancyFlow {
    @inline(__always)
    mutating func emitted(
        _ step: UnsafeMutablePointer<FlowStep>, _ sequence: UInt64, _ value: UnsafeMutablePointer<ValueKey>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let (place, isReplayed) = (step.pointee.place, step.pointee.isReplayed)
        guard !thread.pointee.stack.isTooDeep else {
            if step.pointee.delivers { _ = thread.pointee.open(.emission, sequence) }
            return
        }
        let turn = thread.pointee.turn(order)
        var judgement = EmissionJudgement()
        if place >= 0, !isReplayed {
            if thread.pointee.stack.count > 0 {
                judgement = judge(place, turn, sequence, thread)
            } else {
                judgeOutermost(place, sequence, thread)
            }
            let node = tables.nodes + Int(place)
            if node.pointee.traits.isCold, !node.pointee.hasGiven, applies(.repeatedSource) {
                repeatedSource.gave(value.pointee, place, sequence, order, thread, tables)
            }
        }
        guard step.pointee.delivers else { return }
        var isInitial = isReplayed
        if let top = thread.pointee.top {
            // In a hop for the node itself, a replay is not a first value: the value had to wait for the handler's actor.
            let isLate = place >= 0 && top.pointee.opener == .hop && top.pointee.hopNode == place
            isInitial = isReplayed && !isLate || top.pointee.isInitial
        }
        guard let frame = thread.pointee.open(.emission, sequence, node: place) else { return }
        let isOutermost = thread.pointee.stack.count == 1
        if isOutermost {
            thread.pointee.emission = Occasion(
                other: lastOther, ticks: step.pointee.ticks, thread: thread.pointee.number, order: order)
        }
        frame.pointee.order = order
        frame.pointee.turn = turn
        frame.pointee.isReplayed = isReplayed
        frame.pointee.isInitial = isInitial
        frame.pointee.value = value.pointee
        frame.pointee.isEvaluation = judgement.isEvaluation
        frame.pointee.isEvaluationAgain = judgement.isEvaluationAgain
        frame.pointee.superseded = judgement.superseded
        frame.pointee.glitch = judgement.glitch
        if judgement.isFeedback { frame.pointee.loop = place }
        guard place >= 0 else { return }
        let node = tables.nodes + Int(place)
        node.pointee.openFrames &+= 1
        if node.pointee.traits.contains(.isCallback), isOutermost {
            (frame.pointee.isStimulus, frame.pointee.stimulus, hasStimuli) = (true, order, true)
            if applies(.burst) { thread.pointee.beginStimulus(sequence, order) }
        }
    }

    /// The judgement of an emission before it is delivered.
    private struct EmissionJudgement {
        var isEvaluation = false
        var isEvaluationAgain = false
        /// The order of the emission that it replaces in its turn; 0 if there is none.
        var superseded: UInt64 = 0
        var glitch: Int32 = -1
        var isFeedback = false
    }

    /// Judges an emission outside of all frames, which begins a turn of its own.
    @inline(__always)
    private mutating func judgeOutermost(
        _ place: Int32, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let node = tables.nodes + Int(place)
        guard node.pointee.traits.contains(.hot) else { return }
        let id = EventID(thread.pointee.number, sequence)
        node.pointee.last = EmissionMark(id, order, order, screen, around: nil)
        if node.pointee.runner != thread.pointee.runner { judgeRunner(place, id, thread) }
    }

    @inline(never)
    private mutating func judgeRunner(_ place: Int32, _ id: EventID, _ thread: UnsafeMutablePointer<FlowThread>) {
        if applies(.crossThread) { crossThread.judge(place, id, by: thread.pointee.runner, tables) }
    }

    /// Judges an emission inside other frames.
    @inline(never)
    private mutating func judge(
        _ place: Int32, _ turn: UInt64, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) -> EmissionJudgement {
        var judgement = EmissionJudgement()
        let node = tables.nodes + Int(place)
        let id = EventID(thread.pointee.number, sequence)
        let top = thread.pointee.stack.count
        if let around = thread.pointee.causingEmission, around.pointee.isRefreshing {
            tables.subscriptions[Int(around.pointee.subscription)].carriesOn = true
        }
        if node.pointee.traits.contains(.hot) {
            let mark = EmissionMark(id, order, turn, screen, around: thread.pointee.valueEmission(below: top))
            if node.pointee.last.turn == turn, applies(.glitch) {
                let found = glitch.judge(node.pointee.last, mark, of: place, thread, tables, below: top)
                if let found { (judgement.glitch, judgement.superseded) = (found, node.pointee.last.order) }
            }
            if node.pointee.openFrames > 0, applies(.feedback) {
                judgement.isFeedback = feedback.judge(place, id, turn: turn, run: -1, thread, tables, below: top)
            }
            node.pointee.last = mark
            if node.pointee.runner != thread.pointee.runner, !thread.pointee.isScheduled {
                judgeRunner(place, id, thread)
            }
        }
        if node.pointee.traits.contains(.requests), thread.pointee.isInHop { staleResponse.passed(place, thread) }
        if node.pointee.traits.contains(.computes), isFed(place, thread) {
            judgement.isEvaluation = true
            judgement.isEvaluationAgain = isAgain(place, turn, thread)
            node.pointee.evaluated = turn
            totals.evaluations &+= 1
            if applies(.unobserved) { unobserved.judge(place, id, tables, &unjudged) }
        }
        return judgement
    }

    /// Whether a node's current event is an evaluation: a value is being delivered to the node, or the turn settles.
    @inline(__always)
    private func isFed(_ place: Int32, _ thread: UnsafeMutablePointer<FlowThread>) -> Bool {
        guard let cause = thread.pointee.causingEmission else { return false }
        let subscription = cause.pointee.subscription
        let isFed = subscription >= 0 && tables.subscriptions[Int(subscription)].target == place
        if isFed { tables.nodes[Int(place)].isEager = true }
        return Meaning.isEvaluation(
            isFed: isFed, isSettling: subscription == FlowFrame.settling, isEnding: cause.pointee.isEnding)
    }

    /// Whether a node evaluates again in the turn, although it could wait until the turn settles.
    ///
    /// Waiting does not help a node that has waited, or that its own emission makes evaluate.
    @inline(__always)
    private func isAgain(_ place: Int32, _ turn: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) -> Bool {
        tables.nodes[Int(place)].evaluated == turn && tables.nodes[Int(place)].openFrames == 0
            && thread.pointee.causingEmission?.pointee.subscription != FlowFrame.settling
    }

    @inline(__always)
    mutating func suppressed(
        _ step: FlowStep, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let place = step.place
        guard place >= 0, !thread.pointee.stack.isTooDeep else { return }
        let node = tables.nodes + Int(place)
        let id = EventID(thread.pointee.number, sequence)
        if step.reason == SuppressionReason.unsettled.rawValue {
            if applies(.feedback) { feedback.leftUnsettled(place, id, after: thread.pointee.lastEnded, tables) }
            return
        }
        let isEqual = step.reason == SuppressionReason.equal.rawValue
        let isFiltered = step.reason == SuppressionReason.filtered.rawValue
        if isFiltered { node.pointee.heldBack = order }
        guard isEqual || isFiltered,
            node.pointee.traits.contains(.computes), isFed(place, thread)
        else { return }
        totals.evaluations &+= 1
        let turn = thread.pointee.turn(order)
        let isAgain = isAgain(place, turn, thread)
        node.pointee.evaluated = turn
        if applies(.unobserved) { unobserved.judge(place, id, tables, &unjudged) }
        if isEqual, node.pointee.traits.contains(.compares) {
            countNoop(
                place, id, counterpart: nil, via: thread.pointee.causingEmission?.pointee.subscription ?? -1,
                isAgain: isAgain, origin: thread.pointee.unchangedOrigin(place, below: thread.pointee.stack.count))
        }
        if node.pointee.openFrames > 0, node.pointee.traits.contains(.hot), applies(.feedback) {
            _ = feedback.judge(
                place, id, turn: turn, run: -1, thread, tables, below: thread.pointee.stack.count)
        }
    }

    /// Counts an evaluation that produced an equal value; `origin` is the node that first emitted an unchanged value.
    @inline(__always)
    mutating func countNoop(
        _ place: Int32, _ id: EventID, counterpart: EventID?, via: Int32, isAgain: Bool, origin: Int32
    ) {
        totals.noopEvaluations &+= 1
        if applies(.noopEvaluation) {
            noopEvaluation.count(place, id, counterpart: counterpart, via: via, isAgain: isAgain, tables)
            noopEvaluation.table.note(cause: origin, place, tables)
        }
    }

    /// Opens a frame for a completion or failure.
    mutating func ended(
        _ step: FlowStep, _ sequence: UInt64, isFailure: Bool, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        if isFailure, step.place >= 0, applies(.unhandledFailure) {
            unhandledFailure.failed(step.place, EventID(thread.pointee.number, sequence), thread, tables)
        }
        guard step.delivers else { return }
        let turn = thread.pointee.turn(order)
        let isInitial = thread.pointee.top?.pointee.isInitial ?? false
        guard let frame = thread.pointee.open(.emission, sequence, node: step.place, isEnding: true)
        else { return }
        frame.pointee.isInitial = isInitial
        frame.pointee.order = order
        frame.pointee.turn = turn
        if frame.pointee.node >= 0 { tables.nodes[Int(frame.pointee.node)].openFrames &+= 1 }
    }
}
