import WeirTrace

/// All findings of the leak rules: one for each signature, worst first.
///
/// They are ordered by severity, then by count, then by bytes.
package struct LeakFindings: Sendable, Equatable {
    /// The findings, worst first.
    package let found: [LeakFinding]
    /// How many nodes, subscriptions and tracked objects in the findings should be gone.
    package let overdueCount: Int
    /// How many of these are garbage.
    package let garbageCount: Int

    /// Analyses a snapshot alone: cycles, objects that only handlers hold, and objects that `isExpected` marks as overdue.
    package init(
        _ snapshot: TraceSnapshot, rules: Set<LeakRule> = Set(LeakRule.allCases),
        isExpected: (SnapshotObject) -> Bool = { _ in false }
    ) {
        self = withoutActuallyEscaping(isExpected) { isExpected in
            let scene = LeakScene(snapshot: snapshot, isExpected: isExpected)
            let instances = LeakRule.instances(scene, rules)
            return LeakFindings(
                LeakGroup.all(instances.filter { rules.contains($0.rule) }), [nil: snapshot],
                overdue: OverdueCount(scene, isExpected: isExpected))
        }
    }

    /// Analyses the object lives of a trace and its snapshots; `snapshot` returns the one with a number, if it can be read.
    package init(
        _ pass: LeakPass, _ reader: TraceReader, rules: Set<LeakRule> = Set(LeakRule.allCases),
        snapshot: (UInt32) -> TraceSnapshot?
    ) {
        let judged = pass.snapshot.flatMap(snapshot)
        let scene = LeakScene(judged ?? TraceSnapshot(), number: pass.snapshot, pass)
        var snapshots: [UInt32?: TraceSnapshot] = [pass.snapshot: scene.snapshot]
        var instances =
            LeakRule.instances(scene, rules)
            + OutlivedScopeRule.others(scene, pass) { number in
                if let known = snapshots[number] { return known }
                snapshots[number] = snapshot(number)
                return snapshots[number]
            }
        var overdue = OverdueCount(scene, isExpected: scene.isExpected)
        for instance in instances { overdue.take(instance, pass) }
        if snapshots.values.contains(where: { $0.omittedObjects > 0 }) {
            OmittedObjects.assign(in: &instances, pass.topology.definitions)
            OmittedObjects.assignSubscriptions(in: &instances, scene.snapshot, pass)
        }
        let orphans = UndisposedRule.orphans(pass)
        var reported = Set((instances + orphans).flatMap { $0.reportedSubscriptions + $0.receivers })
        // A finding names all closures that capture its object.
        let places = instances.compactMap { instance -> Int? in
            guard case .object(let place) = instance.example, instance.snapshot == pass.snapshot else { return nil }
            return place
        }
        if !places.isEmpty { reported.formUnion(OtherCaptures(of: places, in: scene.snapshot).subscriptions) }
        // Subscriptions held by a reported object or subscription, such as by its bag, end with it.
        let explained = ExplainedThings(
            objects: Set((instances + orphans).flatMap(\.reportedObjects)), subscriptions: reported, in: scene.snapshot,
            pass.topology)
        // An await for a node of such an object ends with that.
        let awaits = Awaits(pass.topology)
        let awaited = pass.topology.subscriptions.filter(\.isOfAwait).filter {
            awaits.node(of: $0.id).map(explained.nodes.contains) ?? false
        }
        instances +=
            orphans
            + UndisposedRule.open(pass, reported: explained.subscriptions.union(awaited.map(\.id)))
        for instance in orphans { overdue.take(instance, pass) }
        var groups = LeakGroup.all(instances.filter { rules.contains($0.rule) })
        if rules.contains(.growth) { groups += LeakGroup.all(GrowthRule.instances(pass, scene, groups)) }
        self.init(groups, snapshots, overdue: overdue, pass, reader)
    }

    /// Whether any finding is more severe than a note.
    package var hasFaults: Bool { found.contains { $0.severity > .note } }

    private init(
        _ groups: [LeakGroup], _ snapshots: [UInt32?: TraceSnapshot], overdue: OverdueCount,
        _ pass: LeakPass? = nil, _ reader: TraceReader? = nil
    ) {
        let groups = LeakGroup.joined(groups) { example in
            LeakRemedy(for: example, snapshots[example.snapshot] ?? TraceSnapshot(), pass?.topology.definitions)
        }
        let deliveries = reader.flatMap { reader in
            pass.map { DeliveriesAfter(groups.map(\.receivers), in: reader, $0).counts }
        }
        let fingerprints = LeakFingerprints(groups.map(\.example))
        let findings = groups.enumerated().map { place, group in
            LeakFinding(
                group, fingerprint: fingerprints.texts[place], deliveries: deliveries?[place], pass,
                snapshots[group.example.snapshot])
        }
        let awaits = pass.map { Awaits($0.topology) }
        let noted = OtherCaptures.noted(in: findings, snapshots).map { finding in
            var finding = finding
            finding.awaited = finding.subscription.flatMap { awaits?.node(of: $0) }
            return finding
        }
        found = noted.enumerated().sorted { one, other in
            let (left, right) = (one.element.order, other.element.order)
            return left == right ? one.offset < other.offset : left > right
        }.map(\.element)
        overdueCount = overdue.identities.count
        garbageCount = overdue.garbage
    }
}

