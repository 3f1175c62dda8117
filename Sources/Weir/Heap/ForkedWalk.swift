#if os(Linux)
    import CWeir
    import WeirHeap
    import WeirTrace

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A walk in a forked child: it sees this process as it is at one moment, whatever other threads do meanwhile.
    ///
    /// Whatever happens in the child, a crash or a walk without end, happens in the child only. The registries are locked while
    /// the system forks, so what stands in them is there in the child.
    enum ForkedWalk {
        struct Answer {
            /// Encoded; where the walk failed, an empty one that says so.
            var snapshot: [UInt8]
            /// The addresses of what was found to be garbage.
            var garbage: [UInt] = []
            /// The child did not come to an end.
            var hasFailed = false
            /// It waited for something that will not come.
            var isStuck = false
        }

        /// When a walk is given up, in milliseconds.
        package nonisolated(unsafe) static var limit: UInt32 = 10_000
        /// How many children are made where each is found to wait for a lock, which takes 100 ms.
        static let mostTries = 8
        /// Called in the child before it walks; for tests.
        package nonisolated(unsafe) static var duringWalk: (() -> Void)?

        static func run(_ probe: HeapProbe, confirming: Set<UInt>?) -> Answer {
            ForkHandlers.install()
            HeapSymbols.prepareForFork()
            // Found out once, here; else each child would have to.
            _ = HeapWalker.unknownLayout
            // At the moment of the fork another thread may have held a lock of the system or of the language's runtime: in
            // the child it is never given back. Another moment will do.
            for _ in 1..<mostTries {
                let answer = runOnce(probe, confirming)
                if !answer.isStuck { return answer }
            }
            return runOnce(probe, confirming)
        }

        private static func runOnce(_ probe: HeapProbe, _ confirming: Set<UInt>?) -> Answer {
            let errand = Errand(probe, confirming)
            var child = weir_child()
            let failure = withExtendedLifetime(errand) {
                weir_fork(
                    &child, limit, { Unmanaged<Errand>.fromOpaque($0).takeUnretainedValue().run(output: $1) },
                    Unmanaged.passUnretained(errand).toOpaque())
            }
            guard failure == 0 else {
                return .failure(.noWalk, "the system could not fork: " + String(cString: strerror(failure)))
            }
            return Reception(child).answer
        }

        /// What the child does.
        private final class Errand {
            private let probe: HeapProbe
            private let confirming: Set<UInt>?

            init(_ probe: HeapProbe, _ confirming: Set<UInt>?) {
                self.probe = probe
                self.confirming = confirming
            }

            func run(output: Int32) {
                ForkedWalk.duringWalk?()
                let (snapshot, garbage) = probe.snapshot(
                    from: PinnedRoots(session: probe.session), confirming: confirming)
                let encoded = snapshot.encoded
                var bytes: [UInt8] = []
                bytes.reserveCapacity(encoded.count + 8 * garbage.count + 16)
                for number in [encoded.count, garbage.count] { Self.append(UInt(number), to: &bytes) }
                bytes += encoded
                for address in garbage { Self.append(address, to: &bytes) }
                _ = weir_write_all(output, bytes, bytes.count)
            }

            private static func append(_ number: UInt, to bytes: inout [UInt8]) {
                withUnsafeBytes(of: UInt64(number)) { bytes += $0 }
            }
        }

    }

    extension ForkedWalk.Answer {
        static func failure(_ reason: SnapshotDoubt.Reason, _ subject: String) -> Self {
            var snapshot = TraceSnapshot()
            snapshot.doubts = [SnapshotDoubt(reason, subject)]
            return Self(snapshot: snapshot.encoded, hasFailed: true)
        }
    }

    /// Takes what the child says, as long as it may take.
    private struct Reception {
        private var child: weir_child
        private var bytes: [UInt8] = []
        private var isInTime = true
        private var isStuck = false
        private(set) var answer = ForkedWalk.Answer(snapshot: [])

        init(_ child: weir_child) {
            self.child = child
            bytes.reserveCapacity(1 << 16)
            receive()
            let status = weir_child_end(&self.child, whole == nil)
            answer = whole ?? failure(status)
            answer.isStuck = isStuck
        }

        private mutating func receive() {
            // The child ends itself at its limit; longer it takes only if it has been stopped.
            let end = weir_monotonic() + (UInt64(ForkedWalk.limit) + 1000) * 1_000_000
            var hasEnded = false
            var naps = 0
            while whole == nil {
                let count = read(waiting: hasEnded ? 0 : 20)
                if count == 0 || count < 0 && hasEnded { return }
                if count > 0 { continue }
                naps = weir_child_sleeps(&child) ? naps + 1 : 0
                if naps == 5 {
                    (isInTime, isStuck) = (false, true)
                    return
                }
                // The end of the pipe may be kept open by another child of the program, forked at the same moment.
                hasEnded = weir_child_has_ended(&child)
                if !hasEnded, weir_monotonic() > end {
                    isInTime = false
                    return
                }
            }
        }

        private mutating func read(waiting milliseconds: Int32) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                let count = withUnsafePointer(to: child) {
                    weir_child_read($0, buffer.baseAddress.unsafelyUnwrapped, buffer.count, milliseconds)
                }
                bytes += buffer[..<max(0, count)]
                return count
            }
        }

        /// What the child said, once it is all there. A child with a damaged heap could say anything.
        private var whole: ForkedWalk.Answer? {
            guard bytes.count >= 16 else { return nil }
            return bytes.withUnsafeBytes { bytes in
                func number(_ place: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
                let (length, count) = (number(0), number(8))
                guard length <= SnapshotLimits.bytes, count <= 1 << 32,
                    UInt64(bytes.count) >= 16 + length + 8 * count
                else { return nil }
                let end = 16 + Int(length)
                return ForkedWalk.Answer(
                    snapshot: Array(bytes[16..<end]),
                    garbage: (0..<Int(count)).map { UInt(truncatingIfNeeded: number(end + 8 * $0)) })
            }
        }

        private func failure(_ status: Int32) -> ForkedWalk.Answer {
            if isStuck { return .failure(.walkTimedOut, "it waited for a lock") }
            if !isInTime || status == SIGALRM {
                return .failure(.walkTimedOut, "\(Double(ForkedWalk.limit) / 1000) s")
            }
            return .failure(.walkCrashed, status > 0 ? Self.signalName(status) : "an unknown signal")
        }

        private static func signalName(_ number: Int32) -> String {
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
