import CWeir

/// Determines how the values of a type are recorded.
///
/// A conformance may be isolated to an actor, and must not be used outside it. So it is used without further checks only if
/// it is not isolated, or is isolated to the main actor while this is the main thread.
enum ValueNeeds {
    /// The result of examining a conformance.
    enum Finding {
        case none
        case found(ValueEncoder)
        /// Only some values conform, or only at some times.
        case varies
    }

    /// The encoder for values of the type of `value`, on this thread.
    static func encoder<Value>(_ value: Value, _ role: ValueRole, isDescribed: Bool) -> ValueEncoder {
        if role == .asked || Value.self == AnyHashable.self { return AskingEncoder<Value>(isContent: role == .content) }
        if Value.self == String.self || role == .whole && ValueEncoding.mayBeInline(Value.self) {
            return InlineEncoder<Value>()
        }
        let kind = TypeKind(of: Value.self)
        switch kind {
        case .optional:
            if let type = Value.self as? any OptionalValue.Type { return type.encoder() }
        case .existential:
            if Value.self == (any Error).self { return AnyEncoder<Value>(isError: true) }
            return TypeKind.isClassBound(Value.self) ? ObjectEncoder<Value>() : AnyEncoder<Value>(isError: false)
        case .object: if role != .object { return ObjectEncoder<Value>() }
        case .structure, .enumeration, .tuple, .other: break
        }
        return plain(value, kind, role, isDescribed)
    }

    private static func plain<Value>(
        _ value: Value, _ kind: TypeKind, _ role: ValueRole, _ isDescribed: Bool
    ) -> ValueEncoder {
        if let isSigned = standardInteger(Value.self) { return IntegerEncoder<Value>(isSigned: isSigned) }
        if value is any BinaryInteger || kind == .object && (value is String || isBox(value)) {
            return AskingEncoder<Value>(isContent: role == .content)
        }
        switch convertible(value) {
        case .found(let encoder): return encoder
        case .varies: return AskingEncoder<Value>(isContent: role == .content)
        case .none: break
        }
        var hasher: ValueEncoder?
        let isError = isError(value)
        // Errors are rarely designed to be hashed: some of Foundation's crash the program.
        if !isError {
            switch Self.hasher(value) {
            case .found(let found): hasher = found
            case .varies: return AskingEncoder<Value>(isContent: role == .content)
            case .none: break
            }
        }
        let isTuple = kind == .tuple && role == .whole
        if isTuple { hasher = withUnsafePointer(to: value) { tupleHasher($0, Value.self) } }
        if isDescribed { return DescriptionEncoder<Value>(hasher: hasher) }
        if isTuple { return StructureEncoder<Value>(StructureFields(of: Value.self), hasher: hasher) }
        if kind == .structure, role == .whole, !isError, let fields = StructureFields(of: Value.self) {
            return StructureEncoder<Value>(fields, hasher: hasher)
        }
        if isError, kind != .enumeration { return ErrorTypeEncoder<Value>(EnumCase.named(Value.self)) }
        guard kind == .enumeration, role == .whole || isError else { return hasher ?? OpaqueEncoder<Value>() }
        return EnumEncoder<Value>(hasher: hasher, empty: role == .whole ? .none : .noneOfAnyEnum)
    }

    private static func standardInteger<Value>(_: Value.Type) -> Bool? {
        let signed: [Any.Type] = [Int.self, Int8.self, Int16.self, Int32.self, Int64.self]
        let unsigned: [Any.Type] = [UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self]
        return signed.contains { $0 == Value.self } ? true : unsigned.contains { $0 == Value.self } ? false : nil
    }

    /// Whether it is an object that boxes a value of some other type.
    private static func isBox<Value>(_: Value) -> Bool { RuntimeNames.name(of: Value.self) == "__SwiftValue" }

    // MARK: Conformances

    static func isError<Value>(_ value: Value) -> Bool { Value.self is any Error.Type || value is any Error }

    static func hasher<Value>(_ value: Value) -> Finding { hasher(Value.self, as: value) }

    /// - Parameter value: hashable if values of the type are.
    static func hasher<Part>(_ type: Any.Type, as value: Part) -> Finding {
        func made<Same: Hashable>(_: Same.Type) -> ValueEncoder { FingerprintEncoder<Same>() }
        guard let whole = type as? any Hashable.Type else { return .none }
        guard let part = Part.self as? any Hashable.Type,
            mayBeKept(part, as: [part], isUsable: value is any Hashable)
        else { return .varies }
        return .found(made(whole))
    }

