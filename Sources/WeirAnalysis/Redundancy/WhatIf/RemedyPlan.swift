import WeirTrace

/// What remedies change, by places of nodes and subscriptions.
struct RemedyPlan {
    var removeDuplicates: Set<Int> = []
    var settled: Set<Int> = []
    var throttled: Set<Int> = []
    var disposed: Set<Int> = []
    var shared: Set<Int> = []
    /// Made only when they are shown.
    var later: Set<Int> = []
    /// Whose inputs are narrowed.
    var narrowed: Set<Int> = []
    /// The remedies that put a batch around stimuli: what they are about.
    var batched: [(subscriptions: Set<Int>, nodes: Set<Int>)] = []

    /// How long a frame of the screen is where none is marked, in ticks.
    var frameTicks: UInt64 = 0

    var isBatching: Bool { !batched.isEmpty }
    /// Something is played again; else evaluations are only counted.
    var plays: Bool {
        isBatching || !removeDuplicates.isEmpty || !settled.isEmpty || !throttled.isEmpty || !disposed.isEmpty
            || !shared.isEmpty
    }

    /// Evaluations fall away that need not be played to be counted.
    var counts: Bool { !later.isEmpty || !narrowed.isEmpty }

    init() {}

    /// What all of these change.
    init(_ remedies: [Remedy], _ topology: Topology) {
        for remedy in remedies {
            let nodes = Set(remedy.nodes.compactMap(topology.place(ofNode:)))
            let subscriptions = Set(remedy.subscriptions.compactMap(topology.place(ofSubscription:)))
            switch remedy.kind {
            case .removeDuplicates: removeDuplicates.formUnion(subscriptions)
            case .settled: settled.formUnion(nodes)
            case .throttle: throttled.formUnion(subscriptions)
            case .dispose: disposed.formUnion(subscriptions)
            case .share: shared.formUnion(nodes)
            case .batch: batched.append((subscriptions, nodes))
            case .makeLater: later.formUnion(nodes)
            case .narrowInput: narrowed.formUnion(nodes)
            case .cutLoop, .deliver, .lightenHandler: break
            }
        }
    }
}

extension Remedy.Kind {
    /// Whether what would remain can be told from a trace at all.
    var isComputable: Bool {
        switch self {
        case .cutLoop, .deliver, .lightenHandler: false
        case .removeDuplicates, .settled, .batch, .throttle, .share, .dispose, .makeLater, .narrowInput: true
        }
    }
}
