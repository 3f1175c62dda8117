import WeirTrace

/// Something that should be gone or will not go away, with its holder and a remedy.
///
/// Findings with the same rule and signature are merged, with a count and the first of them as the example.
package struct LeakFinding: Sendable, Equatable {
    /// The kind of the example.
    package enum Example: Sendable, Equatable {
        /// A cycle: its index in the snapshot's cycles.
        case cycle(Int)
        /// An object of the snapshot: its index in the snapshot's objects.
        case object(Int)
        /// A tracked object that no snapshot contains: its id.
        case tracked(UInt32)
        /// A subscription that is alive although its owner was released: its id.
        case orphan(UInt32)
        /// A subscription that is alive at the end of the recording: its id.
        case openSubscription(UInt32)
        /// A line of the program whose live nodes, subscriptions or objects grow in number.
        case growth(LineGrowth)
    }

    /// Cycles that go through the closure of a finding by other references.
    package struct OtherCycles: Sendable, Equatable {
        /// The first of them.
        package let example: Example
        /// Their number.
        package let count: UInt64
    }

    /// The rule.
    package let rule: LeakRule
    /// The severity.
    package let severity: Finding.Severity
    /// How many instances have this signature.
    package let count: UInt64
    /// The first of them in the order of the snapshot.
    package let example: Example
    /// The number of the snapshot that contains the example; nil if none does, or if it is the only one.
    package let snapshot: UInt32?
    /// The suggested change.
    package internal(set) var remedy: LeakRemedy
    /// How the finding's objects missed their expected release; nil if none was expected to be gone.
    package let expectation: MissedExpectation?
    /// How many other objects that were expected to be gone are held by the counted ones, and would go with them.
    package let companions: UInt64
    /// The types of these objects, each once.
    package let typesOfCompanions: [String]
    /// Cycles of other forms that the same change to a closure breaks.
    package internal(set) var otherCycles: [OtherCycles] = []
    /// For an object, the lines of the other closures that capture it strongly; the remedy alone does not release it.
    package internal(set) var otherCaptures: [TraceSite] = []
    /// For an object, the other tasks that presumably hold it, in the order of the source; each is followed by those that it waits for.
    package internal(set) var otherTasks: [[TaskWork]] = []
    /// The garbage object of the snapshot that a weak reference from outside reaches, and from there the cycle; nil: none does.
    ///
    /// The program may then still cut the cycle: it is not proven to be garbage.
    package internal(set) var weakEntry: Int?
    /// The id of the subscription that keeps the example alive.
    package let subscription: UInt32?
    /// For subscriptions, the ids of the nodes that they observe, each once, in the order of the subscriptions' ids.
    package internal(set) var sources: [UInt32] = []
    /// For growing tracked objects, the collection that holds all of them; nil: none does.
    package internal(set) var collection: GrowingCollection?
    /// The node for whose first value an `await` waits, if the subscription is part of it; nil: it is not, or the node is unknown.
    package internal(set) var awaited: UInt32?
    /// Bytes that would be freed with all of them, if known; memory that they share counts for each.
    package let bytes: UInt64
    /// An identifier of 16 hexadecimal digits: the same in each recording of the program, also after lines have moved.
    package let fingerprint: String
    /// The suspect references that all of them share.
    var signature = LeakSignature([])

    /// The index of the example in the snapshot's objects; nil: it is no object.
    ///
    /// The optimizer of Swift 6.3 fails with an ownership error if it inlines this into a loop over findings.
    @inline(never) var object: Int? { if case .object(let place) = example { place } else { nil } }
}

/// A collection in a property of a live object, or in a variable, that holds all living objects of a growing line.
package struct GrowingCollection: Sendable, Equatable {
    /// The type of the object that has the property; nil: the collection is a static or global variable.
    package let owner: String?
    /// The property: "messages"; or the variable: "static Chat.messages".
    package let property: String
    /// The number of the objects in it.
    package let count: Int
    /// Whether the object is tracked.
    package let isOwnerTracked: Bool
}

