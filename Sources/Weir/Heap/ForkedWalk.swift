#if Recording && os(Linux)
import CWeirCore
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A walk in a forked child: it sees this process as it was at the fork, even if the program then changes.
///
/// A crash or an endless walk in the child affects the child only. The registries are locked during the fork, so their
/// contents are complete in the child. Parent and child exchange messages: the parent starts the walk; the child says whether
/// there is garbage, and which of it only a search found; the parent replies with the objects that are still garbage; the
/// child sends the snapshot.
struct ForkedWalk {
    /// The maximum number of children that are forked because each waits for a lock; to detect that takes 100 ms.
    static let mostTries = 8
    /// Called in the child before it walks; for tests.
    package nonisolated(unsafe) static var duringWalk: (() -> Void)?

    private let probe: HeapProbe
    private let first: Attempt

    /// Forks, and returns: `probe` then sees this process as it is now. `snapshot` or `giveUp` must follow.
    init(_ probe: HeapProbe) {
        Self.prepare()
        self.probe = probe
        first = Self.attempt { Self.walk(probe, $0) }
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

    /// A forked child, and the memory in which it notes the type that it asks the runtime for.
    private struct Attempt {
        let child: Result<WalkingChild, WalkingChild.Failure>
        let note: TypeQuestion.Note?

        /// Lets the child begin, and ends it. Frees the note, unless it throws.
        func answer<Answer>(
            _ body: (inout WalkingChild) throws(WalkingChild.Failure) -> Answer
        ) throws(WalkingChild.Failure) -> Answer {
            var child = try child.get()
            defer { child.end() }
            child.say([])
            let answer = try body(&child)
            note?.free()
            return answer
        }

        /// Whether another child may succeed although this one failed.
        func allowsAnother(after failure: WalkingChild.Failure) -> Bool {
            switch failure {
            case .isStuck: true
            case .hasEnded: note?.name.map(RefusedTypes.shared.insert) ?? false
            case .cannotFork, .isLate: false
            }
        }
    }

    private static func attempt(_ work: @escaping (WalkingChild.Channel) -> Void) -> Attempt {
        let note = TypeQuestion.Note()
        let refused = RefusedTypes.shared.all
        let child = Result { () throws(WalkingChild.Failure) in
            try WalkingChild { channel in
                _ = channel.message()
                TypeQuestion.note = note
                TypeQuestion.refused = refused
                duringWalk?()
                work(channel)
            }
        }
        return Attempt(child: child, note: note)
    }

    /// Runs in the child.
    private static func walk(_ probe: HeapProbe, _ channel: WalkingChild.Channel) {
        let pinned = PinnedRoots(session: probe.session)
        var report = probe.report(from: pinned)
        let garbage = Set(report.objects.lazy.filter(\.isGarbage).map(\.address))
        guard !garbage.isEmpty else {
            channel.say([])
            return channel.say(probe.snapshot(of: report, pinned))
        }
        channel.say(bytes([UInt(garbage.count)] + report.foundHolders.filter(garbage.contains)))
        report.confirm(Set(addresses(channel.message())))
        channel.say(probe.snapshot(of: report, pinned))
    }

    private static func bytes(_ addresses: [UInt]) -> [UInt8] { addresses.withUnsafeBytes { Array($0) } }

    private static func addresses(_ bytes: [UInt8]) -> [UInt] {
        bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt.self)) }
    }

    /// Ends the walk if the snapshot is no longer needed.
    func giveUp() {
        if case .success(var child) = first.child { child.end() }
        first.note?.free()
    }

    /// Waits for the encoded snapshot. If the walk failed, the snapshot is empty and gives the reason.
    ///
    /// Call this once, on any thread. It takes at most ten seconds, twice, and the time for further attempts.
    func snapshot() -> [UInt8] {
        do throws(WalkingChild.Failure) {
            return try Self.trying(first, { Self.walk(probe, $0) }) { child throws(WalkingChild.Failure) in
                try Self.snapshot(&child, probe)
            }
        } catch {
            return Self.failed(error)
        }
    }

    /// Runs `body` with a child that does `work`, and with a new one if that fails and another one may succeed.
    ///
    /// At the moment of the fork, another thread may have held a lock of the system or of the language's runtime, which is
    /// never released in the child. Or the runtime may have ended the child over a type, which the next one leaves out.
    private static func trying<Answer>(
        _ first: Attempt, _ work: @escaping (WalkingChild.Channel) -> Void,
        _ body: (inout WalkingChild) throws(WalkingChild.Failure) -> Answer
    ) throws(WalkingChild.Failure) -> Answer {
        var attempt = first
        var stuck = 0
        while true {
            do throws(WalkingChild.Failure) { return try attempt.answer(body) } catch {
                if case .isStuck = error { stuck += 1 }
                let mayTryAgain = stuck < mostTries && attempt.allowsAnother(after: error)
                attempt.note?.free()
                if !mayTryAgain { throw error }
            }
            attempt = Self.attempt(work)
        }
    }

    private static func snapshot(
        _ child: inout WalkingChild, _ probe: HeapProbe
    ) throws(WalkingChild.Failure) -> [UInt8] {
        let found = addresses(try child.message())
        if found.isEmpty { return try child.message() }
        // Garbage stays garbage. So an object that is garbage in one walk and not in a later one was caught during a change
        // by another thread.
        let (garbage, limitation) = laterGarbage(probe, beside: Array(found.dropFirst()))
        child.say(garbage)
        let snapshot = try child.message()
        return limitation.map { probe.snapshot(snapshot, adding: $0) } ?? snapshot
    }

    /// The addresses of the current garbage; none, and the reason, if it cannot be determined.
    ///
    /// - Parameter found: garbage of the first walk that the roots do not lead to. It is still there, as it is garbage.
    private static func laterGarbage(_ probe: HeapProbe, beside found: [UInt]) -> ([UInt8], SnapshotLimitation?) {
        let work: (WalkingChild.Channel) -> Void = {
            $0.say(bytes(probe.garbage(from: PinnedRoots(session: probe.session), beside: found)))
        }
        do throws(WalkingChild.Failure) {
            return try trying(attempt(work), work) { child throws(WalkingChild.Failure) in
                (try child.message(), nil)
            }
        } catch {
            return ([], error.limitation)
        }
    }

    private static func failed(_ failure: WalkingChild.Failure) -> [UInt8] {
        var snapshot = TraceSnapshot()
        snapshot.limitations = [failure.limitation]
        return snapshot.encoded
    }
}

/// The names of types over which the runtime ended a child; see `TypeQuestion`.
private final class RefusedTypes: @unchecked Sendable {  // The lock guards the names.
    static let shared = RefusedTypes()
    private let lock = SystemLock()
    private var names: Set<String> = []
    private static let most = 64

    var all: Set<String> { lock.withLock { names } }

    /// False: the name is known, or there are too many.
    func insert(_ name: String) -> Bool {
        lock.withLock { names.count < Self.most && names.insert(name).inserted }
    }
}

extension WalkingChild.Failure {
    fileprivate var limitation: SnapshotLimitation {
        switch self {
        case .cannotFork(let error):
            SnapshotLimitation(.noWalk, "the system could not fork: " + String(cString: strerror(error)))
        case .isStuck: SnapshotLimitation(.walkBlocked, "100 ms")
        case .isLate: SnapshotLimitation(.walkTimedOut, "\(Double(WalkingChild.limit) / 1000) s")
        case .hasEnded(let signal):
            SnapshotLimitation(.walkCrashed, signal > 0 ? Self.name(ofSignal: signal) : "an unknown signal")
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
