import WeirTrace

/// Maintains the open frames of a thread.
extension RedundancyFlow {
    /// Opens the frame of a stimulus, hop or batch.
    func open(_ opener: FlowFrame.Opener, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) {
        let around = thread.pointee.top?.pointee.turn ?? 0
        let isInitial = thread.pointee.top?.pointee.isInitial ?? false
        guard let frame = thread.pointee.open(opener) else { return }
        frame.pointee.sequence = sequence
        frame.pointee.order = order
        frame.pointee.turn = around != 0 || opener == .stimulus ? around : order
        frame.pointee.isInitial = isInitial
    }

    /// Closes the frame of a stimulus, hop or batch, and all frames left open in it.
    mutating func close(_ opener: FlowFrame.Opener, _ thread: UnsafeMutablePointer<FlowThread>) {
        if thread.pointee.closeUncounted() { return }
        let place = thread.pointee.place(of: opener)
        if place >= 0 { close(thread, from: place) }
    }

    /// Closes the frames from an index on; open refreshes in them have no recorded end.
    @inline(__always)
    mutating func close(_ thread: UnsafeMutablePointer<FlowThread>, from place: Int) {
        var last = thread.pointee.count - 1
        while last >= place {
            let frame = thread.pointee.frames + last
            if frame.pointee.isRefreshing { refreshLost(frame) }
            if frame.pointee.node >= 0 { tables.nodes[Int(frame.pointee.node)].openFrames &-= 1 }
            last -= 1
        }
        thread.pointee.truncate(to: place)
        if place == 0 { thread.pointee.forgetUncounted() }
    }

    /// Opens the frames that a `context` record lists; frames that are open already stay, because more is known of them.
    mutating func restore(_ open: ContextFrames, _ thread: UnsafeMutablePointer<FlowThread>) {
        var known = 0
        while known < min(open.frames.count, thread.pointee.count),
            thread.pointee.frames[known].sequence == open.frames[known].sequence,
            thread.pointee.frames[known].opener.rawValue == open.frames[known].opener
        { known += 1 }
        close(thread, from: known)
        thread.pointee.forgetUncounted()
        for said in open.frames[known...] {
            order &+= 1
            let place = thread.pointee.count
            self.open(.init(rawValue: said.opener) ?? .unknown, said.sequence, thread)
            guard said.opener == FlowFrame.Opener.emission.rawValue, thread.pointee.count > place else { continue }
            let frame = thread.pointee.frames + place
            frame.pointee.node = tables.place(ofNode: said.node)
            frame.pointee.hasDelivered = true
            frame.pointee.subscription =
                said.subscription == 0 ? FlowFrame.settling : tables.place(ofSubscription: said.subscription)
            frame.pointee.deliveryOrder = order
            if frame.pointee.node >= 0 { tables.nodes[Int(frame.pointee.node)].openFrames &+= 1 }
        }
        if open.deeper > 0 { thread.pointee.openUnknown(open.deeper) }
    }
}
