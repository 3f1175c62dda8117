extension TraceSnapshot {
    /// The snapshot as bytes, as 'The trace file, byte for byte' says.
    ///
    /// A snapshot that is `bounded` and that makes sense can be decoded again; texts longer than 1,024 bytes are cut.
    package var encoded: [UInt8] {
        var encoder = SnapshotEncoder()
        encoder.encode(self)
        return encoder.bytes
    }

    /// The snapshot that `bytes` hold; nil: they do not hold one. Every byte may be hostile.
    ///
    /// What it gives makes sense: every place is one of the arrays', circles close, and the ways that `holder` tells end.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= SnapshotLimits.bytes, let base = bytes.baseAddress else { return nil }
        var decoder = SnapshotDecoder(ByteScanner(base, from: 0, to: bytes.count))
        guard let snapshot = decoder.decode(), snapshot.makesSense else { return nil }
        self = snapshot
    }
}

/// How much a snapshot in a trace may hold.
package enum SnapshotLimits {
    /// Objects; of the others it tells only how many they are.
    package static let objects = 65_536
    /// Bytes, encoded.
    package static let bytes = 8 << 20
    package static let references = 262_144
    package static let circles = 65_536
    /// References of all circles together.
    package static let stepsOfCircles = 1_048_576
    package static let doubts = 4096
    package static let strings = 1 << 20
    /// Bytes of a text; of a longer one the beginning is kept.
    package static let textBytes = 1024
    /// Bytes of a part: with all else of its record, less than what a definition may take.
    package static let partBytes = 8192
}