/// How objects missed the checkpoint by which they should have been released.
package struct MissedExpectation: Sendable, Equatable {
    /// The time by which something should have been gone.
    package enum Deadline: Sendable, Equatable {
        /// A checkpoint, by its name.
        case checkpoint(String)
        /// The end of the recording.
        case end
        /// The moment of the snapshot.
        case now
    }

    /// How many of the finding's objects were expected to be gone, companions included.
    package var objects: UInt64
    /// How many of these were released later.
    package var late: UInt64 = 0
    /// The earliest deadline that was missed.
    package var deadline: Deadline
    /// The latest deadline that was missed; nil if it is a checkpoint of the same name, or the same end.
    package var lastDeadline: Deadline?
    /// Values that their subscriptions, and those that hold them, delivered after that; nil if unknown.
    package var deliveries: UInt64?
    /// Whether there may be more deliveries, because a snapshot had no room for some of the objects.
    package var isAtLeast = false
}

/// One thing that a rule found, before those with the same signature are merged.
struct LeakInstance {
    let rule: LeakRule
    let signature: LeakSignature
    let example: LeakFinding.Example
    var snapshot: UInt32?
    /// Bytes that would be freed with it; 0 if unknown.
    var bytes: UInt64 = 0
    /// How often it counts.
    var weight: UInt64 = 1
    /// Its tracked objects that were expected to be gone.
    var expected: [UInt32] = []
    var isLate = false
    /// Other objects that were expected to be gone and are held by it.
    private(set) var companions: [LeakCompanion] = []
    /// Whether it is a cycle of nodes and subscriptions alone: disposing one of these from outside cuts it.
    var isDisposable = false
    /// Whether it is a cycle held by a static or global variable, which does not release it.
    var isHeldForGood = false
    /// The object of a proven cycle, or before it, that a weak reference from outside reaches; nil: nothing can cut the cycle.
    var weakEntry: Int?
    /// The collection that holds all objects of a growing line; nil: none does.
    var collection: GrowingCollection?
    /// Whether a snapshot had no room for it, so that the subscriptions that it receives values through are unknown.
    var isOmitted = false
    /// The deadline that it missed; nil if that is the end of the recording or there is no trace.
    var missed: ObjectLife.Deadline?
    /// The subscription that keeps it alive.
    var subscription: UInt32?
    /// The subscriptions that are reported with it.
    var reportedSubscriptions: [UInt32] = []
    /// The subscriptions whose deliveries after the deadline are reported.
    var receivers: [UInt32] = []
    /// The tracked objects that are reported with it.
    var reportedObjects: [UInt32] = []

    /// Adds another object that would go with this one, without its subscriptions.
    mutating func add(_ companion: LeakCompanion) { companions.append(companion) }

    /// Adds another object that was expected to be gone, and would go with this one.
    mutating func take(_ companion: LeakCompanion, _ scene: LeakScene) {
        companions.append(companion)
        guard let id = companion.id else { return }
        reportedObjects.append(id)
        reportedSubscriptions += scene.ownedSubscriptions[id] ?? []
        let missedBy = scene.missed(id)
        if expected.isEmpty && missed == nil { missed = missedBy }
        if missedBy == missed { receivers += scene.receivers(of: id) }
    }
}

/// An object that was expected to be gone, and is held by an object in a finding.
struct LeakCompanion {
    /// The id of the tracked object; nil if the snapshot lacks it.
    let id: UInt32?
    let type: String
    let isLate: Bool
}

/// The rules that find leaks, by the names that commands use; 'What leaks' defines them.
package enum LeakRule: String, CaseIterable, Sendable {
    /// A cycle of strong references that nothing outside holds.
    case retainCycle = "retain-cycle"
    /// A cycle of strong references that something outside still holds.
    case heldCycle = "held-cycle"
    /// An object that is alive after the checkpoint by which it should have been released.
    case outlivedScope = "outlived-scope"
    /// A subscription that nobody disposed, or an object that only a handler holds.
    case undisposed
    /// A line of the program that leaves more behind with each round.
    case growth
}
