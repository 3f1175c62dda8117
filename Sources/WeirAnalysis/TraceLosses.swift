import WeirTrace

/// The losses of a trace: events and snapshots of the recording that it lacks.
package struct TraceLosses: Sendable {
    /// Whether its writer closed it; otherwise that program still runs, or was killed.
    package let isClosed: Bool
    /// Whether old events were overwritten to make room.
    package let isFlightRecorder: Bool
    /// Events that were never recorded; nil if the file does not contain their number.
    package let lostEvents: UInt64?
    /// Numbered events that the file no longer holds: they were overwritten, or are in damaged parts.
    package let missingEvents: UInt64
    /// Whether chunks were overwritten without a count of their events, as with older versions of the recorder.
    package let mayLackThreads: Bool
    /// Whether a chunk begins inside more frames than it lists.
    package let hasUnlistedFrames: Bool
    /// The first hundred damaged parts of the file.
    package let damage: [TraceDamage]
    /// The number of damaged parts.
    package let damageCount: Int
    /// Snapshots that were taken but are missing from the trace; 0 if this was not checked.
    package let lostSnapshots: UInt64

    /// The losses in the figures of a trace.
    package init(_ summary: TraceSummary) {
        isClosed = summary.header.isClosed
        isFlightRecorder = summary.header.isFlightRecorder
        lostEvents = summary.lostEvents
        missingEvents = summary.missingEvents
        mayLackThreads = summary.mayLackThreads
        hasUnlistedFrames = summary.hasUnlistedFrames
        damage = summary.damage
        damageCount = summary.damageCount
        lostSnapshots = summary.snapshots.lost
    }

    /// The losses that a reader has found so far, without the number of events in damaged parts.
    package init(_ reader: TraceReader, lostSnapshots: UInt64 = 0) {
        isClosed = reader.header.isClosed
        isFlightRecorder = reader.header.isFlightRecorder
        lostEvents = reader.header.lostEvents
        missingEvents = reader.overwrittenEvents
        mayLackThreads = reader.mayLackThreads
        hasUnlistedFrames = reader.hasUnlistedFrames
        damage = reader.damage
        damageCount = reader.damageCount
        self.lostSnapshots = lostSnapshots
    }

    /// The losses that a reader has found so far, with the snapshots that the trace lacks of those that a pass has counted.
    package init(_ reader: TraceReader, _ lives: LeakPass) {
        let known = lives.topology.definitions
        self.init(reader, lostSnapshots: UInt64(lives.snapshots.count { !known.hasSnapshot($0) }))
    }

    /// Whether the trace is complete, as 'The trace file, byte for byte' defines it.
    package var isEmpty: Bool {
        isClosed && lostEvents == 0 && damageCount == 0 && missingEvents == 0 && lostSnapshots == 0 && !mayLackThreads
            && !hasUnlistedFrames
    }
}
