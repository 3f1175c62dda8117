import WeirTrace

/// What the terminal subscriptions made at one place of the source took of the program's time.
public struct HandlerSummary: Sendable, Equatable {
    /// Where they were made; nil: the trace does not tell.
    public let site: TraceSite?
    /// The name of what they observe; nil where they observe things of different names.
    public internal(set) var source: String?
    /// Deliveries of which the trace tells how long they took; endings included.
    public internal(set) var deliveries: UInt64 = 0
    /// The time of all these, with all that they caused.
    public internal(set) var nanoseconds: UInt64 = 0
    /// The time of the longest one.
    public internal(set) var slowestNanoseconds: UInt64 = 0
    /// The beginning of the longest one.
    public internal(set) var slowest: EventID?

    init(site: TraceSite?, source: String) {
        self.site = site
        self.source = source
    }
}
