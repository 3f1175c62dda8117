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
