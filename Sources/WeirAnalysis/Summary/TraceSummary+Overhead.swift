import WeirTrace

extension TraceSummary {
    /// What writing this trace took of the program's time, all threads together; nil where the trace does not tell.
    ///
    /// It is the cost of a record, as the recorder measured it when the recording began, times the events that were
    /// read. Making definitions and descriptions of values comes on top.
    public var overheadNanoseconds: UInt64? {
        guard let cost = header.recordCost else { return nil }
        let unstamped = eventCount > stampedEvents ? eventCount - stampedEvents : 0
        let (one, overflow) = unstamped.multipliedReportingOverflow(by: UInt64(cost.picoseconds))
        let (other, otherOverflow) = stampedEvents.multipliedReportingOverflow(by: UInt64(cost.stampedPicoseconds))
        let (sum, sumOverflow) = one.addingReportingOverflow(other)
        return overflow || otherOverflow || sumOverflow ? .max / 1000 : sum / 1000
    }
}
