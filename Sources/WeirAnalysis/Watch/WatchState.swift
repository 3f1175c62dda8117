import WeirTrace

/// The figures of a program that is running, from the events of its trace as they come.
///
/// Cheap for each event, because a watcher must keep up with the program. Memory grows with nodes and subscriptions.
package struct WatchState: Sendable {
    /// The number of intervals that are remembered.
    package static let history = 60

    /// Counts of the last intervals.
    package struct Rates: Sendable {
        private var counts = [UInt32](repeating: 0, count: WatchState.history)
        private var last: UInt64 = 0

        /// Adds one to the count of an interval.
        mutating func add(_ interval: UInt64) {
            if interval > last {
                for passed in 1...min(interval - last, UInt64(WatchState.history)) {
                    counts[Int((last + passed) % UInt64(WatchState.history))] = 0
                }
                last = interval
            }
            guard last - interval < UInt64(WatchState.history) else { return }
            counts[Int(interval % UInt64(WatchState.history))] &+= 1
        }

        /// The count of an interval; 0 if it is too old.
        package subscript(_ interval: UInt64) -> UInt32 {
            guard interval <= last, last - interval < UInt64(WatchState.history) else { return 0 }
            return counts[Int(interval % UInt64(WatchState.history))]
        }

        /// The counts of the `length` intervals up to `end`, the oldest first.
        package func counts(_ length: Int, upTo end: UInt64) -> [UInt32] {
            (0..<length).map { place in
                let back = UInt64(length - 1 - place)
                return back > end ? 0 : self[end - back]
            }
        }
    }

    /// The figures of a node.
    package struct Node: Sendable {
        /// Its id.
        package let id: UInt32
        /// New values.
        package internal(set) var emissions: UInt64 = 0
        /// Deliveries of its values to handlers.
        package internal(set) var refreshes: UInt64 = 0
        /// Values that went no further.
        package internal(set) var suppressions: UInt64 = 0
        /// Subscriptions to it that are alive.
        package internal(set) var subscriptions = 0
        /// Its last value.
        package internal(set) var value = TraceValue.notRecorded
        /// The last event that changed it.
        package internal(set) var lastEvent: EventID?
        /// All that it did, over time.
        package internal(set) var rates = Rates()
        /// Whether it exists, according to the trace.
        package internal(set) var isAlive = true
    }

    private struct Source {
        var place: Int
        var isTerminal: Bool
    }

    /// The nodes in the order in which they occurred.
    package private(set) var nodes: [Node] = []
    /// All events so far.
    package private(set) var events: UInt64 = 0
    /// All events, over time.
    package private(set) var eventRates = Rates()
    /// Emissions of values, over time.
    package private(set) var emissionRates = Rates()
    /// Refreshes, over time.
    package private(set) var refreshRates = Rates()
    /// Subscriptions that are alive.
    package private(set) var liveSubscriptions = 0
    /// The highest time so far, in ticks since the start.
    package private(set) var lastTicks: UInt64 = 0
    /// The names of the last stimuli, the newest last.
    package private(set) var stimuli: [String] = []
    /// The ticks of an interval.
    package let intervalTicks: UInt64

    private let startTicks: UInt64
    private var places: [UInt32: Int] = [:]
    private var sources: [UInt32: Source] = [:]
    private static let mostStimuli = 8

    /// The state before the first event; an interval takes this many nanoseconds.
    package init(_ timeScale: TimeScale, interval: UInt64 = 1_000_000_000) {
        startTicks = timeScale.startTicks
        let product = timeScale.ticksPerSecond.multipliedFullWidth(by: interval)
        let ticks =
            product.high < 1_000_000_000 ? (1_000_000_000 as UInt64).dividingFullWidth(product).quotient : .max
        intervalTicks = max(1, ticks)
    }

    /// Takes the sources of subscriptions that are new in `definitions`.
    package mutating func update(_ definitions: TraceDefinitions) {
        for (id, subscription) in definitions.subscriptions where sources[id] == nil {
            sources[id] = Source(place: place(of: subscription.source), isTerminal: !subscription.isInternal)
        }
    }

    /// Whether the subscription of an event is unknown, so that definitions must be read again.
    package func lacksDefinition(of event: TraceEvent) -> Bool {
        switch event.kind {
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded:
            event.subject != 0 && sources[event.subject] == nil
        default: false
        }
    }

    /// The interval of a time.
    package func interval(at ticks: UInt64) -> UInt64 { ticks / intervalTicks }

    /// Takes the next event.
    package mutating func take(_ event: TraceEvent) {
        let ticks = event.ticks > startTicks ? event.ticks - startTicks : 0
        lastTicks = max(lastTicks, ticks)
        let interval = ticks / intervalTicks
        events += 1
        eventRates.add(interval)
        switch event.kind {
        case .emitted:
            let place = place(of: event.subject)
            nodes[place].value = event.value
            nodes[place].lastEvent = event.id
            guard !event.isReplayed else { return }
            nodes[place].emissions += 1
            nodes[place].rates.add(interval)
            emissionRates.add(interval)
        case .suppressed:
            let place = place(of: event.subject)
            nodes[place].suppressions += 1
            nodes[place].rates.add(interval)
        case .deliveryBegan, .deliveryNext:
            guard let source = sources[event.subject], Meaning.isRefresh(event, isTerminal: source.isTerminal) else {
                return
            }
            nodes[source.place].refreshes += 1
            nodes[source.place].rates.add(interval)
            refreshRates.add(interval)
        case .subscriptionStarted: change(event.subject, by: 1)
        case .subscriptionEnded: change(event.subject, by: -1)
        case .nodeCreated: nodes[place(of: event.subject)].isAlive = true
        case .nodeReleased: nodes[place(of: event.subject)].isAlive = false
        case .stimulusBegan:
            if stimuli.count == Self.mostStimuli { stimuli.removeFirst() }
            stimuli.append(event.text)
        default: break
        }
    }

    private mutating func change(_ subscription: UInt32, by change: Int) {
        // The beginning of an older one may be overwritten.
        liveSubscriptions = max(0, liveSubscriptions + change)
        guard let source = sources[subscription] else { return }
        nodes[source.place].subscriptions = max(0, nodes[source.place].subscriptions + change)
    }

    private mutating func place(of node: UInt32) -> Int {
        if let place = places[node] { return place }
        places[node] = nodes.count
        nodes.append(Node(id: node))
        return nodes.count - 1
    }
}
