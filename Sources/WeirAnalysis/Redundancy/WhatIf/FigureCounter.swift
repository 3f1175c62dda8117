@_spi(Records) import WeirTrace

/// Counts refreshes, their handler time, evaluations and runs of sources, event by event.
///
/// Memory grows with open frames.
struct FigureCounter {
    private struct Opened {
        /// The subscription that receives the delivery; nil if there is none.
        var subscription: Int?
        var isSettling = false
        /// When the delivery of a value to a terminal subscription began.
        var began: UInt64?
        /// The time of the refreshes inside the open delivery.
        var inner: UInt64 = 0
        /// The time of the refreshes in this frame so far.
        var duration: UInt64 = 0
    }

    private(set) var figures = Figures()
    private let topology: Topology
    private let computes: [Bool]
    private let isSource: [Bool]
    /// By lane.
    private var threads: [FrameWalk<Opened>] = []

    init(_ topology: Topology) {
        self.topology = topology
        let kinds = topology.nodeIDs.map { topology.definitions.nodes[$0]?.kind }
        computes = kinds.map { $0?.computes ?? false }
        isSource = kinds.map { $0 == .source }
    }

    /// Takes the next event of the trace.
    mutating func take(_ event: RecordedEvent) {
        while event.lane >= threads.count { threads.append(FrameWalk()) }
        let lane = event.lane
        while let closed = threads[lane].close(before: event) { Self.note(closed.payload, in: &threads[lane]) }
        switch event.kind {
        case .deliveryBegan, .deliveryNext: deliver(event)
        case .deliveryEnded:
            if let frame = threads[lane].delivering(event) {
                endDelivery(event, frame)
                if let closed = threads[lane].closeInnermost() { Self.note(closed.payload, in: &threads[lane]) }
            }
        case .emitted: if !event.isReplayed { countEvaluation(event) }
        case .suppressed:
            if event.suppressionReason == .equal || event.suppressionReason == .filtered {
                countEvaluation(event)
            }
        case .subscriptionStarted:
            let place = topology.place(ofSubscription: event.subject)
            if let place, isSource[topology.sources[place]] { figures.sourceRuns &+= 1 }
        default: break
        }
        threads[lane].open(event, Opened())
    }

    /// Adds the time in a frame that was closed to the one around it.
    private static func note(_ closed: Opened, in walk: inout FrameWalk<Opened>) {
        let last = walk.count - 1
        if last >= 0 { walk[last].inner &+= closed.duration &+ closed.inner }
    }

    private mutating func deliver(_ event: RecordedEvent) {
        let lane = event.lane
        guard let last = threads[lane].delivering(event) else { return }
        endDelivery(event, last)
        let place = topology.place(ofSubscription: event.subject)
        let isEnding = threads[lane].frames[last].isEnding
        threads[lane][last].subscription = isEnding ? nil : place
        threads[lane][last].isSettling = event.isSettling
        guard let place, Meaning.isRefresh(isTerminal: !topology.subscriptions[place].isInternal, isEnding: isEnding)
        else { return }
        figures.refreshes &+= 1
        threads[lane][last].began = event.ticks
    }

    /// Ends the open delivery of the frame at an index.
    private mutating func endDelivery(_ event: RecordedEvent, _ place: Int) {
        let frame = threads[event.lane][place]
        if let began = frame.began, event.isStamped, event.ticks >= began {
            let duration = event.ticks - began
            figures.handlerTicks &+= Int64(clamping: Meaning.handlerTicks(lasted: duration, nested: frame.inner))
            threads[event.lane][place].duration &+= duration
        } else {
            threads[event.lane][place].duration &+= frame.inner
        }
        threads[event.lane][place].inner = 0
        threads[event.lane][place].began = nil
    }

    private mutating func countEvaluation(_ event: RecordedEvent) {
        guard let node = topology.place(ofNode: event.subject), computes[node],
            let causing = threads[event.lane].causing, threads[event.lane].frames[causing].isEmission
        else { return }
        let frame = threads[event.lane][causing]
        let isEvaluation = Meaning.isEvaluation(
            isFed: frame.subscription.map { topology.targets[$0] == node } ?? false, isSettling: frame.isSettling,
            isEnding: threads[event.lane].frames[causing].isEnding)
        if isEvaluation { figures.evaluations &+= 1 }
    }
}

/// Counts to compare: those of the recording, and those of a replay.
struct Figures: Equatable {
    var refreshes: Int64 = 0
    var handlerTicks: Int64 = 0
    var evaluations: Int64 = 0
    var sourceRuns: Int64 = 0

    static func + (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &+ right.refreshes, handlerTicks: left.handlerTicks &+ right.handlerTicks,
            evaluations: left.evaluations &+ right.evaluations, sourceRuns: left.sourceRuns &+ right.sourceRuns)
    }

    static func - (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &- right.refreshes, handlerTicks: left.handlerTicks &- right.handlerTicks,
            evaluations: left.evaluations &- right.evaluations, sourceRuns: left.sourceRuns &- right.sourceRuns)
    }
}

/// A value for each of some indexes; changes of a turn that cannot be replayed are undone.
struct Ledger<Value> {
    private let places: PlaceSet
    private var values: [Value?]
    private var changes: [(rank: Int32, former: Value?)] = []

    init(_ places: PlaceSet) {
        self.places = places
        values = .init(repeating: nil, count: places.count)
    }

    /// The value at one of the indexes.
    subscript(place: Int) -> Value? {
        @inline(__always)
        get { values[places.rank(of: place)] }
        @inline(__always)
        set {
            let rank = places.rank(of: place)
            changes.append((Int32(rank), values[rank]))
            values[rank] = newValue
        }
    }

    /// All values that are set.
    var all: some Sequence<Value> { values.lazy.compactMap(\.self) }

    /// Keeps the changes made so far.
    mutating func commit() { changes.removeAll(keepingCapacity: changes.count < 256) }

    /// Undoes the changes since the last commit.
    mutating func takeBack() { while let change = changes.popLast() { values[Int(change.rank)] = change.former } }
}
