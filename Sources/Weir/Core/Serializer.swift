import CWeirCore

/// Admits one thread at a time to an operator, without making another one wait.
///
/// If another thread is inside, a thread leaves its work in a queue; the thread inside runs it before it leaves. A thread that is
/// already inside passes straight through, so work nests on one thread. If the queue contains work, it does not pass, because it
/// must not overtake that work. No lock is held while work runs.
@usableFromInline
final class Serializer: @unchecked Sendable {  // The gate guards all of its state.
    @usableFromInline @exclusivity(unchecked) var gate = weir_gate()
    /// The number of times that the thread inside has entered.
    @usableFromInline @exclusivity(unchecked) var depth = 0
    /// Meaningless while `depth` is 0.
    @usableFromInline @exclusivity(unchecked) var thread: UInt = 0
    @exclusivity(unchecked) private var waiting = Queue<() -> Void>()
    @usableFromInline @exclusivity(unchecked) var isAwaited = false

    @usableFromInline
    init() {}

    /// Whether the calling thread is inside now; if another thread is inside, that thread runs `work` later.
    @inlinable @inline(__always)
    func enter(orLeave work: @autoclosure () -> () -> Void) -> Bool {
        let held = HeldGate(&gate)
        let me = UInt(bitPattern: weir_thread_current())
        if _slowPath(!held.isBiased && depth != 0 && (thread != me || isAwaited)) {
            held.leave(&gate)
            return enterSlowly(orLeave: work())
        }
        depth &+= 1
        thread = me
        held.leave(&gate)
        return true
    }

    @usableFromInline @inline(never)
    func enterSlowly(orLeave work: @escaping () -> Void) -> Bool {
        let me = UInt(bitPattern: weir_thread_current())
        return HeldGate.inside(&gate) {
            guard depth != 0 && (thread != me || isAwaited) else {
                depth &+= 1
                thread = me
                return true
            }
            waiting.append(work)
            isAwaited = true
            return false
        }
    }

    /// Called once for each time that the thread has entered.
    @inlinable @inline(__always)
    func leave() {
        let held = HeldGate(&gate)
        depth &-= 1
        let hasMore = isAwaited && depth == 0
        if _slowPath(hasMore) { depth = 1 }
        held.leave(&gate)
        if _slowPath(hasMore) { runWaiting() }
    }

    @usableFromInline @inline(never)
    func runWaiting() {
        while let work = next() { work() }
    }

    /// The work to run next; nil: none, and the thread has left.
    private func next() -> (() -> Void)? {
        HeldGate.inside(&gate) {
            if let work = waiting.popFirst() { return work }
            isAwaited = false
            depth = 0
            return nil
        }
    }

    /// Runs `work` now, or leaves it to another thread that is inside.
    @inlinable
    func run(_ work: @escaping () -> Void) {
        guard enter(orLeave: work) else { return }
        work()
        leave()
    }
}
