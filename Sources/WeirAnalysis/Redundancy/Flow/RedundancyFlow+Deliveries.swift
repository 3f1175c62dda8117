@_spi(Records) import WeirTrace

extension RedundancyFlow {
    /// Takes a step that begins a delivery or settles the turn, and up to `end` those that follow directly, unless each is `alone`;
    /// returns their number.
    ///
    /// They are all of one emission, which is found once.
    @inline(never)
    mutating func deliveries(
        _ first: UnsafeMutablePointer<FlowStep>, _ end: UnsafeMutablePointer<FlowStep>, alone: Bool, _ sequence: UInt64,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Int {
        guard let frame = leaveDelivery(thread) else {
            heard(first.pointee.place, sequence, thread)
            return 1
        }
        if frame.pointee.isRefreshing { refreshEnded(frame, first.pointee.ticks, thread) }
        return deliver(first, end, alone: alone, sequence, emission(frame, thread))
    }

    // On its own, this loop is small enough that the compiler inlines `delivered`.
    @inline(never)
    private mutating func deliver(
        _ first: UnsafeMutablePointer<FlowStep>, _ end: UnsafeMutablePointer<FlowStep>, alone: Bool, _ sequence: UInt64,
        _ emission: DeliveredEmission
    ) -> Int {
        var (step, sequence) = (first, sequence)
        while true {
            let next = step + 1
            let nextKind = next < end ? next.pointee.kind : 0
            delivered(step, sequence, emission, endsNext: nextKind &- EventKind.deliveryBegan.rawValue <= 2)
            step = next
            guard !alone, nextKind &- EventKind.deliveryBegan.rawValue <= 1 else { return step - first }
            sequence &+= 1
            order &+= 1
            tables.prefetch(step[FlowStep.lookahead])
        }
    }

    /// The properties that all deliveries of an emission have in common, as long as no other record lies between them.
    struct DeliveredEmission {
        let frame: UnsafeMutablePointer<FlowFrame>
        let thread: UnsafeMutablePointer<FlowThread>
        let origin: RefreshOrigin
        let isInHop: Bool
        /// Whether a hop delivers the answer to a request.
        let isAnswer: Bool
        /// Whether its refreshes are wanted in any case.
        let isWanted: Bool
        /// Whether they are later work: inside a hop, or outside of all stimuli although the program names some.
        let isLater: Bool
        /// Whether only `burst` may judge the refreshes before them.
        let isPlain: Bool
        /// The scene of bursts with refreshes of other turns of its stimulus that follow from writes to the same node.
        let scene: BurstScene
    }

    @inline(__always)
    private func emission(
        _ frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) -> DeliveredEmission {
        let (occasion, isInHop) = (thread.pointee.namedStimulus, thread.pointee.isInHop)
        // Inside a further stimulus, the innermost one that contains both refreshes must be found.
        let isNested = thread.pointee.hasStimulusInside
        return DeliveredEmission(
            frame: frame, thread: thread,
            origin: RefreshOrigin(
                emissionOrder: frame.pointee.order, turn: frame.pointee.turn, occasion: occasion,
                thread: thread.pointee.number, screen: UInt32(truncatingIfNeeded: screen),
                written: frame.pointee.written),
            isInHop: isInHop,
            isAnswer: isInHop && thread.pointee.request.line >= 0 && !frame.pointee.isInitial,
            isWanted: frame.pointee.isInitial || frame.pointee.value.isVoid,
            isLater: isInHop || occasion == 0 && hasStimuli,
            isPlain: countsUsual && frame.pointee.superseded == 0 && !isInHop && !isNested,
            scene: occasion == 0 ? .none : BurstScene(key: thread.pointee.frame(0).pointee.name, isOfOneWriter: true))
    }

    /// Begins a delivery, or settles the turn; `endsNext`: the delivery ends with the next step.
    @inline(__always)
    private mutating func delivered(
        _ step: UnsafeMutablePointer<FlowStep>, _ sequence: UInt64, _ emission: DeliveredEmission, endsNext: Bool
    ) {
        let (place, frame, thread) = (step.pointee.place, emission.frame, emission.thread)
        frame.pointee.deliveryOrder = order
        frame.pointee.subscription = place
        guard place >= 0 else { return }
        let subscription = tables.subscriptions + Int(place)
        if subscription.pointee.life == .unmentioned { beginUnmentioned(place, sequence, thread) }
        guard !frame.pointee.isEnding else { return endRun(place) }
        let isFirst = !frame.pointee.hasDelivered
        let comparison = ValueKey.compare(subscription.pointee.value, frame.pointee.value)
        if isFirst {
            frame.pointee.hasDelivered = true
            if !frame.pointee.isReplayed, frame.pointee.node >= 0 {
                judgeFirstDelivery(place, comparison, frame, thread)
            }
        }
        if subscription.pointee.isTerminal {
            refreshBegan(subscription, comparison, step, sequence, emission, endsNext: endsNext)
        } else if subscription.pointee.startsRequests {
            judgeRequest(place, frame, sequence, thread)
        } else if subscription.pointee.isAgain, !frame.pointee.isInitial {
            _ = repeatedSubscription.judge(place, EventID(thread.pointee.number, sequence), tables)
        }
        subscription.pointee.value = frame.pointee.value
        subscription.pointee.hasValue = true
    }

    @inline(never)
    private mutating func beginUnmentioned(
        _ place: Int32, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) { begin(place, EventID(thread.pointee.number, sequence)) }

    /// Notes that a source's run ends with the delivery of a completion or failure.
    @inline(never)
    private mutating func endRun(_ place: Int32) { resubscribedSource.ended(place, order, tables) }

    /// Judges a value that starts a request.
    @inline(never)
    private mutating func judgeRequest(
        _ place: Int32, _ frame: UnsafeMutablePointer<FlowFrame>, _ sequence: UInt64,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        if !applies(.repeatedRequest) || thread.pointee.followsEvent(frame, tables) { return }
        let id = EventID(thread.pointee.number, sequence)
        if repeatedRequest.judge(place, frame.pointee.value, id, tables, &unjudged) {
            let target = tables.subscriptions[Int(place)].target
            repeatedRequest.table.note(cause: origin(of: frame, thread), target, tables)
        }
    }

    /// Notes a delivery outside of all known emissions.
    @inline(never)
    private mutating func heard(_ place: Int32, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) {
        if place >= 0, tables.subscriptions[Int(place)].life == .unmentioned {
            beginUnmentioned(place, sequence, thread)
        }
    }

    @inline(__always)
    mutating func deliveriesEnded(
        _ ticks: UInt64, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        guard let frame = leaveDelivery(thread) else { return close(.emission, thread) }
        if frame.pointee.isRefreshing { refreshEnded(frame, ticks, thread) }
        thread.pointee.stack.closeInnermost()
        guard frame.pointee.node >= 0 else { return }
        if frame.pointee.isStimulus { thread.pointee.endStimulus(sequence) }
        let node = tables.nodes + Int(frame.pointee.node)
        node.pointee.openFrames &-= 1
        (node.pointee.span.thread, node.pointee.span.first) = (thread.pointee.number, frame.pointee.sequence)
        node.pointee.span.last = sequence
        thread.pointee.lastEnded = frame.pointee.node
    }

    /// Judges what the first delivery of an emission shows: a cold node's run, and whether the value is new.
    @inline(__always)
    private mutating func judgeFirstDelivery(
        _ place: Int32, _ comparison: ValueKey.Comparison, _ frame: UnsafeMutablePointer<FlowFrame>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let traits = tables.nodes[Int(frame.pointee.node)].traits
        if !traits.contains(.hot) { judgeRun(place, frame, thread) }
        if comparison != .different, !traits.contains(.emitter), tables.subscriptions[Int(place)].hasValue {
            judgeUnchanged(comparison, frame, thread)
        }
    }

    /// Judges the first delivery of a value that is not known to differ from the one before it.
    @inline(never)
    private mutating func judgeUnchanged(
        _ comparison: ValueKey.Comparison, _ frame: UnsafeMutablePointer<FlowFrame>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        if frame.pointee.value.isVoid { return }
        let node = frame.pointee.node
        let isJudged = frame.pointee.isEvaluation && tables.nodes[Int(node)].traits.contains(.compares)
        switch comparison {
        case .different: break
        case .unknown(let reason):
            if isJudged, applies(.noopEvaluation) {
                unjudged.count(.noopEvaluation, tables.nodes[Int(node)].id, reason)
            }
        case .equal:
            frame.pointee.isUnchanged = true
            guard isJudged else { break }
            let outer = Int(thread.pointee.stack.places(below: frame - thread.pointee.frames).emission)
            let via = outer >= 0 ? thread.pointee.frames[outer].subscription : -1
            countNoop(
                node, EventID(thread.pointee.number, frame.pointee.sequence), counterpart: nil, via: via,
                isAgain: frame.pointee.isEvaluationAgain, origin: origin(of: frame, thread))
        }
    }

    /// Judges an emission of a cold node, which belongs to the run that its first delivery goes to.
    @inline(never)
    private mutating func judgeRun(
        _ place: Int32, _ frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let node = frame.pointee.node
        let id = EventID(thread.pointee.number, frame.pointee.sequence)
        let run = tables.runs + Int(place)
        let top = thread.pointee.stack.count - 1
        let mark = EmissionMark(
            id, frame.pointee.order, frame.pointee.turn, screen, around: thread.pointee.valueEmission(below: top))
        if run.pointee.turn == mark.turn, applies(.glitch) {
            let found = glitch.judge(run.pointee, mark, of: node, thread, tables, below: top)
            if let found { (frame.pointee.glitch, frame.pointee.superseded) = (found, run.pointee.order) }
        }
        run.pointee = mark
        if tables.nodes[Int(node)].openFrames > 1, applies(.feedback) {
            let turn = frame.pointee.turn
            if feedback.judge(node, id, turn: turn, run: place, thread, tables, below: top) {
                frame.pointee.loop = node
            }
        }
        if tables.nodes[Int(node)].traits.contains(.source) { resubscribedSource.gave(place, frame, thread, tables) }
    }

    /// The node that first emitted an unchanged value, from which an emission follows.
    func origin(
        of frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Int32 {
        thread.pointee.unchangedOrigin(frame.pointee.node, below: frame - thread.pointee.frames)
    }
}
