import CWeirCore
import WeirRecording

/// The inputs of a combiner, and the computation of its value from them.
///
/// Held by the combiner and by its edges, which are cut when the combiner is released or combined anew. A delivery keeps its
/// sink, and the sink keeps the evaluation. So an update costs one reference count: that of the combiner, which may be released
/// while another thread delivers.
@usableFromInline
final class Evaluation {
    /// Guarded by the gate. No `weak` reference: that would make all reference counting of the combiner slow.
    @exclusivity(unchecked) private var combinerIfAlive: UnsafeMutableRawPointer?
    /// The combiner, if only this evaluation keeps it: the heir of one released with subscribers. Guarded by the gate.
    @exclusivity(unchecked) private var kept: Node?
    /// Whether an input has updated while the combiner was being released.
    @exclusivity(unchecked) private var hasMissed = false
    /// Computes the combiner's value and writes it; specialised at the place where the combiner was combined.
    private let run: (Node, Evaluation) -> Void
    private let strategy: CombineStrategy
    private let cells: [AnyInputCell]
    @exclusivity(unchecked) private var gate = weir_gate()
    /// One bit for each input that has updated; guarded by the gate.
    @exclusivity(unchecked) private var updated: UInt64 = 0
    /// The number of open evaluations, each inside the previous one, all on one thread.
    @exclusivity(unchecked) private var depth = 0
    /// The thread that evaluates; meaningless while no evaluation is open.
    @exclusivity(unchecked) private var thread: UInt = 0
    /// Set if an input has updated on another thread since the open evaluation began; guarded by the gate.
    @exclusivity(unchecked) private var due: Hop?
    /// Whether `due` is set.
    @exclusivity(unchecked) private var isDue = false
    /// Increases with each evaluation.
    @usableFromInline @exclusivity(unchecked) var evaluations: UInt32 = 0
    /// The thread in whose turn it waits, if there is only one.
    @exclusivity(unchecked) var waitingThread: UInt64 = 0
    /// The turn in which it last ran (high half), and the number of runs in that turn (low half).
    @exclusivity(unchecked) var runs: UInt64 = 0
    /// The height (24 bits) at a version of the graph's shape (the rest).
    @exclusivity(unchecked) private var knownHeight: UInt64 = 0

    @usableFromInline
    init(
        of combiner: Node, strategy: CombineStrategy, cells: [AnyInputCell],
        run: @escaping (Node, Evaluation) -> Void
    ) {
        combinerIfAlive = Unmanaged.passUnretained(combiner).toOpaque()
        self.strategy = strategy
        self.cells = cells
        self.run = run
    }

    func connect(file: StaticString, line: UInt) {
        for (index, cell) in cells.enumerated() { cell.connect(to: self, index: index, file: file, line: line) }
    }

    /// Called when the combiner is released or combined anew.
    func disconnect() {
        let held = HeldGate(&gate)
        combinerIfAlive = nil
        let former = kept
        kept = nil
        held.leave(&gate)
        for cell in cells { cell.disconnect() }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }

    /// Releases a combiner that has neither an owner nor a subscriber.
    func releaseIfForgotten() {
        let held = HeldGate(&gate)
        let kept = kept
        held.leave(&gate)
        if let kept, !kept.isHeard { disconnect() }
    }

    /// The combiner is released, but its subscribers stay: from now on the inputs keep `heir`, which does not keep them.
    func keep(_ heir: Node) {
        let held = HeldGate(&gate)
        combinerIfAlive = Unmanaged.passUnretained(heir).toOpaque()
        kept = heir
        let hasMissed = hasMissed
        let weakened = cells.map { $0.weaken() }
        held.leave(&gate)
        GraphShape.change()
        withExtendedLifetime(weakened) {}
        // An input may have become private while the combiner was being released.
        if inputs.contains(where: \.isPrivate) { heir.becomePrivate() }
        if hasMissed { evaluate() }
    }

    /// The combiner, unless it is being released. Its release passes the gate first, so a combiner found here has not been freed.
    var combiner: Node? {
        let held = HeldGate(&gate)
        let found = combinerIfAlive
        let isAlive = found.map { weir_try_retain($0) } ?? false
        held.leave(&gate)
        return isAlive ? found.map { Unmanaged<Node>.fromOpaque($0).takeRetainedValue() } : nil
    }

