/// Which updates of its inputs a combiner answers.
public enum CombineStrategy: Sendable {
    /// The first update of any input only.
    case first
    /// Every update from the moment on at which each input has updated at least once.
    case all
    /// Every update of any input.
    case every
    /// Once a turn, after all inputs that change in it have changed: without glitches. See `batch`.
    case settled
}
