import WeirTrace

/// Adds up the time that terminal handlers take, by call site of the subscription.
struct SlowHandlers {
    private(set) var handlers: [HandlerSummary] = []
    private var slots: [TraceSite?: Int] = [:]

    /// The handlers that took any time, those with the most time first.
    var slowestFirst: [HandlerSummary] {
        handlers.filter { $0.deliveries > 0 }.sorted {
            ($0.nanoseconds, $0.slowestNanoseconds, $1.file, $1.line)
                > ($1.nanoseconds, $1.slowestNanoseconds, $0.file, $0.line)
        }
    }

    /// The slot of the handlers subscribed at `site`, for another subscription that observes `source`.
    mutating func slot(at site: TraceSite?, observing source: String) -> Int {
        if let slot = slots[site] {
            if handlers[slot].source != source { handlers[slot].source = nil }
            return slot
        }
        slots[site] = handlers.count
        handlers.append(HandlerSummary(site: site, source: source))
        return handlers.count - 1
    }

    /// Sets the times of the deliveries of a slot.
    mutating func set(_ count: SummaryCount.Handler, slot: Int) {
        handlers[slot].deliveries = count.deliveries
        handlers[slot].nanoseconds = count.nanoseconds
        handlers[slot].slowestNanoseconds = count.slowest.figure
        handlers[slot].slowest = count.slowest.id
    }

    /// Adds the time of a delivery that began with `event`.
    mutating func add(_ nanoseconds: UInt64, _ event: EventID, slot: Int) { handlers[slot].add(nanoseconds, event) }
}

extension HandlerSummary {
    fileprivate mutating func add(_ time: UInt64, _ event: EventID) {
        deliveries &+= 1
        nanoseconds &+= time
        guard time > slowestNanoseconds || slowest == nil else { return }
        slowestNanoseconds = time
        slowest = event
    }

    fileprivate var file: String { site?.file ?? "" }
    fileprivate var line: Int { site?.line ?? 0 }
}
