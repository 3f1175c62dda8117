import CWeir

/// Numbers by address: a hash table with open addressing. No address is 0.
///
/// Its creator must free it.
struct AddressMap {
    private struct Entry {
        var address: UInt
        var number: Int32
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var mask: Int
    private var count = 0

    /// An empty map of two to the power of `logarithm` slots, half of which can be used.
    init(logarithm: Int = 10) {
        mask = 1 << logarithm - 1
        entries = AddressMap.allocate(mask + 1)
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Entry> {
        let size = count * MemoryLayout<Entry>.stride
        let largePage = 1 << 21
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size < largePage ? 16 : largePage)
        // Most lookups touch another page than the one before.
        if size >= largePage { weir_prefer_large_pages(memory, size) }
        return memory.initializeMemory(as: Entry.self, repeating: Entry(address: 0, number: 0), count: count)
    }

    /// Frees the memory.
    func free() { entries.deallocate() }

    @inline(__always) private static func hash(_ address: UInt) -> Int {
        Int(truncatingIfNeeded: ((address >> 3) &* 0x9e37_79b9_7f4a_7c15) >> 20)
    }

    /// Makes the processor fetch the slot of `address`, which will be looked up soon.
    @inline(__always) func prefetch(_ address: UInt) {
        weir_prefetch(entries + (AddressMap.hash(address) & mask))
    }

    /// The number of `address`; -1 if it has none.
    @inline(__always) func find(_ address: UInt) -> Int32 {
        var place = AddressMap.hash(address) & mask
        while true {
            let entry = entries[place]
            if entry.address == 0 { return -1 }
            if entry.address == address { return entry.number }
            place = (place &+ 1) & mask
        }
    }

    /// The number of `address`. If it has none, returns -1 and gives it the number `next`.
    @inline(__always) mutating func findOrInsert(_ address: UInt, _ next: Int32) -> Int32 {
        var place = AddressMap.hash(address) & mask
        while true {
            let entry = entries[place]
            if entry.address == address { return entry.number }
            if entry.address == 0 {
                entries[place] = Entry(address: address, number: next)
                count &+= 1
                if count &* 2 > mask { grow() }
                return -1
            }
            place = (place &+ 1) & mask
        }
    }

    @inline(never) private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: entries, count: mask + 1)
        mask = old.count * 2 - 1
        entries = AddressMap.allocate(mask + 1)
        for entry in old where entry.address != 0 {
            var place = AddressMap.hash(entry.address) & mask
            while entries[place].address != 0 { place = (place &+ 1) & mask }
            entries[place] = entry
        }
        old.deallocate()
    }
}
