import WeirTrace

/// One thing that a rule found, before those with the same signature are told as one.
struct LeakInstance {
    let rule: LeakRule
    let signature: LeakSignature
    let example: LeakFinding.Example
    var snapshot: UInt32?
    /// Bytes that would be freed with it; 0: not known.
    var bytes: UInt64 = 0
    /// How often it counts.
    var weight: UInt64 = 1
    /// The tracked objects of it that were expected to be gone.
    var expected: [UInt32] = []
    var isLate = false
    /// Others that were expected to be gone and hang on it.
    private(set) var companions: [LeakCompanion] = []
    /// A circle of nodes and subscriptions alone: who disposes one of these from outside cuts it.
    var isDisposable = false
    /// A circle that a static or global variable holds, which does not let go.
    var isHeldForGood = false
    /// The deadline that it missed; nil: the end of the recording, or no trace.
    var missed: ObjectLife.Deadline?
    /// The subscription that keeps it alive.
    var subscription: UInt32?
    /// The subscriptions that are told with it.
    var toldSubscriptions: [UInt32] = []
    /// The subscriptions whose deliveries after the deadline are told.
    var receivers: [UInt32] = []
    /// The tracked objects that are told with it.
    var toldObjects: [UInt32] = []

    /// Another that was expected to be gone, and would go with this one.
    mutating func take(_ companion: LeakCompanion, _ scene: LeakScene) {
        companions.append(companion)
        guard let id = companion.id else { return }
        toldObjects.append(id)
        let owned = scene.ownedSubscriptions[id] ?? []
        toldSubscriptions += owned
        let missedBy = scene.missed(id)
        if expected.isEmpty && missed == nil { missed = missedBy }
        if missedBy == missed { receivers += owned }
    }
}

/// An object that was expected to be gone, and hangs on what a finding tells.
struct LeakCompanion {
    /// The id of the tracked object; nil: the snapshot does not tell it.
    let id: UInt32?
    let type: String
    let isLate: Bool
}
