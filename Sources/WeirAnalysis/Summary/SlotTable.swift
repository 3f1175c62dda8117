/// Finds the slot of an id, fast for the small ids that recorders assign.
struct SlotTable {
    // Larger ids go to a dictionary, so that a hostile id costs no more memory than any other.
    private static let denseLimit: UInt32 = 65_536
    private var dense: [Int32] = []
    private var sparse: [UInt32: Int32] = [:]

    /// The slot of an id; nil if it has none.
    subscript(id: UInt32) -> Int? {
        get {
            if Int(id) < dense.count {
                let slot = dense[Int(id)]
                return slot < 0 ? nil : Int(slot)
            }
            return sparse.isEmpty ? nil : sparse[id].map(Int.init)
        }
        set {
            let slot = newValue.map { Int32(clamping: $0) } ?? -1
            if id < Self.denseLimit {
                while dense.count <= Int(id) { dense.append(-1) }
                dense[Int(id)] = slot
            } else {
                sparse[id] = slot < 0 ? nil : slot
            }
        }
    }
}
