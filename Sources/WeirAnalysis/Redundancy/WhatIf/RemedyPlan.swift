import WeirTrace

/// The changes that remedies make, by indexes of nodes and subscriptions.
final class RemedyPlan: Sendable {
    let removeDuplicates: PlaceSet
    let settled: PlaceSet
    /// Nodes of type combineLatest that a settled combiner replaces.
    let replaced: PlaceSet
    /// Those of them for which a combiner can be written: their inputs have values.
    private let replaceable: PlaceSet
    /// By node, the replaced nodes that depend on its value.
    let replacedTargets: [Int: [Int]]
    private let topology: Topology?
    let throttled: PlaceSet
    let disposed: PlaceSet
    /// For each subscription that repeats another one, and each that only feeds such ones: the repeating one, and the first.
    let repeated: [Int: (subscription: Int, first: Int)]
    let repeatedPlaces: PlaceSet
    /// Sources that run once for all overlapping subscriptions.
    let shared: PlaceSet
    /// Those of them of which a later subscriber receives the last value.
    let replayed: PlaceSet
    /// By source, an earlier one that does the same work, and serves in its place.
    private let originals: [Int: Int]
    /// Nodes that are made only when they are shown.
    let later: PlaceSet
    /// Nodes whose inputs are narrowed.
    let narrowed: PlaceSet
    /// Their subscriptions that are narrowed.
    let narrowedInputs: PlaceSet
    /// The nodes and subscriptions of each remedy that puts a batch around stimuli.
    let batched: [Batched]
    /// The subscriptions whose refreshes batches join.
    let batchedSubscriptions: PlaceSet
    private let batchedNodes: PlaceSet
    /// Subscriptions whose handlers write in a batch.
    let batchedHandlers: PlaceSet
    /// Subscriptions whose handlers change what they observe, which is changed before it is written instead.
    let ownHandlers: PlaceSet
    /// Nodes that such handlers write although they observe something computed from them.
    let corrected: PlaceSet
    /// Nodes that a combiner computes in place of handlers that write them.
    let computedOnce: PlaceSet
    /// Each flatMap whose new values cancel the former request.
    let latest: PlaceSet
    /// Subscriptions whose handlers leave work to later.
    let lightened: PlaceSet
    /// Nodes that one thread writes.
    let delivered: PlaceSet
    /// Nodes without a batch, the values of which the program brings together in place of one.
    let joined: PlaceSet

    /// The pause of a throttle in ticks: the length of a screen frame.
    let frameTicks: UInt64
    /// Whether turns are replayed; otherwise evaluations are only counted.
    let plays: Bool
    /// Whether evaluations fall away that can be counted without a replay.
    let counts: Bool

    /// The nodes and subscriptions that a batch concerns.
    struct Batched {
        let subscriptions: Set<Int>
        let nodes: Set<Int>

        /// The nodes whose writes all count, if no subscriptions are known.
        var writes: Set<Int> { subscriptions.isEmpty ? nodes : [] }
    }

    /// A plan without changes.
    static let none = RemedyPlan([], nil, frameTicks: 0, writers: [])

    var isBatching: Bool { !batched.isEmpty }

    /// The changes of several remedies.
    ///
    /// - Parameter writers: Subscriptions whose handlers write in a batch besides, because they make several writes that a batch joins.
    convenience init(_ remedies: [Remedy], _ topology: Topology, frameTicks: UInt64, writers: Set<Int> = []) {
        let changes = remedies.filter(\.isComputable).map { remedy in
            Change(
                kind: remedy.kind, nodes: Set(remedy.nodes.compactMap(topology.place(ofNode:))),
                subscriptions: Set(remedy.subscriptions.compactMap(topology.place(ofSubscription:))),
                settled: remedy.kind == .batch ? Set(remedy.joins.compactMap { topology.place(ofNode: $0.node) }) : [],
                isBatch: remedy.isBatch,
                originals: Dictionary(
                    remedy.originals.compactMap { node, original in
                        topology.place(ofNode: node).flatMap { node in
                            topology.place(ofNode: original).map { (node, $0) }
                        }
                    }
                ) { first, _ in first }, corrected: remedy.corrected.flatMap(topology.place(ofNode:)),
                replays: remedy.kind == .replay || remedy.needsReplay)
        }
        self.init(changes, topology, frameTicks: frameTicks, writers: writers)
    }

    /// Whether a batch concerns something in a turn.
    func batches(around turn: RecordedTurn) -> Bool {
        if !batchedSubscriptions.isEmpty {
            for flow in turn.flows.elements where batchedSubscriptions.contains(flow.subscription) { return true }
        }
        if !batchedNodes.isEmpty {
            for change in turn.changes.elements where change.hasEmitted && batchedNodes.contains(change.node) {
                return true
            }
        }
        return false
    }

    /// Whether a batch concerns several deliveries of a turn.
    func joinsRefreshes(of turn: RecordedTurn) -> Bool {
        if batchedSubscriptions.isEmpty { return false }
        return turn.flows.elements.contains { $0.received > 1 && batchedSubscriptions.contains($0.subscription) }
    }

    func isReplaceable(_ node: Int) -> Bool { replaceable.contains(node) }

    /// The source that serves in place of a shared one: the first that does the same work.
    func hub(of source: Int) -> Int { originals.isEmpty ? source : Self.first(source, originals) }

    private static func first(_ source: Int, _ originals: [Int: Int]) -> Int {
        var first = source
        while let earlier = originals[first] { first = earlier }
        return first
    }

