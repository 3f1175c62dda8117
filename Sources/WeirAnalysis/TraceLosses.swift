import WeirTrace

/// What a trace lacks of what happened while it was recorded.
public struct TraceLosses: Sendable {
    /// Its writer closed it; otherwise that program still runs, or was killed.
    public let isClosed: Bool
    /// Old events were overwritten to make room.
    public let isFlightRecorder: Bool
    /// Events that were recorded nowhere; nil when the file does not know.
    public let lostEvents: UInt64?
    /// Events that were numbered and that the file no longer holds: overwritten, or in damaged places.
    public let missingEvents: UInt64
    /// Chunks were overwritten, and the file does not count their events, as those of older versions of the recorder.
    public let mayLackThreads: Bool
    /// What was found damaged: the first hundred places.
    public let damage: [TraceDamage]
    /// All damaged places.
    public let damageCount: Int
    /// Snapshots that were taken and are not in the trace, as far as was looked.
    public let lostSnapshots: UInt64

    /// What the figures of a trace tell.
    public init(_ summary: TraceSummary) {
        isClosed = summary.header.isClosed
        isFlightRecorder = summary.header.isFlightRecorder
        lostEvents = summary.lostEvents
        missingEvents = summary.missingEvents
        mayLackThreads = summary.mayLackThreads
        damage = summary.damage
        damageCount = summary.damageCount
        lostSnapshots = summary.snapshots.lost
    }

    /// What a reader has found, as far as it has read; of events in damaged places it does not know the number.
    public init(_ reader: TraceReader) {
        isClosed = reader.header.isClosed
        isFlightRecorder = reader.header.isFlightRecorder
        lostEvents = reader.header.lostEvents
        missingEvents = reader.overwrittenEvents
        mayLackThreads = reader.mayLackThreads
        damage = reader.damage
        damageCount = reader.damageCount
        lostSnapshots = 0
    }

    /// The trace is complete, as 'The trace file, byte for byte' defines it.
    public var isEmpty: Bool {
        isClosed && lostEvents == 0 && damageCount == 0 && missingEvents == 0 && lostSnapshots == 0 && !mayLackThreads
    }
}
