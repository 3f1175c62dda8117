import CWeir

/// Records that carry their length; none of them is on a hot path.
extension ThreadLog {
    /// The position of a record: events that it causes on another thread, or later, name it.
    package struct Place: Sendable, Equatable {
        /// The recording that it belongs to.
        package let session: UInt32
        let thread: UInt32
        let sequence: UInt64
        /// The id of the subscription that was being delivered to; 0: none.
        let subscription: UInt32

        /// Whether both name the same record.
        package static func == (left: Place, right: Place) -> Bool {
            (left.session, left.thread, left.sequence) == (right.session, right.thread, right.sequence)
        }

        /// The same as plain numbers.
        package var words: (UInt64, UInt64, UInt64) {
            (UInt64(session) << 32 | UInt64(thread), sequence, UInt64(subscription))
        }

        /// Nil: the numbers are no place.
        package init?(words: (UInt64, UInt64, UInt64)) {
            guard words.0 >> 32 != 0 else { return nil }
            self.init(
                session: UInt32(words.0 >> 32), thread: UInt32(truncatingIfNeeded: words.0), sequence: words.1,
                subscription: UInt32(truncatingIfNeeded: words.2))
        }

        fileprivate init(session: UInt32, thread: UInt32, sequence: UInt64, subscription: UInt32) {
            (self.session, self.thread, self.sequence) = (session, thread, sequence)
            self.subscription = subscription
        }
    }

    /// Whether a frame of the current recording is open on this thread.
    package var isInFrame: Bool { generation != 0 && generation == weir_recording() && depth > 0 }

    /// The emission or stimulus that is open on this thread; nil: none, or nothing is being recorded.
    package var openPlace: Place? {
        guard generation != 0, depth > 0, session != 0 else { return nil }
        let innermost = min(depth, UInt32(weir_frame_capacity)) - 1
        guard let frame = thread.pointee.frames?[Int(innermost)] else { return nil }
        return place(frame.sequence, deliveringTo: subscription(upTo: Int(innermost)))
    }

    private func place(_ sequence: UInt64, deliveringTo subscription: UInt32) -> Place {
        Place(
            session: session, thread: ThreadKeeper.ofCallingThread().number, sequence: sequence,
            subscription: subscription)
    }

    /// The id of the subscription of the innermost emission or hop up to a frame; 0: none.
    private func subscription(upTo place: Int) -> UInt32 {
        guard let frames = thread.pointee.frames else { return 0 }
        for index in stride(from: place, through: 0, by: -1) {
            if frames[index].node != 0 { return TraceCode.decode(frames[index].subscription) }
            if Opener(of: frames[index]) == .hop { return Opener.subscription(of: frames[index]) }
        }
        return 0
    }

    /// The innermost emission or hop that is open on this thread; nil: none, or nothing is being recorded.
    package var openEmission: Place? {
        guard generation != 0, session != 0, let frames = thread.pointee.frames else { return nil }
        for index in stride(from: Int(min(depth, UInt32(weir_frame_capacity))) - 1, through: 0, by: -1)
        where frames[index].node != 0 || Opener(of: frames[index]) == .hop {
            return place(frames[index].sequence, deliveringTo: subscription(upTo: index))
        }
        return nil
    }

    /// The last record of this thread; nil: nothing is being recorded.
    package var lastPlace: Place? {
        guard generation != 0, session != 0 else { return nil }
        return place(thread.pointee.sequence, deliveringTo: 0)
    }

    /// What `subscription` is to hear waits for the actor of its handler.
    package func hopScheduled(_ subscription: UInt32, toMain: Bool) {
        _ = write(
            .hopScheduled, stamped: depth == 0, [UInt64(TraceCode.decode(subscription)), toMain ? 1 : 0])
    }

    /// What opened a frame that is no emission's; stands where an emission's frame has its subscription, together with the id
    /// of the subscription whose delivery scheduled a hop.
    enum Opener: UInt32 {
        case stimulus = 0
        case hop = 1
        case batch = 2

        init?(of frame: weir_frame) { self.init(rawValue: frame.subscription & 3) }

        static func subscription(of frame: weir_frame) -> UInt32 { frame.subscription >> 2 }

        /// An id has 28 bits.
        func with(_ subscription: UInt32) -> UInt32 { rawValue | subscription << 2 }
    }

