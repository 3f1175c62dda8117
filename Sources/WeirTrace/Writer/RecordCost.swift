import CWeir

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

extension RecordCost {
    /// Writes some records to a scratch buffer and sees how long that takes: ten to twenty µs in a release build, a quarter ms in debug.
    ///
    /// The records are emissions of an `Int` that nobody hears, written by what writes all of them: `ThreadLog`,
    /// here with a place of its own instead of the calling thread's. Left out are what a record's surroundings cost:
    /// the cache lines that it takes from the program, a new chunk every few thousand records, definitions, and the
    /// making of descriptions of values. The clock must be set.
    static func measured(policy: ValuePolicy, ticksPerSecond: UInt64) -> RecordCost {
        withUnsafeTemporaryAllocation(byteCount: bufferLength, alignment: 64) { buffer in
            // A first write to a page costs more than many records.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            let cost = { (isStamped: Bool) in
                picoseconds(
                    ticks: medianBurst(isStamped: isStamped, policy: policy, buffer), ticksPerSecond: ticksPerSecond)
            }
            return RecordCost(picoseconds: cost(false), stampedPicoseconds: cost(true))
        }
    }

    private static let records = 128
    // No interrupt or slow first round is the median.
    private static let bursts = 5
    // An emission of a small Int takes less than 32 bytes, also under a clock that jumps.
    private static let bufferLength = TraceFormat.chunkHeaderLength + records * 32 + ThreadKeeper.compactRoom

    private static func medianBurst(
        isStamped: Bool, policy: ValuePolicy, _ buffer: UnsafeMutableRawBufferPointer
    ) -> UInt64 {
        guard let chunk = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        var place = weir_thread()
        place.payload = chunk + TraceFormat.chunkHeaderLength
        place.limit = chunk + (bufferLength - ThreadKeeper.compactRoom)
        place.generation = 1
        place.policy = UInt32(policy.rawValue)
        // Events inside another emission carry no stamp.
        place.depth = isStamped ? 0 : 1
        var times = (0..<bursts).map { _ in
            place.cursor = place.payload
            place.last_stamp = weir_now()
            return withUnsafeMutablePointer(to: &place) { burst(ThreadLog(thread: $0)) }
        }
        times.sort()
        return times[bursts / 2]
    }

    /// The ticks that a number of records take.
    @inline(never)
    private static func burst(_ log: ThreadLog) -> UInt64 {
        let begin = weir_now()
        for number in 0..<records where log.isReady(1) { _ = log.emitted(1, number, isPrivate: false, redefine: {}) }
        return weir_now() &- begin
    }

    static func picoseconds(ticks: UInt64, ticksPerSecond: UInt64) -> UInt32 {
        let product = ticks.multipliedFullWidth(by: 1_000_000_000_000 / UInt64(records))
        guard product.high < ticksPerSecond else { return .max }
        return UInt32(clamping: ticksPerSecond.dividingFullWidth(product).quotient)
    }
}
