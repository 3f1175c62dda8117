/// What a definition of the tag `snapshotPart` says, but for its bytes, which follow in the payload.
struct SnapshotPart {
    var snapshot: UInt32
    /// From 0.
    var number: UInt64
    /// How many parts there are.
    var count: UInt64

    init?(from payload: inout ByteScanner) {
        guard let snapshot = payload.id(), let number = payload.varint(), let count = payload.varint() else {
            return nil
        }
        self.snapshot = snapshot
        self.number = number
        self.count = count
    }
}
