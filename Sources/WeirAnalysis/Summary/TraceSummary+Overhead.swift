import WeirTrace

extension TraceSummary {
    /// The time that writing this trace cost the program, over all threads; nil if the trace lacks the cost of a record.
    ///
    /// It is the cost of a record, as the recorder measured it at the beginning of the recording, times the number of events
    /// read. Making definitions and descriptions of values costs extra.
    public var overheadNanoseconds: UInt64? {
        guard let cost = header.recordCost else { return nil }
        let unstamped = eventCount > stampedEvents ? eventCount - stampedEvents : 0
        let (one, overflow) = unstamped.multipliedReportingOverflow(by: UInt64(cost.picoseconds))
        let (other, otherOverflow) = stampedEvents.multipliedReportingOverflow(by: UInt64(cost.stampedPicoseconds))
        let (sum, sumOverflow) = one.addingReportingOverflow(other)
        return overflow || otherOverflow || sumOverflow ? .max / 1000 : sum / 1000
    }
}
