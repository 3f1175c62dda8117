import CWeir

/// Records that carry their length; none of them is on a hot path.
extension ThreadLog {
    /// Begins a stimulus and opens its frame. False: it could not be recorded, and must not be ended.
    package func stimulusBegan(_ name: String) -> Bool {
        guard write(.stimulusBegan, stamped: true, text: name) else { return false }
        pushFrame(node: 0, subscription: 0)
        return true
    }

    package func stimulusEnded(_ session: UInt32) {
        _ = write(.stimulusEnded, stamped: true)
        if self.session == session { popFrame() }
    }

    package func frame() { _ = write(.frame, stamped: true) }

    package func checkpoint(_ name: String) { _ = write(.checkpoint, stamped: true, text: name) }

    package func object(_ kind: EventKind, _ code: UInt32) {
        _ = write(kind, stamped: depth == 0, number: UInt64(TraceCode.decode(code)))
    }

    func eventsLost(_ count: UInt64) { _ = write(.eventsLost, stamped: false, number: count) }

    /// The frames that are open as a chunk begins; takes no sequence number.
    func context() {
        let kept = min(depth, UInt32(weir_frame_capacity))
        var payload: [UInt8] = []
        Varint.append(UInt64(kept), to: &payload)
        for index in 0..<Int(kept) {
            guard let frame = thread.pointee.frames?[index] else { return }
            payload.append(frame.node == 0 ? 2 : 1)
            Varint.append(frame.sequence, to: &payload)
            Varint.append(UInt64(TraceCode.decode(frame.node)), to: &payload)
            Varint.append(UInt64(TraceCode.decode(frame.subscription)), to: &payload)
        }
        if depth > kept { Varint.append(UInt64(depth - kept), to: &payload) }
        put(.context, flags: 0, payload)
    }

    private func write(_ kind: EventKind, stamped: Bool, text: String? = nil, number: UInt64? = nil) -> Bool {
        let text = text.map { Array($0.utf8.prefix(DefinitionChunk.longestString)) }
        let room = ThreadKeeper.compactRoom + (text?.count ?? 0)
        guard weir_recording() == generation || isReady(weir_recording()), makeReady(room: room) else { return false }
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
        if let number { Varint.append(number, to: &payload) }
        if let text {
            Varint.append(UInt64(text.count), to: &payload)
            payload += text
        }
        put(kind, flags: stamped ? TraceFormat.EventFlag.stamped : 0, payload)
        return true
    }

    private func put(_ kind: EventKind, flags: UInt8, _ payload: [UInt8]) {
        var end = cursor
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
