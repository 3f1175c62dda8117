/// Reads memory of this process by address, without retaining the object that it belongs to.
///
/// Nothing is checked here: an address must come from metadata of the program, or be checked with a `MemoryMap`.
enum Memory {
    /// Words below this are never addresses. They encode `nil` and cases of enums.
    static let leastAddress: UInt = 4096

    /// The 64-bit word at `address`.
    @inline(__always) static func word(_ address: UInt) -> UInt {
        UnsafePointer<UInt>(bitPattern: address).unsafelyUnwrapped.pointee
    }

    /// The 32-bit word at `address`.
    @inline(__always) static func half(_ address: UInt) -> UInt32 {
        UnsafePointer<UInt32>(bitPattern: address).unsafelyUnwrapped.pointee
    }

    /// The byte at `address`.
    @inline(__always) static func byte(_ address: UInt) -> UInt8 {
        UnsafePointer<UInt8>(bitPattern: address).unsafelyUnwrapped.pointee
    }

    /// The target of the relative pointer at `address`; 0 if it has none.
    @inline(__always) static func relative(_ address: UInt) -> UInt {
        let distance = UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped.loadUnaligned(as: Int32.self)
        return distance == 0 ? 0 : address &+ UInt(bitPattern: Int(distance))
    }

    /// The target of the relative pointer at `address`, which is indirect if its lowest bit is set; 0 if it has none.
    static func relativeOrIndirect(_ address: UInt) -> UInt {
        let distance = UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped.loadUnaligned(as: Int32.self)
        if distance == 0 { return 0 }
        let target = address &+ UInt(bitPattern: Int(distance & ~1))
        return distance & 1 == 0 ? target : word(target)
    }

    /// The zero-terminated text at `address`; empty if there is none.
    static func text(_ address: UInt) -> String {
        guard let start = UnsafePointer<CChar>(bitPattern: address) else { return "" }
        return String(cString: start)
    }

    /// `offset`, rounded up to the alignment of `alignMask`.
    @inline(__always) static func align(_ offset: UInt, _ alignMask: UInt) -> UInt {
        (offset &+ alignMask) & ~alignMask
    }
}

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
