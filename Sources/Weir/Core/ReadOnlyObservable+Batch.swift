import CWeirCore
import WeirRecording

// A batch keeps its value apart from the stored one until the batch is over. Reading the observable returns the batch's value,
// but it is not delivered, and no combiner computes from it.
extension ReadOnlyObservable: BatchedObservable {
    /// The value for a subscriber that subscribes now, inside or outside of the batch; called inside the gate.
    final func handOut() -> Value {
        guard let batched = batchedHere else { return storage }
        batched.pointee.isKnown = true
        return batched.pointee.value
    }

    /// The value of a batch of this thread; called inside the gate.
    @usableFromInline
    final var batchedHere: UnsafeMutablePointer<BatchedValue<Value>>? {
        // Not by `flatMap`: code that is not specialised would ask the runtime for three types, also if there is no batch.
        guard let batched, batched.pointee.thread == UInt(bitPattern: weir_thread_current()) else { return nil }
        return batched
    }

    /// The same, outside of the gate.
    final var handedOut: Value {
        HeldGate.inside(&gate) { handOut() }
    }

    /// In a batch: keeps a value for the end of the batch; called inside the gate, which it leaves.
    @usableFromInline @inline(never)
    final func hold(_ new: Value, _ held: consuming HeldGate) {
        weir_store_u32(&batchedWrites, weir_load_u32(&batchedWrites) &+ 1)
        let isMine = batchedHere != nil
        var former: BatchedValue<Value>?
        let new = BatchedValue(
            value: new, thread: UInt(bitPattern: weir_thread_current()), isKnown: batched?.pointee.isKnown ?? false,
            lastKey: lastKey)
        if let batched {
            former = batched.move()
            batched.initialize(to: new)
        } else {
            let batched = UnsafeMutablePointer<BatchedValue<Value>>.allocate(capacity: 1)
            batched.initialize(to: new)
            self.batched = batched
            isSpecial = true
        }
        held.leave(&gate)
        if weir_recording() != 0 { recordSuppressed(.batched) }
        if !isMine { Settling.ofThisThread { $0.hasWritten(self) } }
        withExtendedLifetime(former) {}
    }

    /// Same as `replace` while a batch that has written is open; a write outside of batches outdates the value of the batch.
    @usableFromInline @inline(never)
    final func replaceBatched(by new: Value, _ held: consuming HeldGate) {
        if weir_turn_is(weir_turn_batch) { return hold(new, held) }
        let former = takeBatched()
        replace(by: new, held)
        withExtendedLifetime(former) {}
    }

    /// Called inside the gate; release the result outside of it.
    private func takeBatched() -> BatchedValue<Value>? {
        guard let batched else { return nil }
        self.batched = nil
        isSpecial = tracked != nil
        defer { batched.deallocate() }
        return batched.move()
    }

    final func storeBatched() -> BatchedWrite? {
        let write = storeLast()
        #if Recording
        if write == nil, weir_has_write_sites() { WriteSites.forget(self) }
        #endif
        return write
    }

    private func storeLast() -> BatchedWrite? {
        while true {
            var held = HeldGate(&gate)
            guard let batch = batchedHere?.pointee else {
                held.leave(&gate)
                return nil
            }
            let (current, known) = (storage, stamp)
            held.leave(&gate)
            let isRestored = !batch.isKnown && isEqual(current, batch.value)
            held = HeldGate(&gate)
            guard stamp == known, batched?.pointee.isKnown == batch.isKnown else {
                held.leave(&gate)
                continue
            }
            let former = takeBatched()
            if isRestored {
                held.leave(&gate)
                return withExtendedLifetime(former) { .restored }
            }
            let old = exchange(batch.value)
            let version = version &+ 1
            weir_store_u32(&self.version, version)
            let informed = former?.informed ?? []
            let lastKey = informed.isEmpty ? lastKey : batch.lastKey
            let latecomers = informed.isEmpty ? [] : keys(after: lastKey).filter { !informed.contains($0) }
            held.leave(&gate)
            return withExtendedLifetime((old, former)) {
                .stored(version, lastKey: lastKey, latecomers: latecomers)
            }
        }
    }

    final func deliverBatched(_ write: BatchedWrite) {
        #if Recording
        if _slowPath(weir_has_write_sites()) { return WriteSites.delivering(self) { deliverLast(write) } }
        #endif
        deliverLast(write)
    }

    private func deliverLast(_ write: BatchedWrite) {
        guard case .stored(let version, let lastKey, let latecomers) = write else {
            if weir_recording() != 0 { recordSuppressed(.equal) }
            return
        }
        let held = HeldGate(&gate)
        if self.version != version {
            // A later write by a handler or by another thread has been or will be delivered.
            held.leave(&gate)
        } else if isDeliveredElsewhere(held) {
            leaveWrite(version, lastKey: lastKey, held)
        } else {
            deliverInTurn(storage, count(upTo: lastKey), version, held)
        }
        for key in latecomers { deliver(version, toLatecomer: key) }
    }

    /// Delivers the stored value to one subscriber, unless a later write has been or will be delivered to it.
    private func deliver(_ version: UInt32, toLatecomer key: UInt64) {
        let held = HeldGate(&gate)
        guard self.version == version, let sink = sink(of: key) else { return held.leave(&gate) }
        deliverFirst(to: sink, receiving: handOut, held)
    }
}

/// The value of a batch.
@usableFromInline
struct BatchedValue<Value> {
    @usableFromInline var value: Value
    /// The thread of the batch that wrote last.
    fileprivate let thread: UInt
    /// A subscriber has received a value of the batch, and so must receive the batch's final value.
    @usableFromInline var isKnown: Bool
    /// The key of the last subscriber from before the write.
    fileprivate let lastKey: UInt64
    /// The keys of the subscribers that have subscribed since the write and received its value.
    var informed: [UInt64] = []
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
    /// The value was stored under that version. It goes to the subscribers up to a key, and then to `latecomers`: those that
    /// subscribed later than others who had received the value when they subscribed.
    case stored(UInt32, lastKey: UInt64, latecomers: [UInt64])
    /// The value equals the one before the batch.
    case restored
}
