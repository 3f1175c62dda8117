import WeirTrace

extension WhyNot {
    /// A write that a batch held back, if the question is about what followed it.
    package struct BatchedWrite: Sendable, Equatable {
        /// The fate of the write.
        package enum Fate: Sendable, Equatable {
            /// It went out at this emission.
            case emitted(EventID)
            /// This later write in the batch took its place.
            case replaced(by: EventID)
        }

        /// The write.
        package let write: EventID
        /// Its fate.
        package let fate: Fate
    }
}

extension TraceReader {
    /// The fate of the write of an occasion; nil: the occasion is none that a batch held back, or the trace does not show it.
    func batchedWrite(of occasion: Timeline.Occasion) -> WhyNot.BatchedWrite? {
        guard case .emission(let id) = occasion, let write = event(id)?.event, write.suppressionReason == .batched
        else {
            return nil
        }
        var filter = RecordFilter()
        filter.kinds = 1 << UInt32(EventKind.emitted.rawValue) | 1 << UInt32(EventKind.suppressed.rawValue)
        filter.ticks = write.ticks...(.max)
        var wanted = [Bool](repeating: false, count: Int(write.subject) + 1)
        wanted[Int(write.subject)] = true
        filter.subjects = (wanted, [])
        var fate: WhyNot.BatchedWrite.Fate?
        forEachEvent(passing: filter) { event in
            guard event.subject == write.subject, event.id.thread != id.thread || event.id.sequence > id.sequence else {
                return true
            }
            if event.kind == .emitted, !event.isReplayed { fate = .emitted(event.id) }
            if event.suppressionReason == .batched { fate = .replaced(by: event.id) }
            // An equal value may be the outcome of the batch.
            return fate == nil && event.suppressionReason != .equal
        }
        return fate.map { WhyNot.BatchedWrite(write: id, fate: $0) }
    }
}

extension Timeline.Occasion {
    /// In place of a write that a batch held back, the emission at which it went out.
    func following(_ write: WhyNot.BatchedWrite?) -> Self {
        if case .emitted(let emission) = write?.fate { .emission(emission) } else { self }
    }
}
