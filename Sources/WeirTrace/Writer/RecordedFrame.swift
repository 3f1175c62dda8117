import CWeir

/// A frame that the calling thread has opened in the trace, and closes later: of an emission, a stimulus, a batch or a hop.
///
/// Code that runs in between may end the recording and begin another one. A frame must leave the frames of that one alone: it knows
/// its recording, and does nothing in another one. Closing a frame consumes it. A debug build stops if an open frame is dropped.
///
/// Deliveries of subjects and cold signals, the hot path, keep the same rule without it, by `ThreadLog.isReady(since:)`: a common
/// function would cost them a call.
package struct RecordedFrame: ~Copyable {
    fileprivate enum Kind { case emission, stimulus, batch, hop }

    private let kind: Kind
    /// The recording; 0: nothing is open.
    package let session: UInt32

    fileprivate init(_ kind: Kind, session: UInt32) { (self.kind, self.session) = (kind, session) }

    deinit { assert(session == 0, "a frame was dropped open") }

    /// No frame: what would have opened it is not recorded.
    package static var none: RecordedFrame { RecordedFrame(.emission, session: 0) }

    package var isOpen: Bool { session != 0 }

    /// Whether a record inside the frame can be written now.
    package func accepts(_ log: ThreadLog) -> Bool {
        isOpen && log.isReady(weir_recording()) && log.session == session
    }

    /// Records the end, with a time stamp or not, unless another recording has begun.
    ///
    /// - Parameter stamped: for an emission: whether its last delivery was timed. Other frames decide for themselves.
    package consuming func close(stamped: Bool = false) {
        let (kind, session) = (kind, session)
        discard self
        guard session != 0 else { return }
        let log = ThreadLog()
        let canEnd = log.isReady(weir_recording())
        guard log.session == session else { return }
        switch kind {
        case .emission:
            if canEnd { log.deliveryEnded(stamped: stamped) }
            log.popFrame()
        case .stimulus: log.closed(.stimulusEnded, stamped: true, in: session)
        case .batch: log.closed(.batchEnded, stamped: log.depth == 1, in: session)
        case .hop: log.closed(.hopEnded, stamped: true, in: session)
        }
    }

    /// Leaves the stimulus open, to be closed by another frame: see `ThreadLog.stimulusContinued`.
    consuming func left() -> UInt32 {
        let session = session
        discard self
        return session
    }
}

extension ThreadLog {
    /// The emission just written, as `emitted` and `ended` record it, with its first delivery.
    package var emissionOpened: RecordedFrame { RecordedFrame(.emission, session: session) }

    /// A stimulus that was left open in a recording.
    func stimulusContinued(in session: UInt32) -> RecordedFrame { RecordedFrame(.stimulus, session: session) }

    /// Begins a stimulus.
    package func stimulusBegan(_ name: String) -> RecordedFrame {
        guard begins(.stimulusBegan, stamped: true, text: name, opener: .stimulus) else { return .none }
        frameOpened(name)
        return RecordedFrame(.stimulus, session: session)
    }

    /// Begins a batch.
    package func batchBegan() -> RecordedFrame {
        guard begins(.batchBegan, stamped: depth == 0, opener: .batch) else { return .none }
        frameOpened("batch")
        return RecordedFrame(.batch, session: session)
    }

    /// Work that a scheduler was given at `cause` runs now, for the node `node`; `carries`: no scheduler was, but the task that
    /// runs now carries the cause.
    package func hopBegan(_ node: UInt32, cause: Place?, carries: Bool = false) -> RecordedFrame {
        // The thread may not have come to the recording yet that `cause` is of, or may only now come to another one.
        guard isReady(weir_recording()) else { return .none }
        let known = cause.flatMap { $0.session == session ? $0 : nil }
        var numbers = [UInt64(TraceCode.decode(node)), UInt64(known?.thread ?? 0), known?.sequence ?? 0]
        let subscription = known?.subscription ?? 0
        if subscription > 0 || carries { numbers.append(UInt64(subscription)) }
        if carries {
            numbers.append(1)
            // The program itself drives the node, so a trace must know who runs it.
            noteExecutor()
        }
        guard write(.hopBegan, stamped: true, numbers, opener: .hop, subscription: subscription) else { return .none }
        frameOpened("hop", cause: known)
        return RecordedFrame(.hop, session: session)
    }

    private func begins(_ kind: EventKind, stamped: Bool, text: String? = nil, opener: Opener) -> Bool {
        guard isReady(weir_recording()) else { return false }
        noteExecutor()
        return write(kind, stamped: stamped, text: text, opener: opener)
    }

    fileprivate func closed(_ kind: EventKind, stamped: Bool, in session: UInt32) {
        _ = write(kind, stamped: stamped)
        if self.session == session { popFrame() }
        frameClosed()
    }
}
