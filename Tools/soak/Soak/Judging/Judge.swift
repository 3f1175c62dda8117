/// Judges a run by the delivery contract alone, without any knowledge of the core's implementation.
///
/// For each subscriber: it is never called on two threads at once; values arrive in the order in which they were stored or emitted; no
/// event is lost; when all is quiet, the last value heard is the value held, and a combiner equals its function of its inputs' values.
package struct Judge {
    let program: SoakProgram
    let reading: Reading
    let held: [Int?]
    private(set) var violations: [Violation] = []

    /// The rules that a run has broken; empty if none.
    package static func violations(of program: SoakProgram, in outcome: Outcome) -> [Violation] {
        if outcome.isDeadlocked { return [Violation(.deadlock)] }
        if outcome.isEndless { return [Violation(.endless)] }
        var judge = Judge(
            program: program, reading: Reading(program, outcome.events), held: outcome.held)
        judge.judgeCalls()
        judge.judgeEvents()
        judge.judgeStates()
        judge.judgeOrder()
        judge.judgeNodes()
        judge.judgeDepth()
        judge.judgeTurns()
        return judge.violations
    }

    private init(program: SoakProgram, reading: Reading, held: [Int?]) {
        self.program = program
        self.reading = reading
        self.held = held
    }

    mutating func report(_ rule: Violation.Rule, _ detail: String) { violations.append(Violation(rule, detail)) }

    /// A listener that hears everything a node delivers, from before the threads begin until the end.
    func witness(of node: Int) -> Int? {
        program.listeners.indices.first { isWitness($0, of: node) }
    }

    func isWitness(_ index: Int, of node: Int) -> Bool {
        let listener = program.listeners[index]
        return listener.source == .node(node) && listener.operators.isEmpty && listener.isEarly
            && reading.listeners[index].disposeBegan == nil && isBeforeChanges(index, of: reading.nodes[node])
    }

    /// Whether it subscribed before anything was written or emitted; a handler may do so before the threads begin.
    func isFromBeginning(_ index: Int) -> Bool {
        program.listeners[index].isEarly && reading.nodes.allSatisfy { isBeforeChanges(index, of: $0) }
    }

    private func isBeforeChanges(_ index: Int, of node: Reading.Node) -> Bool {
        guard let subscribed = reading.listeners[index].subscribeEnded else { return false }
        return (node.writes + node.emissions).allSatisfy { $0.began > subscribed }
    }

    // MARK: One subscriber alone

    private mutating func judgeCalls() {
        for (index, listener) in reading.listeners.enumerated() {
            judgeExclusion(index, listener)
            if let disposed = listener.disposeEnded {
                let late = listener.calls.count { $0.began > disposed }
                // One call may have been in progress when another thread disposed; it holds no lock to wait for.
                if late > (listener.isDisposedInCall ? 0 : 1) {
                    report(.calledAfterDispose, "s\(index), \(late) times")
                }
            }
            if let end = listener.ends.first {
                if listener.ends.count > 1 { report(.calledAfterEnd, "s\(index) ended \(listener.ends.count) times") }
                if listener.calls.contains(where: { $0.began > end.time }) { report(.calledAfterEnd, "s\(index)") }
            }
            judgeCount(index, listener)
            judgeEnd(index, listener)
        }
    }

    /// The end is heard once, and not while another thread is in the handler.
    private mutating func judgeEnd(_ index: Int, _ listener: Reading.Listener) {
        for end in listener.ends {
            let isInside = listener.calls.contains {
                $0.began < end.time && $0.ended > end.time && $0.thread != end.thread
            }
            if isInside { report(.overlappingCalls, "s\(index) heard the end while another thread was in its handler") }
        }
        guard program.listeners[index].source.isSingle, isLive(index) else { return }
        let sources = program.listeners[index].source.nodes
        if sources.contains(where: { reading.nodes[$0].completion != nil }) {
            report(.lostEvent, "s\(index) did not hear the end")
        }
    }

    private mutating func judgeExclusion(_ index: Int, _ listener: Reading.Listener) {
        var open: [Reading.Call] = []
        for call in listener.calls {
            open.removeAll { $0.ended < call.began }
            if let other = open.first(where: { $0.thread != call.thread }) {
                return report(
                    .overlappingCalls,
                    "s\(index) heard \(call.a) on thread \(call.thread) while it heard \(other.a) on thread \(other.thread)"
                )
            }
            open.append(call)
        }
    }

    private mutating func judgeCount(_ index: Int, _ listener: Reading.Listener) {
        guard case .take(let count)? = program.listeners[index].operators.last else { return }
        if listener.calls.count > count { report(.wrongCount, "s\(index) heard \(listener.calls.count) of \(count)") }
        if listener.calls.count == count, listener.disposeBegan == nil, listener.ends.isEmpty {
            report(.wrongCount, "s\(index) heard \(count) and did not end")
        }
        let sources = program.listeners[index].source.nodes
        let isCompleted = sources.contains { reading.nodes[$0].completion != nil }
        if listener.calls.count < count, !listener.ends.isEmpty, !hasOtherTake(index), !isCompleted {
            report(.wrongCount, "s\(index) ended after \(listener.calls.count) of \(count)")
        }
    }

    private func hasOtherTake(_ index: Int) -> Bool {
        program.listeners[index].operators.count { if case .take = $0 { true } else { false } } > 1
    }

    /// Whether a listener must have heard everything until the end.
    func isLive(_ index: Int) -> Bool {
        let listener = reading.listeners[index]
        return listener.isSubscribed && listener.disposeBegan == nil && listener.ends.isEmpty
    }
}
