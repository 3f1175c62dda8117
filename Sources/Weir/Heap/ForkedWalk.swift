#if os(Linux)
    import CWeir
    import WeirHeap
    import WeirTrace

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A walk in a forked child: it sees this process as it was at the fork, whatever the program does meanwhile.
    ///
    /// Whatever happens in the child, a crash or a walk without end, happens in the child only. The registries are locked while
    /// the system forks, so what stands in them is there in the child. The two exchange messages: the parent lets the walk
    /// begin, the child says what is garbage, the parent answers with what is garbage still, the child says the snapshot.
    struct ForkedWalk {
        /// How many children are made where each is found to wait for a lock, which takes 100 ms.
        static let mostTries = 8
        /// Called in the child before it walks; for tests.
        package nonisolated(unsafe) static var duringWalk: (() -> Void)?

        private let probe: HeapProbe
        private let child: Result<WalkingChild, WalkingChild.Failure>

        /// Forks, and returns: what `probe` finds is how this process is now. `snapshot` or `giveUp` must follow.
        init(_ probe: HeapProbe) {
            Self.prepare()
            self.probe = probe
            child = Self.child { Self.walk(probe, $0) }
        }

        /// What each child would have to find out, or could not: that takes some milliseconds, once.
        static func prepare() {
            ForkHandlers.install()
            // No fork while that goes on: the child would wait for its end.
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

        /// What the child does.
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

        /// In a forked child of the program: the walk is its parent's.
        func forget() { if case .success(let child) = child { child.forget() } }

        /// Nobody wants the snapshot.
        func giveUp() {
            if case .success(var child) = child { child.end() }
        }

        /// Waits for the snapshot, encoded; where the walk failed, it is an empty one that says so.
        ///
        /// To be called once, on any thread. Takes at most ten seconds, twice, and what it costs to try again.
        func snapshot() -> [UInt8] {
            var child = child
            // At the moment of the fork another thread may have held a lock of the system or of the language's runtime: in
            // the child it is never given back. Another moment will do.
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
            // Garbage stays garbage. So what one walk takes for it and a later one does not was something that another
            // thread was about to change, caught in the middle.
            let (garbage, doubt) = laterGarbage(probe)
            child.say(garbage)
            let snapshot = try child.message()
            return doubt.map { probe.snapshot(snapshot, adding: $0) } ?? snapshot
        }

        /// The addresses of what is garbage now; none, and why, where that cannot be found out.
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
