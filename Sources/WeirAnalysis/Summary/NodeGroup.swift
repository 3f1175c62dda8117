/// Nodes that were made at one place, and that nobody gave names of their own.
public struct NodeGroup: Sendable, Equatable {
    /// How many nodes they are.
    public internal(set) var count: Int
    /// The sums of their figures, and the largest where a figure is a greatest one; name and id are the first node's.
    public internal(set) var figures: NodeSummary
}

extension TraceSummary {
    /// The nodes that did something, those that share a name and a place as one; who did the most comes first.
    ///
    /// Nodes that were labelled by adoption stay apart.
    public var busiestGroups: [NodeGroup] {
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

    /// Where nodes of this name are made; nil for one with a label of its own, or of unknown origin.
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
