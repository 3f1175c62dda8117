import WeirTrace

/// The time that the terminal subscriptions of one call site took.
package struct HandlerSummary: Sendable, Equatable {
    /// The call site; nil if the trace lacks it.
    package let site: TraceSite?
    /// The name of the node that they observe; nil if there are several names.
    package internal(set) var source: String?
    /// Deliveries with a known duration, endings included.
    package internal(set) var deliveries: UInt64 = 0
    /// The time of all these, including everything that they caused.
    package internal(set) var nanoseconds: UInt64 = 0
    /// The time of the longest one.
    package internal(set) var slowestNanoseconds: UInt64 = 0
    /// The beginning of the longest one.
    package internal(set) var slowest: EventID?

    init(site: TraceSite?, source: String) {
        self.site = site
        self.source = source
    }
}

/// The snapshots of a recording, and how long they paused the program.
package struct SnapshotSummary: Sendable, Equatable {
    /// Snapshots that were taken.
    package internal(set) var taken: UInt64 = 0
    /// Snapshots that are missing from the trace: the program ended before they were written, or they are damaged.
    package internal(set) var lost: UInt64 = 0
    /// Checkpoints with a known pause of their thread.
    package internal(set) var pauses: UInt64 = 0
    /// The total of these pauses in nanoseconds, and the longest.
    package internal(set) var pauseNanoseconds: UInt64 = 0, longestPauseNanoseconds: UInt64 = 0
    /// How long the end of the recording waited for its snapshot and all earlier ones, in nanoseconds; 0 if unknown.
    package internal(set) var endNanoseconds: UInt64 = 0

    mutating func count(pause: UInt64, isAtCheckpoint: Bool, isWhole: Bool) {
        taken &+= 1
        if !isWhole { lost &+= 1 }
        if pause == 0 { return }
        guard isAtCheckpoint else { return endNanoseconds = pause }
        pauses &+= 1
        let (total, overflow) = pauseNanoseconds.addingReportingOverflow(pause)
        pauseNanoseconds = overflow ? .max : total
        longestPauseNanoseconds = max(longestPauseNanoseconds, pause)
    }
}

/// How often a stimulus with one name began.
package struct StimulusSummary: Sendable, Equatable {
    /// The name that the program gave it, such as "tap Login".
    package let text: String
    /// How often it began.
    package internal(set) var count: UInt64
}

/// The contribution of one thread to a recording.
package struct ThreadSummary: Sendable, Equatable {
    /// The thread's number in the trace: 1 for the first that recorded.
    package let number: UInt32
    /// Events that were read.
    package internal(set) var events: UInt64 = 0
    /// The sequence number of its last event; higher than `events` if earlier ones are missing.
    package internal(set) var lastSequence: UInt64 = 0

    /// Recorded events that the file no longer holds, according to the sequence numbers.
    package var missing: UInt64 { lastSequence > events ? lastSequence - events : 0 }

    init(number: UInt32) {
        self.number = number
    }
}

/// An emission that was delivered to many subscriptions.
package struct FanOut: Sendable, Equatable {
    /// The node that emitted, by its id.
    package let node: UInt32
    /// The node's name.
    package let name: String
    /// Deliveries of that value, without those in a lost part of the trace.
    package let deliveries: UInt64
    /// The emission; the first one, if several were delivered equally often.
    package let emission: EventID
}

extension TraceSummary {
    /// The widest emission of each node that delivered a value to several subscriptions, the widest of all first.
    package var widestFanOuts: [FanOut] {
        nodes.compactMap { node in
            guard let emission = node.widestEmission, node.widestFanOut > 1 else { return nil }
            return FanOut(node: node.id, name: node.name, deliveries: node.widestFanOut, emission: emission)
        }
        .sorted { ($0.deliveries, $1.name, $1.node) > ($1.deliveries, $0.name, $0.node) }
    }
}

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

/// A public node fed by private nodes: their values were disclosed, or only time its emissions.
package struct Disclosure: Sendable, Equatable {
    /// The id of the public node.
    package var node: UInt32
    /// Its name.
    package var name: String
    /// Its kind; nil if this version does not know it.
    package var kind: NodeKind?
    /// The line that made it.
    package var site: TraceSite?
    /// The names of the private nodes that feed it, each once.
    package var sources: [String]

    /// The disclosures of a trace, by node.
    static func all(in definitions: TraceDefinitions) -> [Disclosure] {
        var found: [UInt32: Disclosure] = [:]
        for subscription in definitions.subscriptions.values.sorted(by: { $0.id < $1.id }) {
            guard let target = subscription.target.flatMap({ definitions.nodes[$0] }), !target.isPrivate,
                // A handler emits nothing.
                target.kind != .observer, let source = definitions.nodes[subscription.source], source.isPrivate
            else { continue }
            var disclosure =
                found[target.id]
                ?? Disclosure(node: target.id, name: target.name, kind: target.kind, site: target.site, sources: [])
            if !disclosure.sources.contains(source.name) { disclosure.sources.append(source.name) }
            found[target.id] = disclosure
        }
        return found.values.sorted { $0.node < $1.node }
    }
}

/// Handlers of one call site with calls that their actor had not run at the end of the recording.
///
/// These calls wait permanently if the program never serves its main queue.
package struct WaitingHandlers: Sendable, Equatable {
    /// The call site of the subscriptions.
    package var site: TraceSite?
    /// Whether their actor is the main actor.
    package var isForMain: Bool
    /// The number of handlers.
    package var handlers: UInt64
    /// The number of waiting calls of all these handlers.
    package var calls: UInt64
}
