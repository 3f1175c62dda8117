/// The same work, done by each side.
struct Workload: Sendable {
    let name: String
    /// Operations in a batch; it should take the peer about a millisecond, less than the system's slice of time.
    let batch: Int
    /// Most time of Weir, as a share of the peer's; nil: measured for comparison only.
    let goals: (off: Double, traced: Double)?
    /// Most nanoseconds of Weir, traced, where the peer has nothing of the kind.
    var tracedGoal: Double?
    /// Makes what the side works on; the result does so many operations.
    let make: @Sendable (Side, Tally) -> (Int) -> Void
    /// What the handlers must have counted after so many operations, which did not begin before this one.
    let expected: @Sendable (Int) -> Int

    var sides: [Side] { tracedGoal == nil ? Side.allCases : [.weirOff, .weirTraced] }

    static let all = [
        subject, currentValue, subjectFanOut, currentValueFanOut, subjectSubscription,
        currentValueSubscription, chain, diamond, chainLifetime, combineTen,
        tracedPublisher, tracedPublisherLifetime,
    ]
}
