@_spi(Records) import WeirTrace

/// Maintains the open frames of a thread.
extension RedundancyFlow {
    /// Opens the frame of a stimulus, hop or batch, or one that a `context` record lists.
    func open(
        _ opener: FrameStack.Opener, _ sequence: UInt64, node: Int32 = -1, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let around = thread.pointee.top?.pointee.turn ?? 0
        let isInitial = thread.pointee.top?.pointee.isInitial ?? false
        guard let frame = thread.pointee.open(opener, sequence, node: node) else { return }
        frame.pointee.order = order
        frame.pointee.turn = Meaning.turn(around: around, own: order, isStimulus: opener == .stimulus)
        frame.pointee.isInitial = isInitial
        if opener == .stimulus { frame.pointee.stimulus = order }
    }

    /// Closes the frame of a stimulus, hop or batch, and all frames left open in it.
    @inline(never)
    mutating func close(_ opener: FrameStack.Opener, _ thread: UnsafeMutablePointer<FlowThread>) {
        let open = thread.pointee.stack.count
        thread.pointee.stack.close(opener)
        closed(to: open, thread)
    }

    /// Closes all frames.
    @inline(never)
    mutating func closeAll(_ thread: UnsafeMutablePointer<FlowThread>) {
        let open = thread.pointee.stack.count
        thread.pointee.stack.removeAll()
        closed(to: open, thread)
    }

    /// Closes the frames left open in a delivery of the innermost emission, and returns that; nil if there is none.
    @inline(__always)
    mutating func leaveDelivery(_ thread: UnsafeMutablePointer<FlowThread>) -> UnsafeMutablePointer<FlowFrame>? {
        let innermost = thread.pointee.stack.count &- 1
        // Usually nothing has been left open in the delivery.
        if _fastPath(innermost >= 0), !thread.pointee.stack.isTooDeep,
            Int(thread.pointee.stack.places.emission) == innermost
        {
            return thread.pointee.frames + innermost
        }
        return leaveOpenDelivery(thread)
    }

    @inline(never)
    private mutating func leaveOpenDelivery(
        _ thread: UnsafeMutablePointer<FlowThread>
    ) -> UnsafeMutablePointer<FlowFrame>? {
        let open = thread.pointee.stack.count
        let place = thread.pointee.stack.leaveDelivery()
        closed(to: open, thread)
        return place < 0 ? nil : thread.pointee.frames + place
    }

    /// Takes leave of the frames that have just been closed, up to the index `open`; open refreshes in them have no recorded end.
    mutating func closed(to open: Int, _ thread: UnsafeMutablePointer<FlowThread>) {
        var last = open - 1
        while last >= thread.pointee.stack.count {
            let frame = thread.pointee.frames + last
            if frame.pointee.isRefreshing { refreshLost(frame) }
            if frame.pointee.node >= 0 { tables.nodes[Int(frame.pointee.node)].openFrames &-= 1 }
            last -= 1
        }
    }

    /// Opens the frames that a `context` record lists; frames that are open already stay, because more is known of them.
    mutating func restore(_ listed: ContextFrames, _ thread: UnsafeMutablePointer<FlowThread>) {
        let open = thread.pointee.stack.count
        let known = thread.pointee.stack.closeUnlisted(listed)
        closed(to: open, thread)
        for said in listed.frames[known...] {
            order &+= 1
            let place = thread.pointee.stack.count
            let node = said.opener == .emission ? tables.place(ofNode: said.node) : -1
            self.open(said.opener, said.sequence, node: node, thread)
            guard said.opener == .emission, thread.pointee.stack.count > place else { continue }
            let frame = thread.pointee.frames + place
            frame.pointee.hasDelivered = true
            frame.pointee.subscription =
                said.subscription == 0 ? FlowFrame.settling : tables.place(ofSubscription: said.subscription)
            frame.pointee.deliveryOrder = order
            if node >= 0 { tables.nodes[Int(node)].openFrames &+= 1 }
        }
        thread.pointee.stack.noteDeeper(listed)
    }
}
