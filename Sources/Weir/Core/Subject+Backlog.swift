import CWeirCore
import WeirRecording

// Handles events that arrive while a delivery is open, on the delivering thread or on another one.
extension Subject {
    /// Delivers the work left to this thread in order; called inside the gate, which it leaves, and outside of any delivery.
    @usableFromInline @inline(never)
    final func deliverBacklog(_ held: consuming HeldGate) {
        while let backlog, !backlog.isEmpty {
            beginDelivery()
            if let next = backlog.popFirst() {
                deliver(next, of: backlog, held)
            } else if let write = backlog.write {
                backlog.write = nil
                deliverWrite(write, held)
            }
            held = HeldGate(&gate)
            deliveries &-= 1
        }
        sweep(held)
    }

    private func deliver(_ entry: BacklogEntry, of backlog: Backlog<Value>, _ held: consuming HeldGate) {
        switch entry.item {
        case .value:
            let value = backlog.takeValue()
            let (slots, count) = (slots, count(upTo: entry.lastKey))
            remember(value, thenLeave: held)
            entry.hop.run(of: self) { deliver(value, slots, count, version: 0) }
        case .rest(let key):
            let value = backlog.takeValue()
            let last = count(upTo: entry.lastKey)
            let sinks = (count(upTo: key)..<last).compactMap { index in slots.map { (index, $0 + index) } }
            held.leave(&gate)
            entry.hop.run(of: self) {
                for (index, slot) in sinks {
                    reached = Int32(index + 1)
                    if let sink = liveSink(slot) { replay(value, to: sink.takeUnretainedValue()) }
                }
            }
        case .end(let ending, let tag):
            reached = 0
            held.leave(&gate)
            entry.hop.run(of: self) { end(ending, tag: tag) }
        case .join(let newcomer):
            let newcomer = unsafeDowncast(newcomer, to: Newcomer<Value>.self)
            // A value that still waits is the newcomer's first value.
            let isServed = backlog.write != nil
            if isServed { backlog.write?.lastKey = lastKey }
            let value = newcomer.current()
            reached = count
            held.leave(&gate)
            if !isServed, weir_load_bool(&newcomer.sink.isActive) {
                entry.hop.run(of: self) { replay(value, to: newcomer.sink) }
            }
        }
    }

    /// Leaves a value to the delivering thread; called inside the gate, which it leaves.
    final func leaveToDeliverer(_ value: Value, _ held: consuming HeldGate) {
        neededBacklog().append(value, lastKey: lastKey)
        held.leave(&gate)
    }

    /// Leaves another entry to the delivering thread; called inside the gate, which it leaves.
    final func leaveToDeliverer(_ item: BacklogEntry.Item, _ held: consuming HeldGate) {
        neededBacklog().append(item, lastKey)
        held.leave(&gate)
    }

    /// Delivers an event while a delivery is open; called inside the gate, which it leaves.
    ///
    /// On the delivering thread, the subscribers that have received the current event receive this one at once, the others when
    /// the current delivery is over. So each receives them in the order of emission.
    @usableFromInline @inline(never)
    final func broadcastInDelivery(_ value: Value, _ held: consuming HeldGate) {
        let isNested = deliverer == UInt(bitPattern: weir_thread_current()) && backlog?.canBeOvertaken != false
        guard isNested, let slots else { return leaveToDeliverer(value, held) }
        let former = reached
        // A subscriber that waits for the rest of another event must not receive this one first.
        let outer = min(former, Int32(self.count(upTo: backlog?.lowestRest ?? .max)))
        guard outer > 0, outer <= count else { return leaveToDeliverer(value, held) }
        if outer < count { neededBacklog().append(value, after: slots[Int(outer) - 1].key, lastKey: lastKey) }
        _ = weir_turn_begin()
        beginDelivery()
        remember(value, thenLeave: held)
        deliver(value, slots, Int(outer), version: 0)
        reached = former
        endTurn()
        endDelivery()
    }

    /// Remembers a value if this subject replays it; called inside the gate, which it leaves.
    private func remember(_ value: Value, thenLeave held: consuming HeldGate) {
        guard remembers else { return held.leave(&gate) }
        var forgotten: Value?
        remember(value, &forgotten)
        held.leave(&gate)
        withExtendedLifetime(forgotten) {}
    }

    /// Called inside the gate.
    final func neededBacklog() -> Backlog<Value> {
        isAwaited = true
        if let backlog { return backlog }
        let backlog = Backlog<Value>()
        self.backlog = backlog
        return backlog
    }
}
