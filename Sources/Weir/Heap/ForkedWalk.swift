#if os(Linux)
    import CWeir
    import WeirHeap
    import WeirTrace

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A walk in a forked child: it sees this process as it was at the fork, even if the program then changes.
    ///
    /// A crash or an endless walk in the child affects the child only. The registries are locked during the fork, so their
    /// contents are complete in the child. Parent and child exchange messages: the parent starts the walk; the child sends the
    /// garbage; the parent replies with the objects that are still garbage; the child sends the snapshot.
    struct ForkedWalk {
        /// The maximum number of children that are forked because each waits for a lock; to detect that takes 100 ms.
        static let mostTries = 8
        /// Called in the child before it walks; for tests.
        package nonisolated(unsafe) static var duringWalk: (() -> Void)?

        private let probe: HeapProbe
        private let child: Result<WalkingChild, WalkingChild.Failure>

        /// Forks, and returns: `probe` then sees this process as it is now. `snapshot` or `giveUp` must follow.
        init(_ probe: HeapProbe) {
            Self.prepare()
            self.probe = probe
            child = Self.child { Self.walk(probe, $0) }
        }

        /// Does work that each child would have to repeat, or could not do; takes a few milliseconds, once.
        static func prepare() {
            ForkHandlers.install()
            // No fork during this work: the child would wait for its end forever.
            RuntimeNames.lock.withLock {
                HeapSymbols.prepareForFork()
                WeakReference.readCountsIfKnown()
            }
        }

        private static func child(
            _ work: @escaping (WalkingChild.Channel) -> Void
        ) -> Result<WalkingChild, WalkingChild.Failure> {
            Result { () throws(WalkingChild.Failure) in
                try WalkingChild { channel in
                    _ = channel.message()
                    duringWalk?()
                    work(channel)
                }
            }
        }

        /// Runs in the child.
        private static func walk(_ probe: HeapProbe, _ channel: WalkingChild.Channel) {
            let pinned = PinnedRoots(session: probe.session)
            var report = probe.report(from: pinned)
            let garbage = report.objects.filter(\.isGarbage).map(\.address)
            channel.say(bytes(garbage))
            if !garbage.isEmpty { report.confirm(Set(addresses(channel.message()))) }
            channel.say(probe.snapshot(of: report, pinned))
        }

        private static func bytes(_ addresses: [UInt]) -> [UInt8] { addresses.withUnsafeBytes { Array($0) } }

        private static func addresses(_ bytes: [UInt8]) -> [UInt] {
            bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt.self)) }
        }

        /// Called in a forked child of the program: the walk belongs to the parent.
        func forget() { if case .success(let child) = child { child.forget() } }

        /// Ends the walk if the snapshot is no longer needed.
        func giveUp() {
            if case .success(var child) = child { child.end() }
        }

        /// Waits for the encoded snapshot. If the walk failed, the snapshot is empty and gives the reason.
        ///
        /// Call this once, on any thread. It takes at most ten seconds, twice, and the time for further attempts.
        func snapshot() -> [UInt8] {
            var child = child
            // At the moment of the fork, another thread may have held a lock of the system or of the language's runtime, which is
            // never released in the child. A later attempt can succeed.
            for _ in 1..<Self.mostTries {
                do throws(WalkingChild.Failure) { return try Self.snapshot(child, probe) } catch .isStuck {
                    child = Self.child { Self.walk(probe, $0) }
                } catch {
                    return Self.failed(error)
                }
            }
            do throws(WalkingChild.Failure) { return try Self.snapshot(child, probe) } catch {
                return Self.failed(error)
            }
        }

        private static func snapshot(
            _ child: Result<WalkingChild, WalkingChild.Failure>, _ probe: HeapProbe
        ) throws(WalkingChild.Failure) -> [UInt8] {
            var child = try child.get()
            defer { child.end() }
            child.say([])
            if try child.message().isEmpty { return try child.message() }
            // Garbage stays garbage. So an object that is garbage in one walk and not in a later one was caught during a change
            // by another thread.
            let (garbage, doubt) = laterGarbage(probe)
            child.say(garbage)
            let snapshot = try child.message()
            return doubt.map { probe.snapshot(snapshot, adding: $0) } ?? snapshot
        }

        /// The addresses of the current garbage; none, and the reason, if it cannot be determined.
        private static func laterGarbage(_ probe: HeapProbe) -> ([UInt8], SnapshotDoubt?) {
            var failure = WalkingChild.Failure.isStuck
            for _ in 0..<mostTries {
                do throws(WalkingChild.Failure) {
                    var child = try child { $0.say(bytes(probe.garbage(from: PinnedRoots(session: probe.session)))) }
                        .get()
                    defer { child.end() }
                    child.say([])
                    return (try child.message(), nil)
                } catch .isStuck { continue } catch {
                    failure = error
                    break
                }
            }
            return ([], failure.doubt)
        }

        private static func failed(_ failure: WalkingChild.Failure) -> [UInt8] {
            var snapshot = TraceSnapshot()
            snapshot.doubts = [failure.doubt]
            return snapshot.encoded
        }
    }

    extension WalkingChild.Failure {
        fileprivate var doubt: SnapshotDoubt {
            switch self {
            case .cannotFork(let error):
                SnapshotDoubt(.noWalk, "the system could not fork: " + String(cString: strerror(error)))
            case .isStuck: SnapshotDoubt(.walkTimedOut, "it waited for a lock")
            case .isLate: SnapshotDoubt(.walkTimedOut, "\(Double(WalkingChild.limit) / 1000) s")
            case .hasEnded(let signal):
                SnapshotDoubt(.walkCrashed, signal > 0 ? Self.name(ofSignal: signal) : "an unknown signal")
            }
        }

        private static func name(ofSignal number: Int32) -> String {
            switch number {
            case SIGSEGV: "SIGSEGV"
            case SIGBUS: "SIGBUS"
            case SIGILL: "SIGILL"
            case SIGTRAP: "SIGTRAP"
            case SIGABRT: "SIGABRT"
            case SIGFPE: "SIGFPE"
            case SIGKILL: "SIGKILL"
            case SIGTERM: "SIGTERM"
            default: "signal \(number)"
            }
        }
    }
#endif
