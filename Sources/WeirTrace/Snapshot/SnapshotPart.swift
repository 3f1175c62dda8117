/// What a definition of the tag `snapshotPart` says, but for its bytes, which follow in the payload.
struct SnapshotPart {
    var snapshot: UInt32
    /// From 0.
    var number: UInt64
    /// How many parts there are.
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

/// Which parts of a snapshot were met.
struct SnapshotParts: Sendable, Equatable {
    /// How many there are, as the first one says.
    let count: UInt64
    private var found: Set<UInt64> = []

    init(count: UInt64) { self.count = count }

    mutating func take(_ part: SnapshotPart) {
        if part.number < count { found.insert(part.number) }
    }

    var areAll: Bool { UInt64(found.count) == count }
}
