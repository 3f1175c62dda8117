import CWeir

/// Emissions of values that are not written inline.
extension ThreadLog {
    /// Not generic: code that is not specialised would ask the runtime for each type that it mentions.
    @usableFromInline @inline(never)
    func emittedOutOfLine(
        _ node: UInt32, _ value: UnsafeRawPointer, of type: Any.Type, flags: UInt8, to subscription: UInt32,
        isTerminal: Bool
    ) -> Bool {
        guard !weir_has_interrupted_recorder() else {
            weir_count_interrupting(1)
            return false
        }
        let keeper = ThreadKeeper.unmanagedOfCallingThread()
        let encoder = keeper._withUnsafeGuaranteedRef { $0.encoder(of: type) }
        if let plan = encoder?._withUnsafeGuaranteedRef({ $0.plan }), plan.isFor(value) {
            return emitted(node, value, plan, keeper, flags: flags, to: subscription, isTerminal: isTerminal)
        }
        return emittedEncoded(
            node, value, of: type, encoder, keeper, flags: flags, to: subscription, isTerminal: isTerminal)
    }

    /// The same for a structure, whose text is written straight into the record.
    @inline(__always)
    private func emitted(
        _ node: UInt32, _ value: UnsafeRawPointer, _ plan: StructurePlan, _ keeper: Unmanaged<ThreadKeeper>,
        flags: UInt8, to subscription: UInt32, isTerminal: Bool
    ) -> Bool {
        let session = session
        // Foreign code, which may record, stop or start anything.
        let hash = plan.hasher.map { $0._withUnsafeGuaranteedRef { $0.hash(value) } }
        let room = plan.fields._withUnsafeGuaranteedRef { $0.room }
        guard hasRoom(for: room) || makeReady(room: room + ThreadKeeper.compactRoom), self.session == session else {
            return false
        }
        let isRoot = depth == 0
        var end = beginEmission(node, flags: flags, isRoot: isRoot)
        end = plan.fields._withUnsafeGuaranteedRef { fields in
            keeper._withUnsafeGuaranteedRef { fields.record(value, hash: hash, at: end, $0) }
        }
        if subscription != 0 { deliver(to: subscription, of: node, isTimed: isTerminal && !isRoot, &end) }
        commit(end)
        return true
    }

    @inline(never)
    private func emittedEncoded(
        _ node: UInt32, _ value: UnsafeRawPointer, of type: Any.Type, _ encoder: Unmanaged<ValueEncoder>?,
        _ keeper: Unmanaged<ThreadKeeper>, flags: UInt8, to subscription: UInt32, isTerminal: Bool
    ) -> Bool {
        let session = session
        return withUnsafeTemporaryAllocation(byteCount: EncodedValue.memory, alignment: 8) { room in
            var encoded = EncodedValue(in: room)
            keeper._withUnsafeGuaranteedRef { $0.encode(value, of: type, known: encoder, to: &encoded) }
            // Describing a value runs foreign code, which may have recorded, stopped or started anything.
            let isReady =
                encoded.isLong
                ? makeReady(room: encoded.count + ThreadKeeper.compactRoom) : isReady(weir_recording())
            guard isReady, self.session == session else { return false }
            let isRoot = depth == 0
            var end = beginEmission(node, flags: flags, isRoot: isRoot)
            encoded.copy(to: &end)
            if subscription != 0 { deliver(to: subscription, of: node, isTimed: isTerminal && !isRoot, &end) }
            commit(end)
            return true
        }
    }

    /// Begins an emission up to its value.
    @inline(__always)
    private func beginEmission(_ node: UInt32, flags: UInt8, isRoot: Bool) -> UnsafeMutableRawPointer {
        var end = begin()
        thread.pointee.sequence &+= 1
        head(.emitted, node, flags: flags, stamped: isRoot, &end)
        return end
    }

    /// Whether a record of so many bytes beside its other parts can be written now.
    private func hasRoom(for count: Int) -> Bool {
        weir_record_fits(thread, weir_recording())
            && Int(bitPattern: thread.pointee.limit) &- Int(bitPattern: thread.pointee.cursor) >= count
    }
}
