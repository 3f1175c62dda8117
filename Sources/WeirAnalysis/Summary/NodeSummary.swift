import WeirTrace

/// The activity of one node during a recording.
package struct NodeSummary: Sendable, Equatable, Identifiable {
    /// The node's id in the trace.
    package let id: UInt32
    /// Its label, else its kind and call site, else its number.
    package let name: String
    /// Its kind; nil if the trace does not define it, or if this version does not know the kind.
    package let kind: NodeKind?
    /// The line that made it.
    package let site: TraceSite?
    /// Whether adoption gave it its name.
    package let isLabelled: Bool
    /// New values that it emitted.
    package internal(set) var emissions: UInt64 = 0
    /// The number of times that it gave its current value to a new subscriber.
    package internal(set) var replays: UInt64 = 0
    /// The number of completions; a cold signal may complete once for each subscription.
    package internal(set) var completions: UInt64 = 0
    /// The number of failures.
    package internal(set) var failures: UInt64 = 0
    /// How often work that it gave to a scheduler ran.
    package internal(set) var hops: UInt64 = 0
    /// Deliveries of its values to terminal subscriptions, such as views; its completion does not count.
    package internal(set) var refreshes: UInt64 = 0
    /// Refreshes whose handler wrote to an observable or emitted, and so carried the value on.
    ///
    /// Such a handler brings a user's action to the model, for example; no trace shows whether it also displays something.
    package internal(set) var carriedOn: UInt64 = 0
    /// Deliveries of its values to other nodes of the graph.
    package internal(set) var internalDeliveries: UInt64 = 0
    /// Deliveries of its values through subscriptions that the trace does not define, and whose kind is unknown.
    package internal(set) var unknownDeliveries: UInt64 = 0
    /// Deliveries that it received from other nodes.
    package internal(set) var received: UInt64 = 0
    /// How many values went no further, by the number of the reason in the file.
    package internal(set) var suppressions: [UInt8: UInt64] = [:]
    /// Terminal subscriptions to it that the trace mentions.
    package internal(set) var subscribers = 0
    /// Terminal subscriptions to it that were still alive at the end of the recording.
    package internal(set) var liveSubscribers = 0
    /// Subscriptions to it that feed other nodes, ended ones included.
    package internal(set) var internalSubscribers = 0
    /// Time spent in its terminal handlers, in nanoseconds, including everything that they caused; completions included.
    package internal(set) var handlerNanoseconds: UInt64 = 0
    /// The longest single terminal delivery, in nanoseconds.
    package internal(set) var slowestHandlerNanoseconds: UInt64 = 0
    /// The most subscriptions that received one of its values.
    package internal(set) var widestFanOut: UInt64 = 0
    /// The first emission with that many deliveries; nil if nothing was delivered.
    package internal(set) var widestEmission: EventID?

    /// All values that went no further.
    package var suppressed: UInt64 { suppressions.values.reduce(0, &+) }

    /// All its activity: emissions, endings, hops, deliveries of values and suppressions.
    package var activity: UInt64 {
        emissions &+ replays &+ completions &+ failures &+ hops &+ refreshes &+ internalDeliveries
            &+ unknownDeliveries &+ suppressed
    }

    init(id: UInt32, node: TraceNode?) {
        self.id = id
        name = node?.name ?? TraceNode.name(ofUndefined: id)
        kind = node?.kind
        site = node?.site
        isLabelled = node?.label != nil
    }

    /// The kind of a delivery, as seen from the node that it comes from.
    enum Delivery { case refresh, feed, unknown }

    /// Counts the `ordinal`th delivery of an emission.
    mutating func count(_ delivery: Delivery, ordinal: UInt32, of emission: EventID?) {
        switch delivery {
        case .refresh: refreshes &+= 1
        case .feed: internalDeliveries &+= 1
        case .unknown: unknownDeliveries &+= 1
        }
        guard ordinal > widestFanOut else { return }
        widestFanOut = UInt64(ordinal)
        widestEmission = emission
    }

    /// Adds the time of a terminal delivery.
    mutating func addHandlerTime(_ nanoseconds: UInt64) {
        handlerNanoseconds &+= nanoseconds
        slowestHandlerNanoseconds = max(slowestHandlerNanoseconds, nanoseconds)
    }
}

/// Unlabelled nodes that were made on one line.
package struct NodeGroup: Sendable, Equatable {
    /// The number of nodes.
    package internal(set) var count: Int
    /// The sums of their figures, or the largest for maximum figures; name and id are those of the first node.
    package internal(set) var figures: NodeSummary
}

extension TraceSummary {
    /// The active nodes, the most active first; nodes with the same name and line form one group.
    ///
    /// Nodes that were labelled by adoption stay apart.
    package var busiestGroups: [NodeGroup] {
        var groups: [NodeGroup] = []
        var places: [NodeSummary.Place: Int] = [:]
        for node in nodes where node.activity > 0 {
            if let place = node.sharedPlace, let known = places[place] {
                groups[known].count += 1
                groups[known].figures.add(node)
            } else {
                if let place = node.sharedPlace { places[place] = groups.count }
                groups.append(NodeGroup(count: 1, figures: node))
            }
        }
        return groups.sorted {
            ($0.figures.activity, $1.figures.name, $1.figures.id) > (
                $1.figures.activity, $0.figures.name, $0.figures.id
            )
        }
    }
}

extension NodeSummary {
    struct Place: Hashable {
        var name: String
        var file: String
        var line: Int
    }

    /// The name and line that the node shares with others; nil if it has a label of its own or no known line.
    var sharedPlace: Place? {
        guard !isLabelled, let site else { return nil }
        return Place(name: name, file: site.file, line: site.line)
    }

    mutating func add(_ other: NodeSummary) {
        emissions &+= other.emissions
        replays &+= other.replays
        completions &+= other.completions
        failures &+= other.failures
        hops &+= other.hops
        refreshes &+= other.refreshes
        carriedOn &+= other.carriedOn
        internalDeliveries &+= other.internalDeliveries
        unknownDeliveries &+= other.unknownDeliveries
        received &+= other.received
        suppressions.merge(other.suppressions, uniquingKeysWith: &+)
        subscribers += other.subscribers
        liveSubscribers += other.liveSubscribers
        internalSubscribers += other.internalSubscribers
        handlerNanoseconds &+= other.handlerNanoseconds
        slowestHandlerNanoseconds = max(slowestHandlerNanoseconds, other.slowestHandlerNanoseconds)
        if other.widestFanOut > widestFanOut {
            widestFanOut = other.widestFanOut
            widestEmission = other.widestEmission
        }
    }
}
