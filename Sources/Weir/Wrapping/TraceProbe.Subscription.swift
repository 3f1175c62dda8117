import CWeir
import WeirTrace

extension TraceProbe {
    /// One subscriber of a foreign observable: what it is told, and how that ends.
    ///
    ///     subscription = emitted* (completed | failed | disposed)
    ///
    /// Holds its probe, and nothing that flows. After the end a value is still handed to its body, as the other library means
    /// it, and a trace says that it came too late. Released without an end, it was disposed.
    public final class Subscription: @unchecked Sendable {  // The sink's state is atomic, and its handler empty.
        private let probe: TraceProbe
        private let sink: Sink<Void>

        init(to probe: TraceProbe, _ sink: Sink<Void>) {
            self.probe = probe
            self.sink = sink
        }

        deinit { if sink is any LivesForever { return } else { disposed() } }

        /// Records that `value` is emitted, and that it is delivered while `body` runs, which always runs once.
        ///
        /// What is emitted in `body`, on this thread, is caused by this. While nothing is being delivered on this thread, the
        /// emission is caused by what has caused the task, as ``Trace/task(priority:_:)`` says; else it is a stimulus.
        @inlinable @inline(__always) @discardableResult
        public func emitted<Value, Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
            if _fastPath(weir_recording() == 0) { return try body() }
            return try deliver(value, body)
        }

        /// As `emitted`, of a value that has come from elsewhere: `cause` is nearer than what has caused the task.
        func emitted<Value, Result>(
            _ value: Value, cause: ThreadLog.Place?, _ body: () throws -> Result
        ) rethrows -> Result {
            if weir_recording() == 0 { return try body() }
            return try deliver(value, caused: cause, body)
        }

        /// Records that `value` is emitted, where nothing is known of what the subscriber does with it.
        @inlinable @inline(__always)
        public func emitted<Value>(_ value: Value) { emitted(value) {} }

        /// Records that the observable has completed; what is emitted in `body` is caused by that.
        public func completed(_ body: () throws -> Void) rethrows { try end(.completed, body) }

        /// Records that the observable has completed.
        public func completed() { end(.completed) {} }

        /// Records that the observable has failed; what is emitted in `body` is caused by that.
        public func failed(_ error: any Error, _ body: () throws -> Void) rethrows {
            try end(.failed(error), body)
        }

        /// Records that the observable has failed.
        public func failed(_ error: any Error) { end(.failed(error)) {} }

        /// Records that the subscriber wants to hear nothing more; after an end it does nothing.
        public func disposed() {
            guard weir_exchange_bool(&sink.isActive, false), weir_recording() != 0 else { return }
            sink.recordEnded(source: probe, .disposed)
        }

        /// Records an end, where this recording knows of the beginning; what comes later may be recorded again.
        func recordingEnds() { sink.recordEnded(source: probe, .sourceReleased) }

        private func end(_ ending: Ending, _ body: () throws -> Void) rethrows {
            guard weir_exchange_bool(&sink.isActive, false), weir_recording() != 0 else { return try body() }
            let frame = EndFrame(ending, of: probe, to: sink)
            defer {
                sink.recordEnded(source: probe, ending.reason)
                frame.close()
            }
            try body()
        }

        @usableFromInline @inline(never)
        func deliver<Value, Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
            try deliver(value, caused: nil, body)
        }

        private func deliver<Value, Result>(
            _ value: Value, caused cause: ThreadLog.Place?, _ body: () throws -> Result
        ) rethrows -> Result {
            guard weir_load_bool(&sink.isActive) else {
                probe.recordSuppressed(.afterCompletion)
                return try body()
            }
            let hop = cause != nil || weir_tasks_carry_causes() ? TaskHop(of: probe, cause: cause) : nil
            defer { hop?.end() }
            guard let session = begin(value) else { return try body() }
            defer { close(session) }
            return try body()
        }

        /// Opens the frame of an emission; nil: it could not be recorded.
        private func begin<Value>(_ value: Value) -> UInt32? {
            let log = ThreadLog()
            guard log.isReady(weir_recording()) else { return nil }
            // First: to define it may record the release of its owner, and defines the probe, too.
            let subscription = sink.code(log, source: probe)
            let session = log.session
            let node = subscription == 0 ? 0 : probe.code(log)
            // Defining may have ended in another recording, where the subscription's code means nothing.
            guard node != 0, log.session == session,
                log.emitted(node, value, isPrivate: probe.isPrivate, to: subscription, isTerminal: sink.isTerminal)
            else {
                // The emission has been counted as lost; its delivery, and its end, have not.
                log.countLost(2)
                return nil
            }
            return log.session
        }

        private func close(_ session: UInt32) {
            let log = ThreadLog()
            let canEnd = log.isReady(weir_recording())
            // Another recording may have begun in the meantime: its frames are not ours to close.
            guard log.session == session else { return }
            if canEnd { log.deliveryEnded(stamped: sink.isTerminal) }
            log.popFrame()
        }
    }
}
