import CWeirCore
import WeirRecording

/// The isolation in which a command publishes: that of the actor in which it was made, or else the current one.
struct CommandHome {
    private let queue: HomeQueue?
    /// The node that represents the command in a trace.
    private let identity: OperatorNode

    init(_ actor: (any Actor)?, _ identity: OperatorNode) {
        queue = actor.map(HomeQueue.init)
        self.identity = identity
    }

    /// Runs `work` in the isolation: now if this is that isolation and no work waits, otherwise in a hop caused by the current
    /// delivery. Keeps the order of calls.
    func publish(_ work: @escaping () -> Void) {
        guard let queue, !queue.isOpen else { return work() }
        #if Recording
        let cause = TaskCause.here
        queue.add { [identity] in
            let hop = cause == nil ? nil : TaskHop(of: identity, cause: cause)
            Self.runAsTurn(work)
            hop?.end()
        }
        #else
        queue.add { Self.runAsTurn(work) }
        #endif
    }

    private static func runAsTurn(_ work: () -> Void) {
        _ = weir_turn_begin()
        work()
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
    }
}
