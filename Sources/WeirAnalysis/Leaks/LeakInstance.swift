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
    /// A circle of nodes and subscriptions alone: who disposes one of these from outside cuts it.
    var isDisposable = false
    /// The deadline that it missed; nil: the end of the recording, or no trace.
    var missed: ObjectLife.Deadline?
    /// The subscription that keeps it alive.
    var subscription: UInt32?
    /// The subscriptions that are told with it.
    var toldSubscriptions: [UInt32] = []
    /// The subscriptions whose deliveries after the deadline are told.
    var receivers: [UInt32] = []
}

/// The instances with one rule and signature.
struct LeakGroup {
    private(set) var example: LeakInstance
    private(set) var count: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var expected: Set<UInt32> = []
    private(set) var late: UInt64 = 0
    /// All of its circles can be cut from outside.
    private(set) var isDisposable = true
    /// The subscriptions whose deliveries count, each from the first deadline on.
    private(set) var receivers: [UInt32: Int] = [:]

    /// A group that begins with `instance`, which is yet to be added.
    init(counting instance: LeakInstance) { example = instance }

    mutating func add(_ instance: LeakInstance) {
        // What is alive shows more than what is gone by now.
        if example.isLate && !instance.isLate { example = instance }
        count &+= instance.weight
        bytes &+= instance.bytes
        expected.formUnion(instance.expected)
        if instance.isLate { late += 1 }
        isDisposable = isDisposable && instance.isDisposable
        guard case .checkpoint(let place) = instance.missed else { return }
        for subscription in instance.receivers {
            receivers[subscription] = min(receivers[subscription] ?? place, place)
        }
    }
}
