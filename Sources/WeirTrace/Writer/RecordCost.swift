/// What writing one record costs, as the recorder measured it when the recording began.
public struct RecordCost: Sendable, Equatable {
    /// Of a record without a time stamp.
    public var picoseconds: UInt32
    /// Of a record with a time stamp.
    public var stampedPicoseconds: UInt32

    /// A cost; 0 stands for less than a picosecond.
    public init(picoseconds: UInt32, stampedPicoseconds: UInt32) {
        self.picoseconds = picoseconds
        self.stampedPicoseconds = stampedPicoseconds
    }
}

extension TraceFormat.HeaderField {
    /// Where the costs of a record stand: without a stamp, with one; both 0: not told.
    static let recordCost = 1088, stampedRecordCost = 1092
}
