@_spi(Records) import WeirTrace

/// Applies each record to the figures.
extension StateCount {
    @inline(__always)
    private func place(of id: UInt32) -> Int? {
        guard Int(id) < placeOfNode.count else { return nil }
        let place = placeOfNode[Int(id)]
        return place < 0 ? nil : Int(place)
    }

    @inline(__always)
    func mention(_ id: UInt32, _ change: (inout Node) -> Void) {
        guard let place = place(of: id) else { return }
        nodes[place].isMentioned = true
        change(&nodes[place])
    }

    @inline(__always)
    mutating func countEmission(_ cursor: RecordCursor, _ header: ChunkHeader) {
        if cursor.delivers { open(.emission, cursor) }
        guard let place = place(of: cursor.subject) else { return }
        let node = nodes.baseAddress! + place
        let (ticks, thread) = (cursor.ticks, header.thread)
        node.pointee.isMentioned = true
        if node.pointee.valueThread == thread || ticks > node.pointee.valueTicks || node.pointee.valueThread == 0 {
            // A second value of this thread at the same tick does not settle a tie with another thread.
            if ticks > node.pointee.valueTicks { node.pointee.hasValueTie = false }
            node.pointee.valueTicks = ticks
            node.pointee.valueThread = thread
            node.pointee.valueChunk = UInt32(truncatingIfNeeded: header.index)
            let body = cursor.bodyBounds
            node.pointee.valueStart = UInt32(truncatingIfNeeded: body.lowerBound)
            node.pointee.valueEnd = UInt32(truncatingIfNeeded: body.upperBound)
        } else if ticks == node.pointee.valueTicks {
            node.pointee.hasValueTie = true
        }
        if cursor.isReplayed { return }
        node.pointee.emissions &+= 1
        let isLater = node.pointee.changeThread == thread || ticks > node.pointee.changeTicks
        if isLater || node.pointee.changeThread == 0 {
            if ticks > node.pointee.changeTicks { node.pointee.hasChangeTie = false }
            node.pointee.changeTicks = ticks
            node.pointee.changeSequence = cursor.sequence
            node.pointee.changeThread = thread
        } else if ticks == node.pointee.changeTicks {
            node.pointee.hasChangeTie = true
        }
    }

    @inline(__always)
    mutating func countSuppression(_ cursor: RecordCursor, _ thread: UInt32) {
        mention(cursor.subject) { $0.suppressions &+= 1 }
        guard let place = place(of: cursor.subject) else { return }
        if cursor.reason == SuppressionReason.echoed.rawValue {
            countEcho(place, cursor, thread)
        } else if cursor.reason == SuppressionReason.equal.rawValue, storesEqualValues[place] {
            noteSilentWrite(place, cursor, thread)
        }
    }

    private func noteSilentWrite(_ place: Int, _ cursor: RecordCursor, _ thread: UInt32) {
        let node = nodes.baseAddress! + place
        guard node.pointee.silentThread == thread || cursor.ticks > node.pointee.silentTicks else { return }
        node.pointee.silentTicks = cursor.ticks
        node.pointee.silentSequence = cursor.sequence
        node.pointee.silentThread = thread
    }

    /// The view's side of a channel has the value that the observable is delivering.
    private mutating func countEcho(_ place: Int, _ cursor: RecordCursor, _ thread: UInt32) {
        let emission = Int(frames.places.emission)
        guard emission >= 0, let observable = observables[place] else {
            isSound = false
            return
        }
        let source = nodes[observable]
        guard source.changeThread == thread, source.changeSequence == frames[emission].sequence,
            source.valueThread == thread, source.valueTicks == source.changeTicks, !source.hasValueTie
        else {
            isSound = false
            return
        }
        noteSilentWrite(place, cursor, thread)
        let node = nodes.baseAddress! + place
        guard node.pointee.valueThread == thread || cursor.ticks > node.pointee.valueTicks else {
            if cursor.ticks == node.pointee.valueTicks { node.pointee.hasValueTie = true }
            return
        }
        if cursor.ticks > node.pointee.valueTicks { node.pointee.hasValueTie = false }
        node.pointee.valueTicks = cursor.ticks
        node.pointee.valueThread = thread
        node.pointee.valueChunk = source.valueChunk
        node.pointee.valueStart = source.valueStart
        node.pointee.valueEnd = source.valueEnd
    }

