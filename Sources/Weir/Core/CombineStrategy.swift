/// Selects the input updates that a combiner evaluates.
public enum CombineStrategy: Sendable {
    /// Only the first update of any input.
    case first
    /// Every update once each input has updated at least once.
    case all
    /// Every update of any input.
    case every
    /// Once per turn, after all inputs that change in the turn have changed: without glitches. See `batch`.
    case settled
}
