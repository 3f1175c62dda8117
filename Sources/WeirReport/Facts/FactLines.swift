import WeirAnalysis
import WeirTrace

/// The lines of a program that subscribe: subscriptions of one line to nodes of one name count together.
struct FactLines {
    /// A line.
    struct Line {
        let key: String
        let source: String
        let target: String?
        let site: TraceSite?
        var instances: UInt64 = 0
    }

    private(set) var lines: [Line] = []
    /// The index of the line of each subscription, by its index in the topology.
    private(set) var ofSubscriptions: [Int32] = []

    private struct Key: Hashable {
        let source: String
        let target: String?
        let site: TraceSite?
    }

    init(_ topology: Topology) {
        let definitions = topology.definitions
        let names = topology.nodeIDs.map { definitions.stableName(ofNode: $0) }
        var indexes: [Key: Int32] = [:]
        var taken: [String: Int] = [:]
        ofSubscriptions.reserveCapacity(topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            let (source, target) = (topology.sources[place], topology.targets[place])
            let key = Key(
                source: names[source], target: target >= 0 ? names[target] : nil, site: subscription.site)
            if let known = indexes[key] {
                lines[Int(known)].instances += 1
                ofSubscriptions.append(known)
                continue
            }
            // Without line numbers, so that a key lasts from build to build; a second line of the same names gets a number.
            let words = [key.source, key.target ?? "", subscription.site?.fileName ?? ""].joined(separator: "\u{1}")
            let number = taken[words, default: 0]
            taken[words] = number + 1
            indexes[key] = Int32(lines.count)
            ofSubscriptions.append(Int32(lines.count))
            lines.append(
                Line(
                    key: StableHash.digits(of: [words, String(number)]), source: key.source, target: key.target,
                    site: key.site, instances: 1))
        }
    }
}
