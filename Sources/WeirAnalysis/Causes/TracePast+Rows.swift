import WeirTrace

/// The rows of `zip`, found backwards: how many values of each input wait before an event, and which of them is the first.
///
/// The count of an input is known from its beginning on, or from an event before which no value of it waited; earlier events are
/// not read. Memory grows with the values that wait, not with the events.
extension TracePast {
    /// The most waiting values among which the first one is looked for.
    private static let mostWaiting = 1 << 18

    /// Sets how many values of each input of a run wait before a moment.
    func countWaiting(in run: Int, of place: Int, before limit: Limit) {
        let edges = topology.runs.inputs(ofRun: run)
        var rows = WaitingRows(place, run, edges)
        search(before: limit, nodes: [place], subscriptions: edges) {
            rows.findOrigin($0, state)
        } isEnough: { unread in
            rows.origins.values.allSatisfy { $0.ticks > unread }
        }
        // Counted in a pass of its own: chunks of several threads are not read in the order of their events.
        search(before: limit, nodes: [place], subscriptions: edges) {
            rows.count($0, state)
        } isEnough: { unread in
            rows.origins.values.allSatisfy { $0.id == nil || $0.ticks > unread }
        }
        if rows.isTied { isUnsure = true }
        for edge in edges {
            if let lane = topology.runs.lane(ofInput: edge) { state.waiting[lane] = rows.waiting[edge] }
        }
    }

    /// The emission that was delivered through an input, `later` deliveries before the last one; nil: unsure.
    func delivery(_ later: Int, beforeLastThrough edge: Int, before limit: Limit) -> EventID? {
        guard later < Self.mostWaiting else { return nil }
        var last = LastDeliveries(count: later + 1)
        search(before: limit, nodes: [], subscriptions: [edge]) {
            if $0.deliversValue { last.add(Mark($0), $0.cause) }
        } isEnough: {
            last.areKnown($0)
        }
        return last.first
    }
}

/// How many values of each input of a run of `zip` wait.
private struct WaitingRows {
    private let place: Int
    private let run: Int
    private let edges: ArraySlice<Int>
    /// The last event at which none of them waited, by index of the subscription.
    private(set) var origins: [Int: Latest] = [:]
    /// Missing if it is unknown.
    private(set) var waiting: [Int: Int] = [:]
    private var hasTie = false

    init(_ place: Int, _ run: Int, _ edges: ArraySlice<Int>) {
        (self.place, self.run, self.edges) = (place, run, edges)
        for edge in edges { origins[edge] = Latest() }
    }

    /// Whether the order of two threads' events at the same time matters.
    var isTied: Bool { hasTie || origins.values.contains(where: \.isTied) }

    mutating func findOrigin(_ event: TraceEvent, _ state: TraceState) {
        let topology = state.topology
        if event.kind == .subscriptionStarted {
            if let edge = topology.place(ofSubscription: event.subject) { found(Mark(event), edge) }
            return
        }
        guard isOfRun(event, state) else { return }
        let input = event.deliveringTo == 0 ? nil : topology.input(behind: event, of: place)
        for edge in edges where WaitingValues.isEmptied(edge, by: event, edges, through: input) {
            found(Mark(event), edge)
        }
    }

    private mutating func found(_ mark: Mark, _ edge: Int) {
        origins[edge]?.offer(mark)
        waiting[edge] = 0
    }

    mutating func count(_ event: TraceEvent, _ state: TraceState) {
        let mark = Mark(event)
        if event.deliversValue {
            guard let edge = state.topology.place(ofSubscription: event.subject), follows(mark, edge) else { return }
            waiting[edge]? += 1
            return
        }
        guard event.kind == .emitted || event.kind == .suppressed, !event.isReplayed else { return }
        let run = state.run(of: event, place)
        if run != nil, run != self.run || event.kind == .suppressed { return }
        for edge in edges where follows(mark, edge) {
            if run == nil { waiting[edge] = nil } else { waiting[edge]? -= 1 }
        }
    }

    private func isOfRun(_ event: TraceEvent, _ state: TraceState) -> Bool {
        (event.kind == .emitted && !event.isReplayed || event.kind == .suppressed) && state.run(of: event, place) == run
    }

    /// Whether an event is later than the one from which the values of an input are counted.
    private mutating func follows(_ mark: Mark, _ edge: Int) -> Bool {
        guard let origin = origins[edge], origin.id != nil else { return false }
        if mark.ticks == origin.ticks, mark.thread != origin.mark.thread { hasTie = true }
        return mark > origin.mark
    }
}

/// The last deliveries through a subscription, offered in any order.
private struct LastDeliveries {
    private let count: Int
    private var found: [(mark: Mark, emission: EventID?)] = []

    init(count: Int) { self.count = count }

    mutating func add(_ mark: Mark, _ emission: EventID?) {
        found.append((mark, emission))
        if found.count > 2 * count + 64 { sort() }
    }

    private mutating func sort() {
        found.sort { $0.mark < $1.mark }
        found.removeFirst(max(0, found.count - count))
    }

    /// Whether all of them are found, if later events than `unread` are read.
    mutating func areKnown(_ unread: UInt64) -> Bool {
        sort()
        return found.count == count && (found.first?.mark.ticks ?? 0) > unread
    }

    /// The earliest of them; nil if there are too few, or if their order is unsure.
    var first: EventID? {
        let sorted = found.sorted { $0.mark < $1.mark }.suffix(count)
        return sorted.count == count && !Mark.areTied(sorted.map(\.mark)) ? sorted.first?.emission : nil
    }
}

extension TraceEvent {
    /// Whether it begins the delivery of a value.
    fileprivate var deliversValue: Bool {
        (kind == .deliveryBegan || kind == .deliveryNext) && !deliversEnd && !isSettling
    }
}
