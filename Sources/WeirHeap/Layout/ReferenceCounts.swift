/// The reference counts in the header of a heap object, or in its side table.
struct ReferenceCounts {
    private let bits: UInt
    /// The side table, which exists once weak references need it; 0 if there is none.
    let sideTable: UInt

    /// Reads the header of the object at `address`. Its side table, if any, must be readable.
    @inline(__always) init(of address: UInt) { self.init(header: Memory.word(address &+ 8)) }

    /// Reads the counts that a header word contains or refers to.
    @inline(__always) init(header: UInt) {
        if header >> 63 == 0 || ReferenceCounts.isImmortal(header) {
            bits = header
            sideTable = 0
        } else {
            sideTable = ReferenceCounts.sideTable(header)
            bits = Memory.word(sideTable &+ 16)
        }
    }

    /// Reads the counts in a side table.
    @inline(__always) init(inSideTable sideTable: UInt) {
        self.sideTable = sideTable
        bits = Memory.word(sideTable &+ 16)
    }

    /// The side table that the header word refers to.
    @inline(__always) static func sideTable(_ header: UInt) -> UInt { (header & (1 << 62 - 1)) << 3 }

    /// Whether the header word marks an immortal object.
    @inline(__always) static func isImmortal(_ header: UInt) -> Bool { header & 0xffff_ffff == 0xffff_ffff }

    /// The number of strong references, at least 1; `.max` if the object is immortal.
    @inline(__always) var strong: Int32 {
        if ReferenceCounts.isImmortal(bits) { return .max }
        return Int32(truncatingIfNeeded: bits >> 33 & 0x3fff_ffff) &+ 1
    }

    /// The number of unowned references, plus one for all strong references together; 0 if this is not an object.
    @inline(__always) var unowned: UInt { bits >> 1 & 0x7fff_ffff }

    /// Whether its `deinit` has begun.
    var isDeinitializing: Bool { !ReferenceCounts.isImmortal(bits) && bits >> 32 & 1 != 0 }

    /// The number of weak references.
    var weak: Int { sideTable == 0 ? 0 : Int(Memory.half(sideTable &+ 24)) - 1 }
}
