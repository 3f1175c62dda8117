import WeirTrace

/// What one node of the data-flow graph did during a recording.
public struct NodeSummary: Sendable, Equatable, Identifiable {
    /// The node's id in the trace.
    public let id: UInt32
    /// Its label, else its kind and call site, else its number.
    public let name: String
    /// What it is; nil when the trace does not define it, or names a kind unknown to this version.
    public let kind: NodeKind?
    /// Where it was made.
    public let site: TraceSite?
    /// Adoption gave it its name.
    public let isLabelled: Bool
    /// New values that it gave out.
    public internal(set) var emissions: UInt64 = 0
    /// Times that it gave its current value to a new subscriber.
    public internal(set) var replays: UInt64 = 0
    /// Times that it completed; a cold signal may once for each subscription.
    public internal(set) var completions: UInt64 = 0
    /// Times that it failed.
    public internal(set) var failures: UInt64 = 0
    /// Times that work which it had given to a scheduler ran.
    public internal(set) var hops: UInt64 = 0
    /// Deliveries of its values to terminal subscriptions, such as views; its completion is no value.
    public internal(set) var refreshes: UInt64 = 0
    /// Of the refreshes, those whose handler wrote to an observable or emitted: it carried the value on.
    ///
    /// Such a handler brings a user's action to the model, say; whether it also shows something, no trace tells.
    public internal(set) var carriedOn: UInt64 = 0
    /// Deliveries of its values to other nodes of the graph.
    public internal(set) var internalDeliveries: UInt64 = 0
    /// Deliveries of its values through subscriptions that the trace does not define: of which kind is unknown.
    public internal(set) var unknownDeliveries: UInt64 = 0
    /// Deliveries that it received from other nodes.
    public internal(set) var received: UInt64 = 0
    /// How many values went no further, by reason as the file numbers it.
    public internal(set) var suppressions: [UInt8: UInt64] = [:]
    /// Terminal subscriptions to it that the trace mentions.
    public internal(set) var subscribers = 0
    /// Of these, the ones that had not ended when the recording did.
    public internal(set) var liveSubscribers = 0
    /// Subscriptions to it that feed other nodes, ended ones included.
    public internal(set) var internalSubscribers = 0
    /// Time spent in its terminal handlers, in nanoseconds, with all that they caused; completions included.
    public internal(set) var handlerNanoseconds: UInt64 = 0
    /// The longest single terminal delivery, in nanoseconds.
    public internal(set) var slowestHandlerNanoseconds: UInt64 = 0
    /// The most subscriptions that one of its values was delivered to.
    public internal(set) var widestFanOut: UInt64 = 0
    /// The first emission that was delivered so often; nil when nothing was delivered.
    public internal(set) var widestEmission: EventID?

    /// All values that went no further.
    public var suppressed: UInt64 { suppressions.values.reduce(0, &+) }

    /// All that it did: emissions, endings, hops, deliveries of values and suppressions.
    public var activity: UInt64 {
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

    /// What a delivery is to the node that it comes from.
    enum Delivery { case refresh, feed, unknown }

    /// One of its values was delivered: the `ordinal`th delivery of that emission.
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

    /// One of its terminal deliveries took so long.
    mutating func addHandlerTime(_ nanoseconds: UInt64) {
        handlerNanoseconds &+= nanoseconds
        slowestHandlerNanoseconds = max(slowestHandlerNanoseconds, nanoseconds)
    }
}
