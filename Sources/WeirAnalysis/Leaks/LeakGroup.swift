import WeirTrace

/// The instances with one rule and signature.
struct LeakGroup {
    private(set) var example: LeakInstance
    private(set) var count: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var expected: Set<UInt32> = []
    private(set) var companions: UInt64 = 0
    /// In the order in which they were added.
    private(set) var typesOfCompanions: [String] = []
    private(set) var late: UInt64 = 0
    /// The first and the last deadline that was missed; nil if none is known.
    private(set) var deadlines: ClosedRange<ObjectLife.Deadline>?
    /// Whether all of its cycles can be cut from outside, or are held permanently.
    private(set) var isHarmless = true
    /// Whether a snapshot had no room for some of them.
    private(set) var hasOmitted = false
    /// Whether the program may still cut all of its proven cycles, because weak references reach them.
    private(set) var mayBeCut = true
    /// The subscriptions whose deliveries count, each from the given checkpoint on.
    private(set) var receivers: [UInt32: Int] = [:]
    /// Cycles of other signatures that the same change to a closure breaks: of each signature the first, and their number.
    private(set) var otherCycles: [LeakFinding.OtherCycles] = []
    private(set) var reportedObjects: Set<UInt32> = []
    private(set) var reportedSubscriptions: Set<UInt32> = []

    /// A group that begins with `instance`, which the caller still has to add.
    init(counting instance: LeakInstance) { example = instance }

    mutating func add(_ instance: LeakInstance) {
        // A live example shows more than one that is gone by now.
        let isCertain = example.weakEntry != nil && instance.weakEntry == nil
        if example.isLate == instance.isLate ? isCertain : example.isLate { example = instance }
        count &+= instance.weight
        bytes &+= instance.bytes
        expected.formUnion(instance.expected)
        if instance.isLate { late += 1 }
        if let missed = instance.missed {
            deadlines = min(deadlines?.lowerBound ?? missed, missed)...max(deadlines?.upperBound ?? missed, missed)
        }
        for companion in instance.companions {
            companions += 1
            if companion.isLate { late += 1 }
            if typesOfCompanions.count < 64, !typesOfCompanions.contains(companion.type) {
                typesOfCompanions.append(companion.type)
            }
        }
        isHarmless = isHarmless && (instance.isDisposable || instance.isHeldForGood)
        hasOmitted = hasOmitted || instance.isOmitted
        mayBeCut = mayBeCut && instance.weakEntry != nil
        reportedObjects.formUnion(instance.reportedObjects)
        reportedSubscriptions.formUnion(instance.reportedSubscriptions + instance.receivers)
        guard case .checkpoint(let place) = instance.missed else { return }
        for subscription in instance.receivers {
            receivers[subscription] = min(receivers[subscription] ?? place, place)
        }
    }

    /// Adds cycles that the same change breaks: their objects count, the cycles themselves do not.
    private mutating func join(_ other: LeakGroup) {
        otherCycles.append(.init(example: other.example.example, count: other.count))
        expected.formUnion(other.expected)
        companions &+= other.companions
        typesOfCompanions += other.typesOfCompanions.filter { !typesOfCompanions.contains($0) }
        late &+= other.late
        if let more = other.deadlines {
            deadlines =
                min(
                    deadlines?.lowerBound ?? more.lowerBound, more.lowerBound)...max(
                    deadlines?.upperBound ?? more.upperBound, more.upperBound)
        }
        isHarmless = isHarmless && other.isHarmless
        hasOmitted = hasOmitted || other.hasOmitted
        mayBeCut = mayBeCut && other.mayBeCut
        receivers.merge(other.receivers, uniquingKeysWith: min)
        reportedObjects.formUnion(other.reportedObjects)
        reportedSubscriptions.formUnion(other.reportedSubscriptions)
    }

    /// The severity.
    var severity: Finding.Severity {
        switch example.rule {
        // An object that keeps itself alive while it works is no leak, unless it should be gone.
        case .retainCycle: return mayBeCut && expected.isEmpty && companions == 0 ? .warning : .error
        case .outlivedScope: return .error
        case .heldCycle: return isHarmless ? .note : .warning
        // A list of an object that the program tracks may grow on purpose.
        case .growth: return example.collection?.isOwnerTracked == true ? .note : .warning
        case .undisposed:
            switch example.example {
            case .orphan: return .warning
            case .object: return count > 1 ? .warning : .note
            default: return .note
            }
        }
    }

    /// The groups, those of cycles that one change to a closure breaks joined: the one with the shortest signature shows the example.
    static func joined(_ groups: [LeakGroup], _ remedy: (LeakInstance) -> LeakRemedy) -> [LeakGroup] {
        struct Key: Hashable {
            let rule: LeakRule
            let remedy: LeakRemedy
        }
        func order(_ group: LeakGroup) -> (Int, LeakSignature) {
            (group.example.signature.words.count, group.example.signature)
        }
        var cycles: [Key: [LeakGroup]] = [:]
        var keys: [Key?] = []
        for group in groups {
            guard case .cycle = group.example.example else {
                keys.append(nil)
                continue
            }
            let remedy = remedy(group.example)
            let key = remedy.isOfClosure ? Key(rule: group.example.rule, remedy: remedy) : nil
            if let key { cycles[key, default: []].append(group) }
            keys.append(key)
        }
        return zip(groups, keys).compactMap { group, key in
            guard let key else { return group }
            guard let same = cycles.removeValue(forKey: key)?.sorted(by: { order($0) < order($1) }) else { return nil }
            var joined = same[0]
            for other in same.dropFirst() { joined.join(other) }
            return joined
        }
    }

    /// The groups of instances, in the order of the first instance of each.
    static func all(_ instances: [LeakInstance]) -> [LeakGroup] {
        struct Key: Hashable {
            let rule: LeakRule
            let signature: LeakSignature
        }
        var groups: [LeakGroup] = []
        var places: [Key: Int] = [:]
        for instance in instances {
            let key = Key(rule: instance.rule, signature: instance.signature)
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(LeakGroup(counting: instance))
            }
            groups[place].add(instance)
        }
        return groups
    }
}