    package func frame() { _ = write(.frame, stamped: true) }

    package func checkpoint(_ name: String) { _ = write(.checkpoint, stamped: true, text: name) }

    package func object(_ kind: EventKind, _ code: UInt32) {
        _ = write(kind, stamped: depth == 0, [UInt64(TraceCode.decode(code))])
    }

    /// The parts of the snapshot stand among the definitions, or will; false: it could not be recorded.
    func snapshotTaken(_ number: UInt32, parts: Int, bytes: Int, pause: UInt64) -> Bool {
        let numbers = [UInt64(number), UInt64(parts), UInt64(bytes), pause]
        guard weir_recording() == 0 else { return write(.snapshotTaken, stamped: depth == 0, numbers) }
        // The last event of a recording that is being stopped.
        guard weir_has_room(thread) else { return false }
        put(.snapshotTaken, stamped: depth == 0, numbers)
        return true
    }

    /// The first event of a chunk, which has room for it.
    func eventsLost(_ count: UInt64) {
        let end = begin()
        thread.pointee.sequence &+= 1
        var payload: [UInt8] = []
        Varint.append(count, to: &payload)
        put(.eventsLost, flags: 0, payload, at: end)
    }

    /// The frames that are open as a chunk begins; takes no sequence number.
    func context() {
        let kept = min(depth, UInt32(weir_frame_capacity))
        var payload: [UInt8] = []
        Varint.append(UInt64(kept), to: &payload)
        for index in 0..<Int(kept) {
            guard let frame = thread.pointee.frames?[index] else { return }
            let isEmission = frame.node != 0
            payload.append(isEmission ? 1 : 2 + UInt8(frame.subscription & 3))
            Varint.append(frame.sequence, to: &payload)
            Varint.append(UInt64(TraceCode.decode(frame.node)), to: &payload)
            let subscription =
                isEmission ? TraceCode.decode(frame.subscription) : Opener.subscription(of: frame)
            Varint.append(UInt64(subscription), to: &payload)
        }
        if depth > kept { Varint.append(UInt64(depth - kept), to: &payload) }
        put(.context, flags: 0, payload, at: begin())
    }

    func write(
        _ kind: EventKind, stamped: Bool, _ numbers: [UInt64] = [], text: String? = nil, opener: Opener? = nil,
        subscription: UInt32 = 0
    ) -> Bool {
        let text = text.map { Array($0.utf8.prefix(DefinitionChunk.longestString)) }
        let room = ThreadKeeper.compactRoom + (text?.count ?? 0)
        guard weir_recording() == generation || isReady(weir_recording()), makeReady(room: room) else { return false }
        put(kind, stamped: stamped, numbers, text: text, opener: opener, subscription: subscription)
        return true
    }

    private func put(
        _ kind: EventKind, stamped: Bool, _ numbers: [UInt64], text: [UInt8]? = nil, opener: Opener? = nil,
        subscription: UInt32 = 0
    ) {
        let end = begin()
        thread.pointee.sequence &+= 1
        var payload: [UInt8] = []
        if stamped {
            withUnsafeTemporaryAllocation(byteCount: Varint.longest, alignment: 1) { buffer in
                guard let base = buffer.baseAddress else { return }
                var end = base
                stamp(&end)
                payload.append(contentsOf: UnsafeRawBufferPointer(start: base, count: end - base))
            }
        }
        for number in numbers { Varint.append(number, to: &payload) }
        if let text {
            Varint.append(UInt64(text.count), to: &payload)
            payload += text
        }
        if let opener { pushFrame(node: 0, subscription: opener.with(subscription)) }
        put(kind, flags: stamped ? TraceFormat.EventFlag.stamped : 0, payload, at: end)
    }

    private func put(_ kind: EventKind, flags: UInt8, _ payload: [UInt8], at place: UnsafeMutableRawPointer) {
        var end = place
        end.storeBytes(of: kind.rawValue | flags, as: UInt8.self)
        end += 1
        Varint.write(UInt64(payload.count), &end)
        payload.withUnsafeBytes {
            if let base = $0.baseAddress { end.copyMemory(from: base, byteCount: $0.count) }
        }
        end += payload.count
        commit(end)
    }
}