    @inline(__always)
    mutating func countDelivery(_ cursor: RecordCursor, _ thread: UInt32) {
        let emission = frames.leaveDelivery()
        let isOfEnd = emission >= 0 && frames[emission].isEnding
        let id = cursor.subject
        if id == 0 { return }
        guard Int(id) < placeOfSubscription.count, placeOfSubscription[Int(id)] >= 0 else {
            if !isOfEnd { unattributedDeliveries &+= 1 }
            return
        }
        let subscription = subscriptions.baseAddress! + Int(placeOfSubscription[Int(id)])
        if subscription.pointee.firstTicks > cursor.ticks { note(subscription, cursor.ticks, thread) }
        if Meaning.isRefresh(isTerminal: subscription.pointee.isTerminal, isEnding: isOfEnd) {
            nodes[Int(subscription.pointee.source)].refreshes &+= 1
        }
    }

    private func subscription(_ id: UInt32) -> UnsafeMutablePointer<Subscription>? {
        guard Int(id) < placeOfSubscription.count, placeOfSubscription[Int(id)] >= 0 else { return nil }
        return subscriptions.baseAddress! + Int(placeOfSubscription[Int(id)])
    }

    func mention(subscription id: UInt32, _ ticks: UInt64, _ thread: UInt32) {
        guard let subscription = subscription(id), subscription.pointee.firstTicks > ticks else { return }
        note(subscription, ticks, thread)
    }

    /// Notes a mention of a subscription; after its end, a mention is no beginning.
    private func note(_ subscription: UnsafeMutablePointer<Subscription>, _ ticks: UInt64, _ thread: UInt32) {
        if subscription.pointee.endThread == thread, subscription.pointee.endTicks <= ticks { return }
        subscription.pointee.firstTicks = ticks
        subscription.pointee.firstThread = thread
    }

    func end(subscription id: UInt32, _ ticks: UInt64, _ thread: UInt32) {
        guard let subscription = subscription(id), ticks < subscription.pointee.endTicks else { return }
        subscription.pointee.endTicks = ticks
        subscription.pointee.endThread = thread
    }

    func release(_ id: UInt32) {
        guard let place = place(of: id) else { return }
        nodes[place].isReleased = true
    }

    mutating func countRare(_ cursor: RecordCursor, _ thread: inout Thread) {
        switch cursor.kind {
        case .context:
            guard let open = cursor.openFrames, open.deeper == 0, cursor.isFirst else {
                isSound = false
                return
            }
            frames.restore(open)
            if frames.isTooDeep { isSound = false }
        case .eventsLost: isSound = false
        case .stimulusBegan:
            guard let text = cursor.text else {
                isSound = false
                return
            }
            thread.stimuli &+= 1
            // These have certainly ended; the end of the chunk shows which others have.
            thread.open.settle(to: frames.depth)
            let stimulus = Stimulus(
                sequence: cursor.sequence, ticks: cursor.ticks, text: text, depth: frames.depth, number: thread.stimuli)
            thread.open.open(.stimulusBegan, stimulus.sequence, at: stimulus.depth, stimulus)
            thread.last = stimulus
            open(.stimulus, cursor)
        case .stimulusEnded: frames.close(.stimulus)
        case .hopBegan:
            if !cursor.isSoundHop { isSound = false }
            open(.hop, cursor)
        case .hopEnded: frames.close(.hop)
        case .batchBegan: open(.batch, cursor)
        case .batchEnded: frames.close(.batch)
        case .checkpoint: if cursor.text == nil { isSound = false }
        default: break
        }
    }

    /// The figures cannot be used if more frames are open than are kept.
    @inline(__always)
    mutating func open(_ opener: FrameStack.Opener, _ cursor: RecordCursor, isEnding: Bool = false) {
        if !frames.open(opener, sequence: cursor.sequence, isEnding: isEnding) { isSound = false }
    }

    @inline(__always)
    mutating func endDeliveries() {
        frames.leaveDelivery()
        frames.close(.emission)
    }
}
