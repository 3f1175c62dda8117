extension TraceSnapshot {
    /// The snapshot as bytes, as 'The trace file, byte for byte' says.
    package var encoded: [UInt8] { [] }

    /// The snapshot that `bytes` hold; nil: they do not hold one. Every byte may be hostile.
    package init?(decoding bytes: UnsafeRawBufferPointer) { return nil }
}
