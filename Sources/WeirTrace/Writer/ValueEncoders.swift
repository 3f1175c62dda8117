import CWeir

/// The context in which a value to encode was found.
enum ValueRole: UInt {
    /// Its static type is known.
    case whole = 0
    /// Inside an existential value; then few types are written inline.
    case content = 1
    /// An object of exactly this class, not of a subclass.
    case object = 2
    /// Inside an optional that must be examined as a whole.
    case asked = 3
}

/// The encoders of a thread, by type; each is made for the first value of its type and lives as long as the thread.
///
/// They belong to one thread: there is no lock, and whether a conformance may be used on it is determined once (see
/// `ValueNeeds`).
final class ValueEncoders {
    private struct Slot {
        var key: UInt = 0
        var encoder: UnsafeRawPointer?
    }

    /// A cache of the encoders used last: a lookup takes a load and a comparison.
    private let slots: UnsafeMutablePointer<Slot>
    private static var slotBits: UInt { 6 }
    @exclusivity(unchecked) private var all: [UInt: ValueEncoder] = [:]

    init() {
        slots = .allocate(capacity: 1 << Self.slotBits)
        slots.initialize(repeating: Slot(), count: 1 << Self.slotBits)
    }

    deinit { slots.deallocate() }

    /// The fields of structures that values of other types were found to hold.
    @exclusivity(unchecked) private var structures: [ObjectIdentifier: StructureFields?] = [:]

    /// The fields of a structure that are recorded; nil if there is none.
    func fields(of type: Any.Type) -> StructureFields? {
        if let known = structures[ObjectIdentifier(type)] { return known }
        let found = StructureFields(of: type)
        structures[ObjectIdentifier(type)] = .some(found)
        return found
    }

    /// The encoder of values of the type; nil: it was not used lately.
    @inline(__always)
    func encoderUsedLately(of type: Any.Type, _ keeper: ThreadKeeper) -> Unmanaged<ValueEncoder>? {
        let key = Self.key(type, .whole, keeper)
        let slot = slot(key).pointee
        guard slot.key == key, let found = slot.encoder else { return nil }
        return .fromOpaque(found)
    }

    /// The encoder of the value at `value`, and of all others of its type.
    func encoder(
        of value: UnsafeRawPointer, _ type: Any.Type, _ role: ValueRole, _ keeper: ThreadKeeper
    ) -> Unmanaged<ValueEncoder> {
        let key = Self.key(type, role, keeper)
        return known(key) ?? make(value, type, role, keeper, key)
    }

    /// The address of the type's metadata, whose lowest three bits are free.
    @inline(__always)
    private static func key(_ type: Any.Type, _ role: ValueRole, _ keeper: ThreadKeeper) -> UInt {
        unsafeBitCast(type, to: UInt.self) | role.rawValue | (keeper.isDescribed ? 4 : 0)
    }

    @inline(__always)
    private func slot(_ key: UInt) -> UnsafeMutablePointer<Slot> {
        slots + Int((key &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.slotBits))
    }

    @inline(never)
    private func make(
        _ value: UnsafeRawPointer, _ type: Any.Type, _ role: ValueRole, _ keeper: ThreadKeeper, _ key: UInt
    ) -> Unmanaged<ValueEncoder> {
        func opened<Value>(_: Value.Type) -> ValueEncoder {
            ValueNeeds.encoder(value.assumingMemoryBound(to: Value.self).pointee, role, isDescribed: keeper.isDescribed)
        }
        return keep(_openExistential(type, do: opened), key)
    }

    @inline(__always)
    private func known(_ key: UInt) -> Unmanaged<ValueEncoder>? {
        let slot = slot(key)
        if _fastPath(slot.pointee.key == key), let found = slot.pointee.encoder { return .fromOpaque(found) }
        guard let found = all[key] else { return nil }
        return keep(found, key)
    }

    private func keep(_ encoder: ValueEncoder, _ key: UInt) -> Unmanaged<ValueEncoder> {
        // Casting may reenter and have made an encoder already, which is in use.
        if all[key] == nil { all[key] = encoder }
        let kept = Unmanaged.passUnretained(all[key] ?? encoder)
        slot(key).pointee = Slot(key: key, encoder: kept.toOpaque())
        return kept
    }
}
