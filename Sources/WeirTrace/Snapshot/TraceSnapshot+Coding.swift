extension TraceSnapshot {
    /// The snapshot as bytes, in the format of 'The trace file, byte for byte'.
    ///
    /// A `bounded` snapshot for which `makesSense` is true can be decoded again; texts longer than 1,024 bytes are cut.
    package var encoded: [UInt8] {
        var encoder = SnapshotEncoder()
        encoder.encode(self)
        return encoder.bytes
    }

    /// The snapshot encoded in `bytes`, which may be hostile; nil: they do not contain a snapshot.
    ///
    /// The result makes sense: every index is within its array, cycles are closed, and all chains of `holder` end.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= SnapshotLimits.bytes, let base = bytes.baseAddress else { return nil }
        var decoder = SnapshotDecoder(ByteScanner(base, from: 0, to: bytes.count))
        guard let snapshot = decoder.decode(), snapshot.makesSense else { return nil }
        self = snapshot
    }
}

/// The limits of a snapshot in a trace.
package enum SnapshotLimits {
    /// The most objects; the rest are only counted.
    package static let objects = 65_536
    /// The most bytes, encoded.
    package static let bytes = 8 << 20
    package static let references = 262_144
    package static let cycles = 65_536
    /// The most references in all cycles together.
    package static let stepsOfCycles = 1_048_576
    package static let limitations = 4096
    package static let strings = 1 << 20
    /// The most bytes of a text; only the beginning of longer texts is kept.
    package static let textBytes = 1024
    /// The most bytes of a part; with the rest of its record, it is shorter than the longest definition.
    package static let partBytes = 8192
}
