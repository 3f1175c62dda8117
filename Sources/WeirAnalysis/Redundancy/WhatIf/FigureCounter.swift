import WeirTrace

/// Counts refreshes, their handler time, evaluations and runs of sources, event by event.
///
/// Memory grows with open frames.
struct FigureCounter {
    private struct Frame {
        var depth: Int
        var isEmission = false
        var isHop = false
        var isEnding = false
        /// The subscription that is being delivered to; nil: none.
        var subscription: Int?
        var isSettling = false
        /// When the delivery of a value to a terminal subscription began.
        var began: UInt64?
        /// How long refreshes inside of the open delivery took.
        var inner: UInt64 = 0
        /// How long refreshes took in this frame so far.
        var duration: UInt64 = 0
    }

    private(set) var figures = Figures()
    private let topology: Topology
    private var threads: [UInt32: [Frame]] = [:]

    init(_ topology: Topology) { self.topology = topology }

    /// Takes the next event of the trace.
    mutating func take(_ event: TraceEvent) {
        var frames = threads.removeValue(forKey: event.id.thread) ?? []
        while let last = frames.last, last.depth >= event.depth { close(&frames) }
        switch event.kind {
        case .deliveryBegan, .deliveryNext: deliver(event, &frames)
        case .deliveryEnded:
            if let last = frames.last, last.isEmission, last.depth == event.depth - 1 {
                endDelivery(event, &frames[frames.count - 1])
                close(&frames)
            }
        case .emitted: if !event.isReplayed { countEvaluation(event, frames) }
        case .suppressed:
            if event.suppressionReason == .equal || event.suppressionReason == .filtered {
                countEvaluation(event, frames)
            }
        case .subscriptionStarted:
            let place = topology.place(ofSubscription: event.subject)
            if place.map({ kind(topology.sources[$0]) }) == .source { figures.sourceRuns &+= 1 }
        default: break
        }
        if event.opensFrame, frames.count < TurnCollector.mostFacts {
            var frame = Frame(depth: event.depth)
            frame.isEnding = event.kind == .completed || event.kind == .failed
            frame.isEmission = frame.isEnding || event.kind == .emitted
            frame.isHop = event.kind == .hopBegan
            frames.append(frame)
        }
        if !frames.isEmpty { threads[event.id.thread] = frames }
    }

    private func kind(_ node: Int) -> NodeKind? { topology.definitions.nodes[topology.nodeIDs[node]]?.kind }

    private func close(_ frames: inout [Frame]) {
        let closed = frames.removeLast()
        guard !frames.isEmpty else { return }
        frames[frames.count - 1].inner &+= closed.duration &+ closed.inner
    }

    private mutating func deliver(_ event: TraceEvent, _ frames: inout [Frame]) {
        guard let last = frames.indices.last, frames[last].isEmission, frames[last].depth == event.depth - 1 else {
            return
        }
        endDelivery(event, &frames[last])
        let place = topology.place(ofSubscription: event.subject)
        frames[last].subscription = frames[last].isEnding ? nil : place
        frames[last].isSettling = event.isSettling
        guard let place, !frames[last].isEnding, !topology.subscriptions[place].isInternal else { return }
        figures.refreshes &+= 1
        frames[last].began = event.ticks
    }

    private mutating func endDelivery(_ event: TraceEvent, _ frame: inout Frame) {
        if let began = frame.began, event.isStamped, event.ticks >= began {
            let duration = event.ticks - began
            figures.handlerTicks &+= Int64(clamping: duration - min(duration, frame.inner))
            frame.duration &+= duration
        } else {
            frame.duration &+= frame.inner
        }
        frame.inner = 0
        frame.began = nil
    }

    private mutating func countEvaluation(_ event: TraceEvent, _ frames: [Frame]) {
        guard let node = topology.place(ofNode: event.subject) else { return }
        switch kind(node) {
        case .combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest: break
        default: return
        }
        guard let frame = frames.last(where: { $0.isEmission || $0.isHop }), frame.isEmission else { return }
        if frame.isSettling || frame.subscription.map({ topology.targets[$0] == node }) ?? false {
            figures.evaluations &+= 1
        }
    }
}
