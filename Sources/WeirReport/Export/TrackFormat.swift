/// An arrow from an event to one that it caused.
struct TrackFlow {
    let id: UInt64
    let fromTrack: UInt64
    let fromNanoseconds: UInt64
}

/// A span of time on a track, or a moment.
struct TrackSlice {
    var track: UInt64
    var name: String
    var category: StaticString
    var began: UInt64
    /// nil: a moment.
    var ended: UInt64?
    /// Names and texts of its details.
    var details: [(StaticString, String)] = []
    /// The arrow that leads here.
    var incoming: TrackFlow?
    /// The numbers of arrows that begin here.
    var outgoing: [UInt64] = []
}

/// A format that draws a trace on tracks.
protocol TrackFormat {
    /// Declares the process; everything else follows.
    mutating func process(_ name: String, id: UInt32) throws
    /// Declares a track; `parent` 0: the process.
    mutating func track(_ id: UInt64, parent: UInt64, name: String, thread: UInt32?) throws
    /// Declares a track with a number that changes.
    mutating func counter(_ id: UInt64, name: String) throws
    /// Writes a finished slice; slices of one track nest or do not overlap.
    mutating func slice(_ slice: TrackSlice) throws
    /// Sets the number of a counter.
    mutating func count(_ track: UInt64, at nanoseconds: UInt64, _ value: UInt64) throws
}
