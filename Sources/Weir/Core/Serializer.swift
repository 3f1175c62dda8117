import CWeir

/// Lets one thread at a time into an operator, without making another one wait.
///
/// A thread that finds another one inside leaves its work in a queue; the thread inside runs it before it leaves. A thread
/// that is inside already passes straight through, so that work nests on one thread; unless something is in the queue, which
/// it must not overtake. No lock is held while work runs.
@usableFromInline
final class Serializer: @unchecked Sendable {  // The gate guards all of its state.
    @usableFromInline @exclusivity(unchecked) var gate = weir_gate()
    /// How often the thread inside has entered.
    @usableFromInline @exclusivity(unchecked) var depth = 0
    /// Of no meaning while `depth` is 0.
    @usableFromInline @exclusivity(unchecked) var thread: UInt = 0
    @exclusivity(unchecked) private var waiting = Queue<() -> Void>()
    @usableFromInline @exclusivity(unchecked) var isAwaited = false

    @usableFromInline
    init() {}

    /// Whether the calling thread is inside now; if another one is, that runs `work` later.
    @inlinable @inline(__always)
    func enter(orLeave work: @autoclosure () -> () -> Void) -> Bool {
        let biased = weir_gate_enter(&gate)
        let me = UInt(bitPattern: weir_thread_current())
        if _slowPath(!biased && depth != 0 && (thread != me || isAwaited)) {
            weir_gate_leave(&gate, biased)
            return enterSlowly(orLeave: work())
        }
        depth &+= 1
        thread = me
        weir_gate_leave(&gate, biased)
        return true
    }

    @usableFromInline @inline(never)
    func enterSlowly(orLeave work: @escaping () -> Void) -> Bool {
        let me = UInt(bitPattern: weir_thread_current())
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        guard depth != 0 && (thread != me || isAwaited) else {
            depth &+= 1
            thread = me
            return true
        }
        waiting.append(work)
        isAwaited = true
        return false
    }

    /// To be called once for each time that the thread has entered.
    @inlinable @inline(__always)
    func leave() {
        let biased = weir_gate_enter(&gate)
        depth &-= 1
        let hasMore = isAwaited && depth == 0
        if _slowPath(hasMore) { depth = 1 }
        weir_gate_leave(&gate, biased)
        if _slowPath(hasMore) { runWaiting() }
    }

    @usableFromInline @inline(never)
    func runWaiting() {
        while let work = next() { work() }
    }

    /// What is to be run next; nil: nothing, and the thread has left.
    private func next() -> (() -> Void)? {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        if let work = waiting.popFirst() { return work }
        isAwaited = false
        depth = 0
        return nil
    }

    /// Runs `work` now; if another thread is inside, that runs it.
    @inlinable
    func run(_ work: @escaping () -> Void) {
        guard enter(orLeave: work) else { return }
        work()
        leave()
    }
}
