import CWeirCore
import WeirRecording

extension TraceProbe {
    /// One subscriber of a foreign observable: records its values and its end.
    ///
    ///     subscription = emitted* (completed | failed | disposed)
    ///
    /// Holds its probe, and no values. A value after the end is still passed to its body, as the other library does, and a trace
    /// shows it as too late. A release without an end counts as a disposal.
    public final class Subscription: @unchecked Sendable {  // The sink's state is atomic, and its handler empty.
        private let probe: TraceProbe
        private let sink: Sink<Void>

        init(to probe: TraceProbe, _ sink: Sink<Void>) {
            self.probe = probe
            self.sink = sink
        }

        deinit { if sink is any LivesForever { return } else { disposed() } }

        /// Records that `value` is emitted and delivered while `body` runs; always runs `body` once.
        ///
        /// Emissions in `body`, on this thread, are caused by this one. If no delivery is open on this thread, the emission has
        /// the cause of the task, as described at ``Trace/task(priority:_:)``, or else it is a stimulus.
        @inlinable @inline(__always) @discardableResult
        public func emitted<Value, Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
            #if Recording
            if _fastPath(weir_recording() == 0) { return try body() }
            return try deliver(value, body)
            #else
            return try body()
            #endif
        }

        /// Same as `emitted`, for a value from elsewhere: `cause` is nearer than that of the task.
        func emitted<Value, Result>(
            _ value: Value, cause: ThreadLog.Place?, _ body: () throws -> Result
        ) rethrows -> Result {
            #if Recording
            if weir_recording() == 0 { return try body() }
            return try deliver(value, caused: cause, body)
            #else
            return try body()
            #endif
        }

        /// Records that `value` is emitted, if its handling by the subscriber is unknown.
        @inlinable @inline(__always)
        public func emitted<Value>(_ value: Value) { emitted(value) {} }

        /// Records that the observable has completed, as the cause of emissions in `body`.
        public func completed(_ body: () throws -> Void) rethrows { try end(.completed, body) }

        /// Records that the observable has completed.
        public func completed() { end(.completed) {} }

        /// Records that the observable has failed, as the cause of emissions in `body`.
        public func failed(_ error: any Error, _ body: () throws -> Void) rethrows {
            try end(.failed(error), body)
        }

        /// Records that the observable has failed.
        public func failed(_ error: any Error) { end(.failed(error)) {} }

        /// Records that the subscriber has cancelled; does nothing after an end.
        public func disposed() {
            guard weir_exchange_bool(&sink.isActive, false), weir_recording() != 0 else { return }
            sink.recordEnded(source: probe, .disposed)
        }

        /// Records an end if this recording knows the beginning; later events may be recorded again.
        func recordingEnds() { sink.recordEnded(source: probe, .sourceReleased) }

        private func end(_ ending: Ending, _ body: () throws -> Void) rethrows {
            #if Recording
            guard weir_exchange_bool(&sink.isActive, false), weir_recording() != 0 else { return try body() }
            let frame = EndFrame(ending, of: probe, to: sink)
            do {
                try body()
                finish(ending, frame)
            } catch {
                finish(ending, frame)
                throw error
            }
            #else
            _ = weir_exchange_bool(&sink.isActive, false)
            try body()
            #endif
        }

        #if Recording
        private func finish(_ ending: Ending, _ frame: consuming EndFrame) {
            sink.recordEnded(source: probe, ending.reason)
            frame.close()
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
            let delivery = Delivery(of: value, by: probe, to: sink, caused: cause)
            do {
                let result = try body()
                delivery.end()
                return result
            } catch {
                delivery.end()
                throw error
            }
        }

        /// All that is open around a delivery.
        private struct Delivery: ~Copyable {
            private let hop: TaskHop?
            private let leftOut: LeftOutDelivery?
            private let signposts: DeliverySignposts?
            private let frame: RecordedFrame
            private let isTimed: Bool

            init<Value>(of value: Value, by probe: TraceProbe, to sink: Sink<Void>, caused cause: ThreadLog.Place?) {
                hop = cause != nil || weir_tasks_carry_causes() ? TaskHop(of: probe, cause: cause) : nil
                leftOut = probe.isLeftOut ? LeftOutDelivery(of: probe) : nil
                if weir_has_write_sites() { probe.recordWriteSite(isDelivering: false) }
                signposts = DeliverySignposts(of: probe, to: sink)
                frame = probe.openEmission(of: value, to: sink)
                isTimed = sink.isTerminal
            }

            consuming func end() {
                frame.close(stamped: isTimed)
                signposts?.end()
                leftOut?.end()
                hop?.end()
            }
        }
        #endif
    }
}
