import WeirTrace

/// Something that should be gone or will not go away, what holds it, and what would cure it.
///
/// Findings with the same rule and signature are one, with a count and the first of them as the example.
public struct LeakFinding: Sendable, Equatable {
    /// What the example is.
    public enum Example: Sendable, Equatable {
        /// A circle: its place in the snapshot's circles.
        case circle(Int)
        /// An object of the snapshot: its place in the snapshot's objects.
        case object(Int)
        /// A tracked object that no snapshot tells of: its id.
        case tracked(UInt32)
        /// A subscription that is alive although its owner was released: its id.
        case orphan(UInt32)
        /// A subscription that is alive at the end of the recording: its id.
        case openSubscription(UInt32)
        /// A line of the program of which more and more is alive.
        case growth(LineGrowth)
    }

    /// The rule.
    public let rule: LeakRule
    /// How bad it is.
    public let severity: Finding.Severity
    /// How many have this signature.
    public let count: UInt64
    /// The first of them in the order of the snapshot.
    public let example: Example
    /// The number of the snapshot that the example's places are in; nil: none tells of it, or it is the only one.
    public let snapshot: UInt32?
    /// What would cure it.
    public let remedy: LeakRemedy
    /// What is said of objects that were expected to be gone; nil: none of these was.
    public let expectation: MissedExpectation?
    /// How many others were expected to be gone and hang on what is counted: without it they would be gone too.
    public let companions: UInt64
    /// The types of these, each once.
    public let typesOfCompanions: [String]
    /// The id of the subscription that keeps the example alive.
    public let subscription: UInt32?
    /// Bytes that would be freed with all of them, as far as that is known; what they share counts for each.
    public let bytes: UInt64
    /// The same in each recording of the program, also when lines have moved: 16 hexadecimal digits.
    public let fingerprint: String
}

/// What is known of objects that were not released by the checkpoint by which they should have been.
public struct MissedExpectation: Sendable, Equatable {
    /// By when something should have been gone.
    public enum Deadline: Sendable, Equatable {
        /// A checkpoint, by its name.
        case checkpoint(String)
        /// The end of the recording.
        case end
        /// The moment of the snapshot.
        case now
    }

    /// How many of the finding's objects were expected to be gone, companions too.
    public var objects: UInt64
    /// How many of these were released after all, later.
    public var late: UInt64 = 0
    /// By when the first of them should have been gone.
    public var deadline: Deadline
    /// By when the last of them should have been gone; nil: by a checkpoint of the same name, or the same end.
    public var lastDeadline: Deadline?
    /// Values that their subscriptions, and those that hold them, delivered after that; nil: not known.
    public var deliveries: UInt64?
}