extension LeakScene {
    fileprivate init(_ snapshot: TraceSnapshot, number: UInt32?, _ pass: LeakPass) {
        let missed = { (id: UInt32) in pass.lives.object(id)?.missed }
        self.init(snapshot: snapshot, number: number) { $0.trackedObject.flatMap(missed) != nil }
        self.missed = missed
        definitions = pass.topology.definitions
        isLate = { pass.lives.object($0)?.isLate == true }
        for subscription in pass.topology.subscriptions {
            if let owner = pass.topology.definitions.receiver(of: subscription) {
                ownedSubscriptions[owner, default: []].append(subscription.id)
            }
        }
    }
}

extension TraceDefinitions {
    /// The object for which a subscription works, or into a node of which it brings values from outside of that object.
    fileprivate func receiver(of subscription: TraceSubscription) -> UInt32? {
        if let owner = subscription.owner { return owner }
        let owner = subscription.target.flatMap { nodes[$0]?.owner }
        return owner == nodes[subscription.source]?.owner ? nil : owner
    }
}

extension LeakFinding {
    fileprivate init(
        _ group: LeakGroup, fingerprint: String, deliveries: UInt64?, _ pass: LeakPass?, _ snapshot: TraceSnapshot?
    ) {
        let example = group.example
        var expectation: MissedExpectation?
        if !group.expected.isEmpty || group.companions > 0 || example.rule == .outlivedScope {
            let first = group.deadlines.flatMap { pass?.deadline($0.lowerBound) } ?? .now
            let last = group.deadlines.flatMap { pass?.deadline($0.upperBound) } ?? .now
            expectation = MissedExpectation(
                objects: UInt64(group.expected.count) &+ group.companions, late: group.late,
                deadline: first, lastDeadline: last == first ? nil : last,
                deliveries: group.receivers.isEmpty ? nil : deliveries, isAtLeast: group.hasOmitted)
        }
        self.init(
            rule: example.rule, severity: group.severity, count: group.count,
            example: example.example, snapshot: example.snapshot,
            remedy: LeakRemedy(for: example, snapshot ?? TraceSnapshot(), pass?.topology.definitions),
            expectation: expectation, companions: group.companions, typesOfCompanions: group.typesOfCompanions,
            otherCycles: group.otherCycles, weakEntry: example.weakEntry, subscription: example.subscription,
            sources: Self.sources(group, pass?.topology.definitions), collection: example.collection,
            bytes: group.bytes, fingerprint: fingerprint,
            signature: example.signature)
    }

    /// The nodes that a group of subscriptions observes: those of one line may observe several.
    private static func sources(_ group: LeakGroup, _ definitions: TraceDefinitions?) -> [UInt32] {
        switch group.example.example {
        case .orphan, .openSubscription:
            var seen: Set<UInt32> = []
            return group.reportedSubscriptions.sorted().compactMap { definitions?.subscriptions[$0]?.source }
                .filter { seen.insert($0).inserted }
        case .cycle, .object, .tracked, .growth: return []
        }
    }

    fileprivate var order: (Int, UInt64, UInt64) { (severity.rawValue, count, bytes) }
}

extension LeakRule {
    /// The instances in a snapshot, without those that another enabled rule reports.
    fileprivate static func instances(_ scene: LeakScene, _ rules: Set<LeakRule>) -> [LeakInstance] {
        var cycles = CycleRules.instances(scene)
        let isReportedByCycles = rules.contains(.retainCycle) && cycles.contains { $0.rule == .retainCycle }
        if isReportedByCycles { GarbageExpectations.add(to: &cycles, scene) }
        return cycles + OutlivedScopeRule.instances(scene, includesGarbage: !isReportedByCycles)
            + UndisposedRule.heldObjects(scene)
    }
}

/// Makes the fingerprints of findings: a hash of the rule and the signature without its lines.
///
/// Findings that differ only in lines are numbered in the order of their signatures.
struct LeakFingerprints {
    /// In the order of the examples.
    private(set) var texts: [String]

    init(_ examples: [LeakInstance]) {
        let hashes = examples.map { $0.signature.hash(rule: $0.rule) }
        texts = hashes.map { StableHash.digits($0.value) }
        let places = examples.indices.sorted { examples[$0].signature < examples[$1].signature }
        var ordinals: [StableHash: Int] = [:]
        for place in places {
            let ordinal = ordinals[hashes[place], default: 0]
            ordinals[hashes[place]] = ordinal + 1
            guard ordinal > 0 else { continue }
            var hash = hashes[place]
            hash.add(String(ordinal))
            texts[place] = StableHash.digits(hash.value)
        }
    }
}

/// A line of the program for which each of several checkpoints with one name found more alive than the one before.
package struct LineGrowth: Sendable, Hashable {
    /// The objects that one line of the program makes.
    package enum Line: Sendable, Hashable {
        /// Nodes of a kind, by the line that makes them.
        case nodes(rawKind: UInt8, TraceSite?)
        /// Subscriptions that are not internal, by the line that makes them.
        case subscriptions(TraceSite?)
        /// Tracked objects, by type and name.
        case objects(type: String?, label: String?)
    }

    /// The name of the checkpoints.
    package let checkpoint: String
    /// How many checkpoints there were.
    package let rounds: Int
    /// The line.
    package let line: Line
    /// How many were alive at the first of these checkpoints, and at the last.
    package let first: Int, last: Int
}
