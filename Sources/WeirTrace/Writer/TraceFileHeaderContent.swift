import CWeir

/// The content that a recording writes into the header of its file.
struct TraceFileHeaderContent {
    var processID: UInt32
    var clock: TraceClockKind
    var valuePolicy: ValuePolicy
    var isFlightRecorder: Bool
    var ticksPerSecond: UInt64
    var startTicks: UInt64
    var startWallClock: Int64
    var byteLimit: UInt64
    var program: String
    var recordCost: RecordCost?
    var redaction: TraceRedaction?
    /// The modules whose nodes were recorded; empty: all.
    var modules: [String] = []
    var labels: [String: String] = [:]

    func write(to header: UnsafeMutableRawPointer) {
        typealias Field = TraceFormat.HeaderField
        header.initializeMemory(as: UInt8.self, repeating: 0, count: TraceFormat.headerLength)
        func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
            header.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
        }
        put(TraceFormat.version, at: Field.version)
        put(UInt16(TraceFormat.headerLength), at: Field.headerLength)
        put(UInt32(TraceFormat.chunkSize), at: Field.chunkSize)
        put(processID, at: Field.processID)
        put(clock.rawValue, at: Field.clock)
        put(valuePolicy.rawValue, at: Field.valuePolicy)
        put(UInt16(isFlightRecorder ? 1 : 0), at: Field.flags)
        put(ticksPerSecond, at: Field.ticksPerSecond)
        put(startTicks, at: Field.startTicks)
        put(startWallClock, at: Field.startWallClock)
        put(byteLimit, at: Field.byteLimit)
        let name = Array(program.utf8.prefix(1024))
        var cursor = header + Field.program
        Varint.write(UInt64(name.count), &cursor)
        name.withUnsafeBytes {
            cursor.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(header), byteCount: $0.count)
        }
        put(recordCost?.picoseconds ?? 0, at: Field.recordCost)
        put(recordCost?.stampedPicoseconds ?? 0, at: Field.stampedRecordCost)
        put(redaction?.flags ?? 0, at: Field.redaction)
        put(redaction?.damagedPlaces ?? 0, at: Field.redactionDamage)
        func put(_ text: String, atMost longest: Int, at offset: Int) {
            let bytes = Array(text.utf8.prefix(longest))
            var place = header + offset
            Varint.write(UInt64(bytes.count), &place)
            bytes.withUnsafeBytes {
                place.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(header), byteCount: $0.count)
            }
        }
        put(modules.joined(separator: ","), atMost: ModuleChoice.longestText, at: Field.modules)
        put(TraceLabels.text(of: labels), atMost: TraceLabels.longestText, at: Field.labels)
        put(UInt64.max, at: Field.lostComplement)
        put(UInt64.max, at: Field.overwrittenComplement)
        Self.write(state: .beingWritten, to: header)
        for (offset, byte) in TraceFormat.magic.enumerated() {
            header.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
        put(TraceChecksum.of(UnsafeRawBufferPointer(start: header, count: Field.checksum)), at: Field.checksum)
    }

    static func write(state: TraceFormat.State, to header: UnsafeMutableRawPointer) {
        let place = (header + TraceFormat.HeaderField.state).assumingMemoryBound(to: UInt32.self)
        weir_store_release_u32(place, state.rawValue.littleEndian)
        weir_store_release_u32(place + 1, (~state.rawValue).littleEndian)
    }

    static func write(closedLength length: UInt64, to header: UnsafeMutableRawPointer) {
        typealias Field = TraceFormat.HeaderField
        header.storeBytes(of: length.littleEndian, toByteOffset: Field.closedLength, as: UInt64.self)
        header.storeBytes(of: (~length).littleEndian, toByteOffset: Field.closedLengthComplement, as: UInt64.self)
    }
}
