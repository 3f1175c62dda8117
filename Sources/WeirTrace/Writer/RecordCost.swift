/// The cost of writing one record, as measured by the recorder at the start of the recording.
public struct RecordCost: Sendable, Equatable {
    /// The cost of a record without a time stamp.
    public var picoseconds: UInt32
    /// The cost of a record with a time stamp.
    public var stampedPicoseconds: UInt32

    /// A cost; 0 means less than a picosecond.
    public init(picoseconds: UInt32, stampedPicoseconds: UInt32) {
        self.picoseconds = picoseconds
        self.stampedPicoseconds = stampedPicoseconds
    }
}

extension TraceFormat.HeaderField {
    /// The costs of a record without and with a stamp; both 0: unknown.
    static let recordCost = 1088, stampedRecordCost = 1092
}
