import WeirTrace

/// Emissions on one thread, each of which caused the next.
///
/// Completions, failures and replays are links as well. Work that a scheduler ran later begins a chain of its own: to follow
/// hops back would need memory for every event.
package struct EmissionChain: Sendable, Equatable {
    /// The number of emissions, including the first and the last.
    package let length: Int
    /// The last emission: its explanation shows the whole chain.
    package let deepest: EventID
    /// The ids of the emitting nodes, from the first one on; not all if the chain is too long.
    package let beginning: [UInt32]
    /// The last nodes of a chain longer than twice `longestPart`; the nodes between are left out.
    package let end: [UInt32]

    /// The number of nodes kept at either end of a long chain.
    package static let longestPart = 8

    init(length: Int, deepest: EventID, nodes: [UInt32]) {
        let part = Self.longestPart
        let isCut = nodes.count > 2 * part
        self.length = length
        self.deepest = deepest
        beginning = isCut ? Array(nodes.prefix(part)) : nodes
        end = isCut ? Array(nodes.suffix(part)) : []
    }

    /// How many nodes are left out between the beginning and the end.
    package var omitted: Int { length - beginning.count - end.count }
}
