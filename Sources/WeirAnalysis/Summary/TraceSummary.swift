import WeirTrace

/// The figures of a whole recording, taken in one pass.
///
/// Memory grows with the nodes, subscriptions, tracked objects and threads of the trace, never with its events.
///
/// ```swift
/// let summary = try TraceSummary(of: TraceReader(path: "login.weir"))
/// for node in summary.busiestNodes { print(node.name, node.emissions, node.refreshes) }
/// ```
public struct TraceSummary: Sendable {
    /// The file's header, as it was when the pass ended.
    public internal(set) var header: TraceHeader
    /// Turns ticks into nanoseconds.
    public let timeScale: TimeScale
    /// The nodes by id, those that did nothing included.
    public internal(set) var nodes: [NodeSummary] = []
    /// The longest chain of emissions from each node that began one, the longest first.
    public internal(set) var longestChains: [EmissionChain] = []
    /// What took time in terminal handlers, by the place where they were subscribed, the most in all first.
    public internal(set) var slowestHandlers: [HandlerSummary] = []
    /// The threads by number.
    public internal(set) var threads: [ThreadSummary] = []
    /// The stimuli by name, in the order in which they were first given; at most `maximalStimuli`.
    public internal(set) var stimuli: [StimulusSummary] = []
    /// Stimuli whose names came after the first `maximalStimuli` different ones.
    public internal(set) var otherStimuli: UInt64 = 0
    /// Emissions that nothing recorded caused.
    public internal(set) var rootEmissions: UInt64 = 0
    /// Completions and failures that nothing recorded caused.
    public internal(set) var rootEndings: UInt64 = 0
    /// Batches that nothing recorded caused.
    public internal(set) var rootBatches: UInt64 = 0
    /// Hops of which no cause is known.
    public internal(set) var rootHops: UInt64 = 0
    /// Deliveries of values through subscriptions that the trace does not define.
    public internal(set) var unattributedDeliveries: UInt64 = 0
    /// Tracked objects that had not been released when the recording ended, by id.
    public internal(set) var liveObjects: [TraceObject] = []
    /// Handlers that waited for their actors when the recording ended, by the place where they were subscribed.
    public internal(set) var waitingHandlers: [WaitingHandlers] = []
    /// The public nodes that private ones feed, by id.
    public internal(set) var disclosures: [Disclosure] = []
    /// The snapshots of the heap, and for how long they held up the program.
    public internal(set) var snapshots = SnapshotSummary()
    /// The ticks of the last event; the start of the recording if there is none.
    public internal(set) var lastTicks: UInt64
    /// Events that `eventsLost` records report as lost.
    public internal(set) var reportedLost: UInt64 = 0
    /// Chunks were overwritten, and the file does not count their events.
    public internal(set) var mayLackThreads = false
    /// Events that carry time stamps of their own.
    public internal(set) var stampedEvents: UInt64 = 0
    /// What was found damaged: the first hundred places.
    public internal(set) var damage: [TraceDamage] = []
    /// All damaged places.
    public internal(set) var damageCount = 0

    var countByKind = [UInt64](repeating: 0, count: 32)
    var settlingsByKind: [EventKind: UInt64] = [:]

    /// So many differently named stimuli are counted one by one.
    public static let maximalStimuli = 1000

    init(header: TraceHeader) {
        self.header = header
        timeScale = TimeScale(header)
        lastTicks = header.startTicks
    }

    /// Reads the whole trace and counts; `report` hears now and then how far that has come.
    public init(
        of reader: TraceReader, reporting report: PassProgress.Report? = nil
    ) throws(TraceError) {
        var counter = SummaryCounter(header: reader.header, definitions: try reader.definitions())
        reader.forEachEvent(reporting: report) { event in
            counter.count(event)
            return true
        }
        self = counter.finish()
        header = reader.header
        damage = reader.damage
        damageCount = reader.damageCount
        mayLackThreads = reader.mayLackThreads
    }

    /// Events of one kind.
    public func count(of kind: EventKind) -> UInt64 { countByKind[Int(kind.rawValue)] }

    /// Of the events of one kind of delivery, those that deliver nothing: the turn settles.
    package func settlings(of kind: EventKind) -> UInt64 { settlingsByKind[kind] ?? 0 }

    /// Emissions at whose end something had waited for the turn to settle.
    public var settlings: UInt64 { settlingsByKind.values.reduce(0, &+) }

    /// All events that were read.
    public var eventCount: UInt64 { countByKind.reduce(0, &+) }

    /// From the start of the recording to its last event, in nanoseconds.
    public var durationNanoseconds: UInt64 { timeScale.nanosecondsSinceStart(lastTicks) }

    /// The nodes that did something, those that did the most first.
    public var busiestNodes: [NodeSummary] {
        nodes.filter { $0.activity > 0 }.sorted {
            ($0.activity, $1.name, $1.id) > ($1.activity, $0.name, $0.id)
        }
    }

    /// New values that all nodes gave out.
    public var emissions: UInt64 { nodes.reduce(0) { $0 &+ $1.emissions } }

    /// How many nodes there are of each kind, in the order of the kinds; those of unknown kinds are left out.
    public var nodesByKind: [(kind: NodeKind, count: Int)] {
        let nodes = Dictionary(grouping: nodes, by: \.kind)
        return NodeKind.allCases.compactMap { kind in nodes[kind].map { (kind, $0.count) } }
    }

    /// Current values given to new subscribers; emitted as well, but no emissions.
    public var replays: UInt64 { nodes.reduce(0) { $0 &+ $1.replays } }

    /// Deliveries to terminal subscriptions that the trace defines.
    public var refreshes: UInt64 { nodes.reduce(0) { $0 &+ $1.refreshes } }

    /// Of these, the ones whose handler wrote to an observable or emitted.
    public var carriedOn: UInt64 { nodes.reduce(0) { $0 &+ $1.carriedOn } }

    /// Events that were numbered and that the file no longer holds: overwritten, or in damaged places.
    public var missingEvents: UInt64 {
        let ofThreads: UInt64 = threads.reduce(0) { sum, thread in
            let (total, overflow) = sum.addingReportingOverflow(thread.missing)
            return overflow ? .max : total
        }
        // Only the header still counts the events of a thread whose last chunk was overwritten.
        return max(ofThreads, header.overwrittenEvents ?? 0)
    }

    /// Events that were recorded nowhere; nil when the file does not know.
    public var lostEvents: UInt64? { header.lostEvents.map { max($0, reportedLost) } }

    /// Whether the trace holds everything that happened while it was recorded.
    public var isComplete: Bool { TraceLosses(self).isEmpty }
}
