/// The description of the recording in a trace's file header.
public struct TraceHeader: Sendable, Equatable {
    /// The version of the file format.
    public var version: Int
    /// The id of the recorded process; 0 under a virtual clock.
    public var processID: UInt32
    /// The clock that produced the times.
    public var clock: TraceClockKind
    /// How much of each value was recorded.
    public var valuePolicy: ValuePolicy
    /// Whether old chunks are overwritten once the file has reached its limit.
    public var isFlightRecorder: Bool
    /// The rate of the clock in ticks per second.
    public var ticksPerSecond: UInt64
    /// The time on that clock at which the recording began.
    public var startTicks: UInt64
    /// The time of day at which the recording began, in nanoseconds since 1970-01-01 UTC; 0 under a virtual clock.
    public var startWallClock: Int64
    /// The maximum size of the file in bytes; 0: no limit.
    public var byteLimit: UInt64
    /// The recorded program's name; empty under a virtual clock.
    public var program: String
    /// The cost of writing a record on the recording machine; `nil` if the file has no such cost.
    public var recordCost: RecordCost?
    /// The redaction of this copy; `nil`: the trace is an original.
    public var redaction: TraceRedaction?
    /// The modules whose nodes were recorded; empty: all.
    public var modules: [String] = []
    /// The labels that tell the recording from others: its build, its device, its test.
    public var labels: [String: String] = [:]
    /// The number of events that could not be recorded; `nil` if unknown.
    public var lostEvents: UInt64?
    /// The number of events that a flight recorder has overwritten; `nil`: unknown, as in traces of earlier recorders.
    public var overwrittenEvents: UInt64?
    /// Whether the recording ended properly; otherwise it is still running or was killed.
    public var isClosed: Bool
    /// The file's length when it was closed; `nil` if unknown.
    var closedLength: UInt64?

    /// Nanoseconds from the start of the recording to `ticks`; negative before the start, clamped to `Int64`.
    public func nanoseconds(at ticks: UInt64) -> Int64 {
        guard ticksPerSecond > 0 else { return 0 }
        let isBefore = ticks < startTicks
        let distance = isBefore ? startTicks - ticks : ticks - startTicks
        let product = distance.multipliedFullWidth(by: 1_000_000_000)
        guard product.high < ticksPerSecond else { return isBefore ? .min : .max }
        let quotient = ticksPerSecond.dividingFullWidth(product).quotient
        let magnitude = Int64(clamping: quotient)
        return isBefore ? -magnitude : magnitude
    }
}

extension TraceHeader {
    private typealias Field = TraceFormat.HeaderField

    /// Reads the first `headerLength` bytes of a file, or as many as it has.
    init(_ bytes: UnsafeRawBufferPointer, path: String) throws(TraceError) {
        guard !bytes.isEmpty else { throw .empty(path: path) }
        for (offset, byte) in TraceFormat.magic.prefix(bytes.count).enumerated() where bytes[offset] != byte {
            throw .notATrace(path: path, offset: offset)
        }
        guard bytes.count >= Field.headerLength, let base = bytes.baseAddress else {
            throw .damagedHeader(path: path, offset: bytes.count)
        }
        func field<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
            Number(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: type))
        }
        let found = field(Field.version, UInt16.self)
        guard found <= TraceFormat.version else {
            throw .newerVersion(path: path, found: Int(found), known: Int(TraceFormat.version))
        }
        guard bytes.count == TraceFormat.headerLength else {
            throw .damagedHeader(path: path, offset: bytes.count)
        }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[..<Field.checksum])
        guard field(Field.checksum, UInt64.self) == TraceChecksum.of(checked) else {
            throw .damagedHeader(path: path, offset: Field.checksum)
        }
        guard found > 0 else { throw .damagedHeader(path: path, offset: Field.version) }
        guard field(Field.headerLength, UInt16.self) == TraceFormat.headerLength,
            field(Field.chunkSize, UInt32.self) == TraceFormat.chunkSize
        else { throw .damagedHeader(path: path, offset: Field.headerLength) }
        guard let clock = TraceClockKind(rawValue: bytes[Field.clock]),
            let valuePolicy = ValuePolicy(rawValue: bytes[Field.valuePolicy])
        else { throw .damagedHeader(path: path, offset: Field.clock) }
        var scanner = ByteScanner(base, from: Field.program, to: Field.checksum)
        guard let program = scanner.text() else { throw .damagedHeader(path: path, offset: Field.program) }

        version = Int(found)
        processID = field(Field.processID, UInt32.self)
        self.clock = clock
        self.valuePolicy = valuePolicy
        isFlightRecorder = field(Field.flags, UInt16.self) & 1 != 0
        ticksPerSecond = field(Field.ticksPerSecond, UInt64.self)
        startTicks = field(Field.startTicks, UInt64.self)
        startWallClock = field(Field.startWallClock, Int64.self)
        byteLimit = field(Field.byteLimit, UInt64.self)
        self.program = program
        let costs = RecordCost(
            picoseconds: field(Field.recordCost, UInt32.self),
            stampedPicoseconds: field(Field.stampedRecordCost, UInt32.self))
        // The program's name may have any length.
        let isReported =
            scanner.position <= Field.recordCost && costs != RecordCost(picoseconds: 0, stampedPicoseconds: 0)
        recordCost = isReported ? costs : nil
        redaction =
            scanner.position <= Field.redaction
            ? TraceRedaction(
                flags: field(Field.redaction, UInt32.self), damagedPlaces: field(Field.redactionDamage, UInt32.self))
            : nil
        var names = ByteScanner(base, from: max(Field.modules, scanner.position), to: Field.checksum)
        modules =
            scanner.position <= Field.modules
            ? (names.text() ?? "").split(separator: ",").prefix(ModuleChoice.most).map(String.init) : []
        var labelled = ByteScanner(base, from: max(Field.labels, names.position), to: Field.checksum)
        labels =
            scanner.position <= Field.modules && names.position <= Field.labels
            ? TraceLabels.labels(in: labelled.text() ?? "") : [:]
        lostEvents = nil
        overwrittenEvents = nil
        isClosed = false
        readChangingPart(bytes)
    }

    /// Reads the fields that change while the trace is written; keeps the others.
    mutating func readChangingPart(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == TraceFormat.headerLength, let base = bytes.baseAddress else { return }
        var scanner = ByteScanner(base, from: Field.lost, to: bytes.count)
        guard let lost = scanner.fixed(UInt64.self), let lostComplement = scanner.fixed(UInt64.self),
            let state = scanner.fixed(UInt32.self), let stateComplement = scanner.fixed(UInt32.self),
            let length = scanner.fixed(UInt64.self), let lengthComplement = scanner.fixed(UInt64.self),
            let overwritten = scanner.fixed(UInt64.self), let overwrittenComplement = scanner.fixed(UInt64.self)
        else { return }
        overwrittenEvents = overwritten == ~overwrittenComplement ? overwritten : nil
        lostEvents = lost == ~lostComplement ? lost : nil
        closedLength = length == ~lengthComplement ? length : nil
        isClosed = state == ~stateComplement && TraceFormat.State(rawValue: state) == .closed
    }
}
