/// The header of a `snapshotPart` definition; the bytes of the part follow in the payload.
struct SnapshotPart {
    var snapshot: UInt32
    /// From 0.
    var number: UInt64
    /// The total number of parts.
    var count: UInt64
}

extension SnapshotPart {
    init?(from payload: inout ByteScanner) {
        guard let snapshot = payload.id(), let number = payload.varint(), let count = payload.varint() else {
            return nil
        }
        self.snapshot = snapshot
        self.number = number
        self.count = count
    }
}

/// The parts of a snapshot encountered so far.
struct SnapshotParts: Sendable, Equatable {
    /// The total number of parts, as stated by the first part encountered.
    let count: UInt64
    private var found: Set<UInt64> = []

    init(count: UInt64) { self.count = count }

    mutating func take(_ part: SnapshotPart) {
        if part.number < count { found.insert(part.number) }
    }

    var areAll: Bool { UInt64(found.count) == count }
}
