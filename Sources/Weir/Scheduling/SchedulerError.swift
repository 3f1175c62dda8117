/// The reason why a scheduler refuses work.
public enum SchedulerError: Error, Equatable, CustomStringConvertible {
    /// It has been stopped.
    case stopped
    /// It runs work at once or not at all.
    case cannotWait

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .stopped: "the scheduler has been stopped and runs nothing any more"
        case .cannotWait: "the immediate scheduler cannot wait; give '.main' or '.queue(…)' to what takes time"
        }
    }
}
