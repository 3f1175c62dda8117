import WeirTrace

/// Selects events of a trace by node, kind, thread, time and stimulus; conditions that are not set are ignored.
///
/// An event passes if it meets every condition. A condition with several values is met by any of them. To know which stimuli
/// are open, the filter must see every event, in the order of the trace.
package struct EventFilter: Sendable {
    /// Which stimuli to select.
    package enum Stimulus: Sendable, Equatable {
        /// Those whose text equals or contains this text; letter case is ignored.
        case text(String)
        /// The n-th stimulus of the trace, counted from 1.
        case number(UInt64)
    }

    /// Ids of nodes: the event's node, or either end of its subscription.
    package var nodes: Set<UInt32>?
    /// Kinds of event.
    package var kinds: Set<EventKind>?
    /// A thread's number in the trace.
    package var thread: UInt32?
    /// Events before this time do not pass, in nanoseconds since the start.
    package var after: UInt64?
    /// Events from this time on do not pass, in nanoseconds since the start.
    package var before: UInt64?
    /// Only events caused by such a stimulus pass, including its beginning, its end and the work of hops.
    package var stimulus: Stimulus?
    /// How many stimuli have met the condition so far.
    package private(set) var matchedStimuli: UInt64 = 0

    private let timeScale: TimeScale
    private var subscriptions: [UInt32: TraceSubscription]
    private var stimulusCount: UInt64 = 0
    private var scope = StimulusScope()

    /// A filter that lets everything pass.
    package init(_ definitions: TraceDefinitions, timeScale: TimeScale) {
        subscriptions = definitions.subscriptions
        self.timeScale = timeScale
    }

    /// Takes definitions written since, while a trace is followed.
    package mutating func update(_ definitions: TraceDefinitions) {
        subscriptions = definitions.subscriptions
    }

    /// The conditions that a record alone can fail; nil if the filter must see every event.
    package var ofRecords: RecordFilter? {
        guard stimulus == nil, (nodes?.max() ?? 0) < 1 << 22, (subscriptions.keys.max() ?? 0) < 1 << 22 else {
            return nil
        }
        var filter = RecordFilter()
        if let kinds { filter.kinds = kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }
        filter.thread = thread
        let first = after.map { $0 == 0 ? 0 : timeScale.lastTicks(nanosecondsSinceStart: $0 - 1) } ?? 0
        let last = before.map { timeScale.lastTicks(nanosecondsSinceStart: $0) } ?? .max
        filter.ticks = first...max(first, last)
        if let nodes {
            var wanted = (
                nodes: [Bool](repeating: false, count: Int(nodes.max() ?? 0) + 1),
                subscriptions: [Bool](repeating: false, count: Int(subscriptions.keys.max() ?? 0) + 1)
            )
            for node in nodes { wanted.nodes[Int(node)] = true }
            for id in subscriptions.keys where joins(nodes, id) { wanted.subscriptions[Int(id)] = true }
            filter.subjects = wanted
        }
        return filter
    }

    /// Whether the next event of the trace passes.
    package mutating func passes(_ event: TraceEvent) -> Bool {
        if stimulus != nil, !scope.contains(event, isChosen: event.kind == .stimulusBegan && begins(event)) {
            return false
        }
        if let kinds, !kinds.contains(event.kind) { return false }
        if let thread, event.id.thread != thread { return false }
        if after != nil || before != nil {
            let time = timeScale.nanosecondsSinceStart(event.ticks)
            if let after, time < after { return false }
            if let before, time >= before { return false }
        }
        if let nodes { return concerns(nodes, event) }
        return true
    }

    private func concerns(_ nodes: Set<UInt32>, _ event: TraceEvent) -> Bool {
        switch event.kind {
        case .emitted, .completed, .failed, .suppressed, .nodeCreated, .nodeReleased, .hopBegan, .written:
            nodes.contains(event.subject)
        case .deliveryBegan, .subscriptionStarted, .subscriptionEnded, .hopScheduled: joins(nodes, event.subject)
        case .deliveryNext: joins(nodes, event.subject) || joins(nodes, event.endedSubscription)
        case .deliveryEnded: joins(nodes, event.endedSubscription)
        case .context, .eventsLost, .stimulusBegan, .stimulusEnded, .hopEnded, .batchBegan, .batchEnded, .frame,
            .checkpoint, .objectTracked, .objectReleased, .objectExpected, .snapshotTaken:
            false
        }
    }

    private func joins(_ nodes: Set<UInt32>, _ subscription: UInt32) -> Bool {
        guard let subscription = subscriptions[subscription] else { return false }
        return nodes.contains(subscription.source) || subscription.target.map(nodes.contains) ?? false
    }

    /// Counts a stimulus that begins, and returns whether it is selected.
    private mutating func begins(_ event: TraceEvent) -> Bool {
        stimulusCount += 1
        let matches = stimulus?.isMet(by: event.text, number: stimulusCount) ?? false
        if matches { matchedStimuli += 1 }
        return matches
    }
}

extension EventFilter.Stimulus {
    /// Whether it selects the stimulus with this text that was the `number`-th to begin, counted from 1.
    func isMet(by text: String, number: UInt64) -> Bool {
        switch self {
        case .text(let wanted): text == wanted || Self.holds(text.lowercased(), wanted.lowercased())
        case .number(let wanted): number == wanted
        }
    }

    // The standard library's search for a text within a text needs a newer system than the package does.
    private static func holds(_ text: String, _ part: String) -> Bool {
        var rest = text.utf8[...]
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
