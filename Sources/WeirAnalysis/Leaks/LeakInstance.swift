import WeirTrace

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
