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
