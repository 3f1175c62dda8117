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
