/// From where on a thread ran the work of somebody: of an actor, or of the main queue where several threads serve that.
///
/// What an actor does, it does in turn, though each time on another thread; so a trace gives it a number of its own, as if
/// it were a thread.
public struct TraceStint: Sendable, Equatable {
    /// Who may run on several threads.
    public enum Runner: Sendable, Equatable {
        /// The main queue, or the main actor.
        case main
        /// An actor, or a later version's word for another; the name of its type.
        case actor(String?)
    }

    /// The sequence number of the first event of the stint; it ends where the thread's next one begins.
    public var sequence: UInt64
    /// The number by which the runner is known; that of the thread, where nobody else runs on it.
    public var number: UInt32

    /// A stint.
    public init(sequence: UInt64, number: UInt32) {
        self.sequence = sequence
        self.number = number
    }
}

extension TraceDefinitions {
    /// Keeps `stint` of `thread`, unless it says nothing new: a recorder tells it again when old definitions may be overwritten.
    mutating func add(_ stint: TraceStint, of thread: UInt32, by runner: TraceStint.Runner?) {
        if let runner { runners[stint.number] = runner }
        if let last = stints[thread]?.last {
            guard last.sequence < stint.sequence, last.number != stint.number else { return }
        }
        stints[thread, default: []].append(stint)
    }
}