    /// The hasher of a tuple's type; nil: not all elements are hashable.
    ///
    /// - Parameter value: a value of the type.
    private static func tupleHasher(_ value: UnsafeRawPointer, _ type: Any.Type) -> ValueEncoder? {
        var elements: [(offset: Int, element: TupleHasher.Element)] = []
        for field in RuntimeFields.all(of: type) {
            let place = value + field.offset
            func opened<Part>(_: Part.Type) -> TupleHasher.Element? { element(place, Part.self) }
            guard let element = _openExistential(field.type, do: opened) else {
                for element in elements { element.element.release() }
                return nil
            }
            elements.append((field.offset, element))
        }
        return TupleHasher(elements)
    }

    private static func element<Part>(_ place: UnsafeRawPointer, _: Part.Type) -> TupleHasher.Element? {
        if TypeKind(of: Part.self) == .tuple {
            return tupleHasher(place, Part.self).map { .other(.passRetained($0)) }
        }
        if let common = TupleHasher.Element(common: Part.self) { return common }
        let part = place.assumingMemoryBound(to: Part.self).pointee
        // The type decides what a trace may show of it.
        if isError(part) || Part.self is any TraceValueConvertible.Type { return nil }
        guard case .found(let hasher) = hasher(part) else { return nil }
        return .other(.passRetained(hasher))
    }

    private static func convertible<Value>(_ value: Value) -> Finding {
        func made<Same: TraceValueConvertible>(_: Same.Type) -> ValueEncoder { ConvertibleEncoder<Same>() }
        guard let type = Value.self as? any TraceValueConvertible.Type else { return .none }
        guard mayBeKept(type, as: [type], isUsable: value is any TraceValueConvertible) else { return .varies }
        return .found(made(type))
    }

    /// Whether a conformance may be used on this thread at any time.
    ///
    /// - Parameters:
    ///   - conformance: the type, as a conforming type.
    ///   - isUsable: whether it may be used now. The cast of a value determines that; the cast of its type does not.
    private static func mayBeKept<Conforming>(
        _ type: Any.Type, as conformance: [Conforming], isUsable: Bool
    ) -> Bool {
        let executor = weir_executor()
        let isNobodys = executor == 0 || executor == WEIR_MAIN_EXECUTOR && weir_thread_is_main()
        return isUsable && isNobodys || isUnisolated(type, conformance)
    }

    private static func isUnisolated<Conforming>(_ type: Any.Type, _ conformance: [Conforming]) -> Bool {
        #if _ptrauth(_arm64e)
        return false
        #else
        let address = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let kind = TypeKind(address)
        guard kind == .structure || kind == .enumeration, MemoryLayout<Conforming>.size == 16 else { return false }
        let word = MemoryLayout<UInt>.size
        // Bit 7 of a type's flags: it is generic, and the conformances of its arguments may be isolated.
        let descriptor = address.load(fromByteOffset: word, as: UnsafeRawPointer.self)
        guard descriptor.load(as: UInt32.self) & 0x80 == 0 else { return false }
        // The second word is the witness table, which begins with the address of the conformance descriptor.
        let table = conformance.withUnsafeBytes { $0.load(fromByteOffset: word, as: UnsafeRawPointer.self) }
        let flags = table.load(as: UnsafeRawPointer.self).load(fromByteOffset: 12, as: UInt32.self)
        return flags & 1 << 19 == 0
        #endif
    }
}

/// The kind of a type, from the first word of its metadata.
enum TypeKind {
    case structure, enumeration, optional, tuple, object, existential, other

    init(_ type: UnsafeRawPointer) {
        self =
            switch type.load(as: UInt.self) {
            case 0x200: .structure
            case 0x201: .enumeration
            case 0x202: .optional
            case 0x301: .tuple
            case 0x303: .existential
            case 0, 0x305, 0x800...: .object
            default: .other
            }
    }

    init(of type: Any.Type) { self.init(unsafeBitCast(type, to: UnsafeRawPointer.self)) }

    /// Whether an existential holds just a class reference. Precondition: the type is an existential.
    static func isClassBound(_ type: Any.Type) -> Bool {
        let flags = unsafeBitCast(type, to: UnsafeRawPointer.self)
            .load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt32.self)
        return flags & 0x8000_0000 == 0
    }
}
