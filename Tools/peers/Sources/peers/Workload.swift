/// The same work for each side.
struct Workload: Sendable {
    let name: String
    /// Operations in a batch; it should take the peer about a millisecond, less than the system's slice of time.
    let batch: Int
    /// The highest time of Weir, relative to the peer's; nil if measured for comparison only.
    let goals: (off: Double, traced: Double)?
    /// The highest time of Weir in nanoseconds, traced, where the peer has no equivalent.
    var tracedGoal: Double?
    /// Makes the objects for the side; the returned closure does the given number of operations.
    let make: @Sendable (Side, Tally) -> (Int) -> Void
    /// The handlers' expected count after the given number of operations, if none ran before.
    let expected: @Sendable (Int) -> Int

    var sides: [Side] { tracedGoal == nil ? Side.allCases : [.weirOff, .weirTraced] }

    static let all = [
        subject, currentValue, subjectFanOut, currentValueFanOut, subjectSubscription,
        currentValueSubscription, chain, diamond, chainLifetime, combineTen,
        tracedPublisher, tracedPublisherLifetime,
    ]
}
