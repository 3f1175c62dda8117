import CWeir
import WeirTrace

/// Where a command publishes: in the isolation of the actor in which it was made, if any; else wherever something happens.
struct CommandHome {
    private let queue: HomeQueue?
    /// What a trace knows the command by.
    private let identity: OperatorNode

    init(_ actor: (any Actor)?, _ identity: OperatorNode) {
        queue = actor.map(HomeQueue.init)
        self.identity = identity
    }

    /// Runs `work` in the isolation: now, where this is it and nothing waits; else in a hop that is caused by what is being
    /// delivered here, in the order of calls.
    func publish(_ work: @escaping () -> Void) {
        guard let queue, !queue.isOpen else { return work() }
        let cause = TaskCause.here
        queue.add { [identity] in
            let hop = cause == nil ? nil : TaskHop(of: identity, cause: cause)
            _ = weir_turn_begin()
            work()
            if weir_turn_must_settle() { Settling.settle() }
            weir_turn_end()
            hop?.end()
        }
    }
}
