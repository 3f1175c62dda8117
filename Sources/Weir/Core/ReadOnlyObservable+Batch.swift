import CWeirCore
import WeirRecording

// A batch keeps its value apart from the stored one until the batch is over. Reading the observable returns the batch's value,
// but it is not delivered, and no combiner computes from it.
extension ReadOnlyObservable: BatchedObservable {
    /// The value for a subscriber that subscribes now, inside or outside of the batch; called inside the gate.
    final func handOut() -> Value {
        guard let batched, batchThread == UInt(bitPattern: weir_thread_current()) else { return storage }
        batchedIsKnown = true
        return batched.pointee
    }

    /// The same, outside of the gate.
    final var handedOut: Value {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return handOut()
    }

    /// In a batch: keeps a value for the end of the batch; called inside the gate, which it leaves.
    @usableFromInline @inline(never)
    final func hold(_ new: Value, _ biased: Bool) {
        weir_store_u32(&batchedWrites, weir_load_u32(&batchedWrites) &+ 1)
        let isFirst = batched == nil
        var old: Value?
        if let batched {
            var former = new
            swap(&batched.pointee, &former)
            old = former
        } else {
            let batched = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            batched.initialize(to: new)
            self.batched = batched
            isSpecial = true
        }
        let me = UInt(bitPattern: weir_thread_current())
        let isMine = !isFirst && batchThread == me
        batchThread = me
        weir_gate_leave(&gate, biased)
        if weir_recording() != 0 { recordSuppressed(.batched) }
        if !isMine { Settling.ofThisThread { $0.hasWritten(self) } }
        withExtendedLifetime(old) {}
    }

    /// Same as `replace` while a batch that has written is open; a write outside of batches outdates the value of the batch.
    @usableFromInline @inline(never)
    final func replaceBatched(by new: Value, _ biased: Bool) {
        if weir_turn_is(weir_turn_batch) { return hold(new, biased) }
        let former = takeBatched()
        replace(by: new, biased)
        withExtendedLifetime(former) {}
    }

    /// Called inside the gate; release the result outside of it.
    private func takeBatched() -> Value? {
        guard let batched else { return nil }
        self.batched = nil
        batchedIsKnown = false
        isSpecial = tracked != nil
        defer { batched.deallocate() }
        return batched.move()
    }

    final func storeBatched() -> BatchedWrite? {
        while true {
            var biased = weir_gate_enter(&gate)
            guard let batched, batchThread == UInt(bitPattern: weir_thread_current()) else {
                weir_gate_leave(&gate, biased)
                return nil
            }
            let (held, new, known, isKnown) = (storage, batched.pointee, stamp, batchedIsKnown)
            weir_gate_leave(&gate, biased)
            let isRestored = !isKnown && isEqual(held, new)
            biased = weir_gate_enter(&gate)
            guard stamp == known, batchedIsKnown == isKnown else {
                weir_gate_leave(&gate, biased)
                continue
            }
            let former = takeBatched()
            if isRestored {
                weir_gate_leave(&gate, biased)
                return withExtendedLifetime(former) { .restored }
            }
            let old = exchange(new)
            let version = version &+ 1
            weir_store_u32(&self.version, version)
            let lastKey = lastKey
            weir_gate_leave(&gate, biased)
            return withExtendedLifetime((old, former)) { .stored(version, lastKey: lastKey) }
        }
    }

    final func deliverBatched(_ write: BatchedWrite) {
        guard case .stored(let version, let lastKey) = write else {
            if weir_recording() != 0 { recordSuppressed(.equal) }
            return
        }
        let biased = weir_gate_enter(&gate)
        if self.version != version {
            // A later write by a handler or by another thread has been or will be delivered.
            weir_gate_leave(&gate, biased)
        } else if isDeliveredElsewhere(biased) {
            leaveWrite(version, lastKey: lastKey, biased)
        } else {
            deliverInTurn(storage, count(upTo: lastKey), version, biased)
        }
    }
}

/// An observable that a batch has written.
protocol BatchedObservable: AnyObject {
    /// Stores the value of the batch that is over; nil: there is none, because another thread has written since.
    func storeBatched() -> BatchedWrite?
    /// Delivers the stored value.
    func deliverBatched(_ write: BatchedWrite)
}

/// The outcome of the end of a batch, for one observable that it wrote.
enum BatchedWrite {
    /// The value was stored under that version, and goes to the subscribers that had subscribed by then.
    case stored(UInt32, lastKey: UInt64)
    /// The value equals the one before the batch.
    case restored
}