    var inputs: [Node] { sources { _ in true } }

    private func sources(_ isWanted: (AnyInputCell) -> Bool) -> [Node] {
        HeldGate.inside(&gate) { cells.filter(isWanted).compactMap(\.node) }
    }

    // MARK: Updates

    /// Called when an input has updated.
    func inputUpdated(_ index: Int) {
        switch strategy {
        case .every: evaluate()
        case .settled:
            Settling.ofThisThread { $0.wait(self) }
            if weir_recording() != 0 { recordWaiting() }
        case .first, .all:
            if note(index) { evaluate() } else if weir_recording() != 0 { recordWaiting() }
        }
    }

    /// Computes the combiner's value and stores it; if another thread is evaluating, that thread evaluates again.
    func evaluate() {
        var held = HeldGate(&gate)
        let me = UInt(bitPattern: weir_thread_current())
        if !held.isBiased && depth != 0 && thread != me { return leaveToEvaluator(held) }
        guard let found = combinerIfAlive, weir_try_retain(found) else {
            hasMissed = true
            return held.leave(&gate)
        }
        depth &+= 1
        thread = me
        evaluations &+= 1
        held.leave(&gate)
        let combiner = Unmanaged<Node>.fromOpaque(found).takeRetainedValue()
        run(combiner, self)
        held = HeldGate(&gate)
        if _slowPath(isDue && depth == 1) { return evaluateAgain(combiner, held) }
        depth &-= 1
        held.leave(&gate)
    }

    /// Evaluates until no input has updated during the evaluation; called inside the gate, which it leaves.
    @inline(never)
    private func evaluateAgain(_ combiner: Node, _ held: consuming HeldGate) {
        while let hop = due {
            (due, isDue) = (nil, false)
            evaluations &+= 1
            held.leave(&gate)
            hop.run(of: combiner) { run(combiner, self) }
            held = HeldGate(&gate)
        }
        depth &-= 1
        held.leave(&gate)
    }

    private func leaveToEvaluator(_ held: consuming HeldGate) {
        (due, isDue) = (.queued, true)
        held.leave(&gate)
    }

    /// Stores the result of `transform`, unless a nested evaluation has stored the result of newer inputs.
    @inlinable @inline(__always)
    func evaluate<Value>(for combiner: Node, _ transform: () -> Value) {
        let number = evaluations
        let value = transform()
        guard evaluations == number else { return }
        unsafeDowncast(combiner, to: ReadOnlyObservable<Value>.self).write(value)
    }

    /// Whether the strategy evaluates after the update of this input.
    @inline(never)
    private func note(_ index: Int) -> Bool {
        HeldGate.inside(&gate) {
            let isFirst = updated == 0
            updated |= 1 << UInt64(index)
            return strategy == .first ? isFirst : updated.nonzeroBitCount == cells.count
        }
    }

    #if Recording
    private func recordWaiting() {
        let log = ThreadLog()
        if weir_choosing() != 0 { return combiner?.recordSuppressed(.waiting) ?? () }
        guard log.isReady(weir_recording()) else { return }
        let held = HeldGate(&gate)
        // Inside the gate the combiner exists: its code can be read without holding it.
        let code = combinerIfAlive.map {
            Unmanaged<Node>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.knownCode(log) }
        }
        held.leave(&gate)
        if let code, code != 0 { return log.suppressed(code, .waiting) }
        combiner?.recordSuppressed(.waiting)
    }
    #else
    private func recordWaiting() {}
    #endif

    // MARK: Height

    /// One more than the height of the highest input; feedback does not count.
    var height: Int32 {
        let shape = GraphShape.version
        let known = weir_load_u64(&knownHeight)
        if known >> 24 == shape { return Int32(known & 0xFF_FFFF) }
        // Preliminary value: ends a path back to this node, which only a concurrent change on another thread can leave.
        weir_store_u64(&knownHeight, shape << 24)
        let height = 1 + (sources { !$0.isFeedback }.map(\.height).max() ?? 0)
        weir_store_u64(&knownHeight, shape << 24 | UInt64(height & 0xFF_FFFF))
        return height
    }
}
