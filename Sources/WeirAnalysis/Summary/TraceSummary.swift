import WeirTrace

/// The figures of a whole recording, taken in one pass.
///
/// Memory grows with the nodes, subscriptions, tracked objects and threads of the trace, never with its events.
///
/// ```swift
/// let summary = try TraceSummary(of: TraceReader(path: "login.weir"))
/// for node in summary.busiestNodes { print(node.name, node.emissions, node.refreshes) }
/// ```
package struct TraceSummary: Sendable {
    /// The file's header at the end of the pass.
    package internal(set) var header: TraceHeader
    /// Converts ticks to nanoseconds.
    package let timeScale: TimeScale
    /// The nodes by id, including inactive ones.
    package internal(set) var nodes: [NodeSummary] = []
    /// The longest chain of emissions from each node that began one, the longest first.
    package internal(set) var longestChains: [EmissionChain] = []
    /// The terminal handlers that took time, by call site of the subscription, those with the most time first.
    package internal(set) var slowestHandlers: [HandlerSummary] = []
    /// The threads by number.
    package internal(set) var threads: [ThreadSummary] = []
    /// The stimuli by name, in the order of their first use; at most `maximalStimuli`.
    package internal(set) var stimuli: [StimulusSummary] = []
    /// Stimuli with other names than the first `maximalStimuli`.
    package internal(set) var otherStimuli: UInt64 = 0
    /// Emissions without a recorded cause.
    package internal(set) var rootEmissions: UInt64 = 0
    /// Completions and failures without a recorded cause.
    package internal(set) var rootEndings: UInt64 = 0
    /// Batches without a recorded cause.
    package internal(set) var rootBatches: UInt64 = 0
    /// Hops without a known cause.
    package internal(set) var rootHops: UInt64 = 0
    /// Deliveries of values through subscriptions that the trace does not define.
    package internal(set) var unattributedDeliveries: UInt64 = 0
    /// Tracked objects that had not been released when the recording ended, by id.
    package internal(set) var liveObjects: [TraceObject] = []
    /// Handlers that waited for their actors at the end of the recording, by call site of the subscription.
    package internal(set) var waitingHandlers: [WaitingHandlers] = []
    /// The public nodes that private nodes feed, by id.
    package internal(set) var disclosures: [Disclosure] = []
    /// The snapshots of the heap, and how long they paused the program.
    package internal(set) var snapshots = SnapshotSummary()
    /// The ticks of the last event; the start of the recording if there is none.
    package internal(set) var lastTicks: UInt64
    /// Events that `eventsLost` records report as lost.
    package internal(set) var reportedLost: UInt64 = 0
    /// Whether chunks were overwritten although the file does not count their events.
    package internal(set) var mayLackThreads = false
    /// Whether a chunk begins inside more frames than it lists.
    package internal(set) var hasUnlistedFrames = false
    /// Events with their own time stamps.
    package internal(set) var stampedEvents: UInt64 = 0
    /// The first hundred damaged parts of the file.
    package internal(set) var damage: [TraceDamage] = []
    /// The number of damaged parts.
    package internal(set) var damageCount = 0

    var countByKind = [UInt64](repeating: 0, count: 32)
    var settlingsByKind: [EventKind: UInt64] = [:]

    /// The most stimulus names that are counted separately.
    package static let maximalStimuli = 1000

    init(header: TraceHeader) {
        self.header = header
        timeScale = TimeScale(header)
        lastTicks = header.startTicks
    }

    /// Reads the whole trace and counts; `report` regularly receives the progress.
    package init(
        of reader: TraceReader, reporting report: PassProgress.Report? = nil
    ) throws(TraceError) {
        var counter = SummaryCounter(header: reader.header, definitions: try reader.definitions())
        if !counter.takeCount(of: reader, reporting: report) {
            reader.forEachEvent(reporting: report) { event in
                counter.count(event)
                return true
            }
        }
        self = counter.finish()
        header = reader.header
        damage = reader.damage
        damageCount = reader.damageCount
        mayLackThreads = reader.mayLackThreads
        hasUnlistedFrames = reader.hasUnlistedFrames
    }

    /// The number of events of one kind.
    package func count(of kind: EventKind) -> UInt64 { countByKind[Int(kind.rawValue)] }

    /// The number of delivery events of one kind that deliver nothing, because the turn settles.
    package func settlings(of kind: EventKind) -> UInt64 { settlingsByKind[kind] ?? 0 }

    /// Emissions at the end of which deferred work ran, so that the turn settled.
    package var settlings: UInt64 { settlingsByKind.values.reduce(0, &+) }

    /// All events that were read.
    package var eventCount: UInt64 { countByKind.reduce(0, &+) }

    /// The time from the start of the recording to its last event, in nanoseconds.
    package var durationNanoseconds: UInt64 { timeScale.nanosecondsSinceStart(lastTicks) }

    /// The active nodes, the most active first.
    package var busiestNodes: [NodeSummary] {
        nodes.filter { $0.activity > 0 }.sorted {
            ($0.activity, $1.name, $1.id) > ($1.activity, $0.name, $0.id)
        }
    }

    /// New values that all nodes emitted.
    package var emissions: UInt64 { nodes.reduce(0) { $0 &+ $1.emissions } }

    /// The number of nodes of each kind, in the order of the kinds, without nodes of unknown kinds.
    package var nodesByKind: [(kind: NodeKind, count: Int)] {
        let nodes = Dictionary(grouping: nodes, by: \.kind)
        return NodeKind.allCases.compactMap { kind in nodes[kind].map { (kind, $0.count) } }
    }

    /// Current values given to new subscribers, which do not count as emissions.
    package var replays: UInt64 { nodes.reduce(0) { $0 &+ $1.replays } }

    /// Deliveries to terminal subscriptions that the trace defines.
    package var refreshes: UInt64 { nodes.reduce(0) { $0 &+ $1.refreshes } }

    /// Refreshes whose handler wrote to an observable or emitted.
    package var carriedOn: UInt64 { nodes.reduce(0) { $0 &+ $1.carriedOn } }

    /// Numbered events that the file no longer holds: they were overwritten, or are in damaged parts.
    package var missingEvents: UInt64 {
        let ofThreads: UInt64 = threads.reduce(0) { sum, thread in
            let (total, overflow) = sum.addingReportingOverflow(thread.missing)
            return overflow ? .max : total
        }
        // Only the header still counts the events of a thread whose last chunk was overwritten.
        return max(ofThreads, header.overwrittenEvents ?? 0)
    }

    /// Events that were never recorded; nil if the file does not contain their number.
    package var lostEvents: UInt64? { header.lostEvents.map { max($0, reportedLost) } }

    /// Whether the trace holds everything that happened during the recording.
    package var isComplete: Bool { TraceLosses(self).isEmpty }
}

extension TraceSummary {
    /// The time that writing this trace cost the program, over all threads; nil if the trace lacks the cost of a record.
    ///
    /// It is the cost of a record, as the recorder measured it at the beginning of the recording, times the number of events
    /// read. Making definitions and descriptions of values costs extra.
    package var overheadNanoseconds: UInt64? {
        guard let cost = header.recordCost else { return nil }
        let unstamped = eventCount > stampedEvents ? eventCount - stampedEvents : 0
        let (one, overflow) = unstamped.multipliedReportingOverflow(by: UInt64(cost.picoseconds))
        let (other, otherOverflow) = stampedEvents.multipliedReportingOverflow(by: UInt64(cost.stampedPicoseconds))
        let (sum, sumOverflow) = one.addingReportingOverflow(other)
        return overflow || otherOverflow || sumOverflow ? .max / 1000 : sum / 1000
    }
}