    /// The most combiners on any path to a node, if combiners replace operators.
    func height(_ node: Int, _ program: RecordedProgram) -> Int {
        guard let topology else { return 0 }
        return LatestJoins.height(node, topology, program)
    }

    private struct Change {
        let kind: Remedy.Kind
        let nodes: Set<Int>
        let subscriptions: Set<Int>
        /// Nodes that wait besides.
        let settled: Set<Int>
        /// Whether the remedy puts a batch around stimuli.
        let isBatch: Bool
        let originals: [Int: Int]
        let corrected: Int?
        /// Whether later subscribers of the nodes receive the last value.
        let replays: Bool
    }

    private init(_ changes: [Change], _ topology: Topology?, frameTicks: UInt64, writers: Set<Int>) {
        func all(_ kind: Remedy.Kind, _ places: KeyPath<Change, Set<Int>>) -> PlaceSet {
            PlaceSet(changes.reduce(into: []) { if $1.kind == kind { $0.formUnion($1[keyPath: places]) } })
        }
        removeDuplicates = PlaceSet(
            Set(
                all(.removeDuplicates, \.subscriptions).places + all(.removeDuplicateRequests, \.subscriptions).places))
        settled = PlaceSet(changes.reduce(into: []) { $0.formUnion($1.kind == .settled ? $1.nodes : $1.settled) })
        let joins = topology.map { [settled] in LatestJoins($0, settled.places) }
        replaced = PlaceSet(joins?.all ?? [])
        replaceable = PlaceSet(Set((joins?.roots ?? [:]).keys))
        replacedTargets = joins?.targets ?? [:]
        self.topology = topology
        throttled = all(.throttle, \.subscriptions)
        disposed = all(.dispose, \.subscriptions)
        let repetitions = topology?.repetitions(of: Set(all(.subscribeOnce, \.subscriptions).places))
        let first = repetitions?.first ?? [:]
        repeated = first.merging(repetitions?.feeders ?? [:]) { $1 }.reduce(into: [:]) { repeated, entry in
            let subscription = first[entry.key] == nil ? entry.value : entry.key
            repeated[entry.key] = first[subscription].map { (subscription, $0) }
        }
        repeatedPlaces = PlaceSet(Set(repeated.keys))
        let sharing = changes.filter { [.share, .replay, .makeOnce].contains($0.kind) }
        shared = PlaceSet(sharing.reduce(into: []) { $0.formUnion($1.nodes) })
        originals = sharing.reduce(into: [:]) { $0.merge($1.originals) { first, _ in first } }
        let replaying = sharing.filter(\.replays).flatMap(\.nodes)
        replayed = PlaceSet(Set(replaying.map { [originals] in Self.first($0, originals) }))
        later = all(.makeLater, \.nodes)
        narrowed = all(.narrowInput, \.nodes)
        narrowedInputs = all(.narrowInput, \.subscriptions)
        let batched = changes.filter(\.isBatch).map {
            Batched(subscriptions: $0.subscriptions, nodes: $0.nodes)
        }
        self.batched = batched
        batchedSubscriptions = PlaceSet(batched.reduce(into: []) { $0.formUnion($1.subscriptions) })
        batchedNodes = PlaceSet(batched.reduce(into: []) { $0.formUnion($1.writes) })
        computedOnce = all(.computeOnce, \.nodes)
        latest = all(.latestRequest, \.nodes)
        batchedHandlers = PlaceSet(writers.union(all(.batchHandler, \.subscriptions).places))
        ownHandlers = all(.cutLoop, \.subscriptions)
        lightened = all(.lightenHandler, \.subscriptions)
        delivered = all(.deliver, \.nodes)
        corrected = PlaceSet(Set(changes.compactMap(\.corrected)))
        let sources = batchedSubscriptions.places.compactMap { topology?.sources[$0] }
        joined = PlaceSet(Set(sources.filter { topology?.canBatch($0) == false }))
        self.frameTicks = frameTicks
        plays =
            !batched.isEmpty
            || [
                removeDuplicates, settled, throttled, disposed, repeatedPlaces, shared, batchedHandlers, computedOnce,
                latest, ownHandlers,
            ]
            .contains { !$0.isEmpty }
        counts = !later.isEmpty || !narrowed.isEmpty
    }
}

extension Topology {
    /// Whether a batch holds back the values of a node.
    func canBatch(_ node: Int) -> Bool {
        let technique = definitions.nodes[nodeIDs[node]]?.technique ?? .weir
        return technique == .weir || technique == .traced
    }
}

extension Remedy {
    /// Whether it puts a batch around stimuli.
    var isBatch: Bool { kind == .batch || kind == .computeOnce && !subscriptions.isEmpty }

    /// Whether the effect of the remedy can be computed from a trace at all.
    package var isComputable: Bool {
        switch kind {
        case .batchHandler: !subscriptions.isEmpty
        case .throttle: !isOfBody
        case .cutLoop: isOfOwnState || corrected != nil
        case .handleFailure: isOfHandlers
        case .cutLaterLoop, .catchInRequest, .dropStale: false
        case .removeDuplicates, .settled, .batch, .share, .replay, .makeOnce, .dispose, .subscribeOnce, .makeLater,
            .narrowInput, .removeDuplicateRequests, .computeOnce, .latestRequest, .deliver, .lightenHandler:
            true
        }
    }
}
