import CWeir

/// Encodes values by examining each of them again, for types that do not determine how their values are recorded.
///
/// `ValueEncoder` determines the same once for each type; a test compares both.
enum AskedEncoding {
    /// The form and value of anything, under the policy of the current recording.
    static func bytes<Value>(of value: Value, keeper: ThreadKeeper) -> [UInt8] {
        guard let configuration = keeper.writer?.configuration, configuration.policy != .none else {
            return [TraceFormat.ValueForm.notRecorded.rawValue]
        }
        let numbers = keeper.writer?.fingerprints
        if let scalar = scalar(value, fingerprints: numbers) { return scalar }
        // The elements decide how a tuple is recorded: each thread asks them once.
        if isTuple(type(of: value as Any)) { return ValueEncoding.bytes(of: value, keeper: keeper) }
        if let convertible = value as? any TraceValueConvertible {
            return text(
                convertible.traceDescription, whole: .description, cut: .cutDescription,
                limit: configuration.descriptionLimit, fingerprints: numbers)
        }
        if configuration.policy != .scalars {
            if !(value is any Error), let hashable = value as? any Hashable {
                return EncodedValue.description(
                    String(describing: value), limit: configuration.descriptionLimit,
                    fingerprint: fingerprint(hashable, numbers))
            }
            return text(
                String(describing: value), whole: .description, cut: .cutDescription,
                limit: configuration.descriptionLimit, fingerprints: numbers)
        }
        let own =
            EnumCase.of(value, &keeper.enumCases) ?? (value as? any OptionalValue)?.enumCase(&keeper.enumCases)
        if let own, !own.hasPayload { return enumCase(own.name, .none) }
        let error = value as? any Error
        let found = own ?? error.flatMap { EnumCase.of(error: $0, &keeper.enumCases) }
        if let found, !found.hasPayload { return enumCase(found.name, .noneOfAnyEnum) }
        if error == nil, own == nil, let structure = structure(value, value as? any Hashable, keeper) {
            return structure
        }
        // Errors are rarely designed to be hashed: some of Foundation's crash the program.
        if error == nil, let hashable = value as? any Hashable {
            let whole = number(fingerprint(hashable, numbers))
            return found.map { enumCase($0.name, .fingerprint, whole) }
                ?? [TraceFormat.ValueForm.fingerprint.rawValue] + whole
        }
        return found.map { enumCase($0.name, .unknown) } ?? [TraceFormat.ValueForm.opaque.rawValue]
    }

    /// Whether a type is that of tuples, or of tuples in optionals.
    private static func isTuple(_ type: Any.Type) -> Bool {
        if let optional = type as? any OptionalValue.Type { return isTuple(optional.wrapped) }
        return TypeKind(of: type) == .tuple
    }

    /// The recorded fields of a structure, or of one in optionals; nil: it is none, or has no such field.
    ///
    /// - Parameter hashable: what is hashed in its place.
    fileprivate static func structure<Value>(
        _ value: Value, _ hashable: (any Hashable)?, _ keeper: ThreadKeeper
    ) -> [UInt8]? {
        if let optional = value as? any OptionalValue {
            return optional.structure(hashable, keeper)
        }
        guard let fields = keeper.encoders.fields(of: Value.self) else { return nil }
        let hash = hashable.map { hashable in
            var hasher = Hasher()
            hashable.hash(into: &hasher)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return withUnsafeTemporaryAllocation(byteCount: EncodedValue.memory, alignment: 8) { memory in
            var encoded = EncodedValue(in: memory)
            withUnsafePointer(to: value) { encoded.structure($0, fields, hash: hash, keeper) }
            return encoded.bytes
        }
    }

    private static func enumCase(
        _ name: UnsafeBufferPointer<UInt8>, _ payload: TraceFormat.PayloadForm, _ fingerprint: [UInt8] = []
    ) -> [UInt8] {
        var bytes = [TraceFormat.ValueForm.enumCase.rawValue]
        Varint.append(UInt64(1 + fingerprint.count + name.count), to: &bytes)
        bytes.append(payload.rawValue)
        bytes += fingerprint
        bytes += name
        return bytes
    }

    /// - Parameter optionals: the number of optionals around the value.
    fileprivate static func scalar<Value>(
        _ value: Value, in optionals: Int = 0, fingerprints: FingerprintNumbers?
    ) -> [UInt8]? {
        if ValueEncoding.mayBeInline(Value.self) {
            let bytes = withUnsafeTemporaryAllocation(byteCount: 80, alignment: 8) { buffer -> [UInt8]? in
                guard let base = buffer.baseAddress else { return nil }
                var end = base
                guard ValueEncoding.writeInline(value, &end) else { return nil }
                return Array(UnsafeRawBufferPointer(start: base, count: end - base))
            }
            if let bytes { return bytes }
        }
        if let string = value as? String {
            return text(
                string, whole: .string, cut: .cutString, limit: ValueEncoding.longestInlineString,
                fingerprints: fingerprints)
        }
        if let optional = value as? any OptionalValue {
            return optional.traceScalar(in: optionals, fingerprints)
        }
        if let integer = value as? any BinaryInteger {
            var bytes: [UInt8] = []
            if let signed = Int64(exactly: integer) {
                bytes.append(TraceFormat.ValueForm.signed.rawValue)
                Varint.append(Varint.zigzag(signed), to: &bytes)
                return bytes
            }
            if let unsigned = UInt64(exactly: integer) {
                bytes.append(TraceFormat.ValueForm.unsigned.rawValue)
                Varint.append(unsigned, to: &bytes)
                return bytes
            }
        }
        return nil
    }

    fileprivate static func none(in optionals: Int) -> [UInt8] {
        optionals == 0 ? [TraceFormat.ValueForm.nil.rawValue] : enumCase(NestedNil.name(in: optionals), .none)
    }

    private static func text(
        _ value: String, whole: TraceFormat.ValueForm, cut: TraceFormat.ValueForm, limit: Int,
        fingerprints: FingerprintNumbers?
    ) -> [UInt8] {
        var text = value
        return text.withUTF8 { utf8 in
            let isCut = utf8.count > limit
            let kept =
                isCut && cut == .cutDescription
                ? ShortDescription.bytes(of: utf8, limit: limit)
                : Array(utf8[..<EncodedValue.characters(utf8, limit: limit)])
            var bytes = [isCut ? cut.rawValue : whole.rawValue]
            Varint.append(UInt64(kept.count), to: &bytes)
            bytes += kept
            if isCut { bytes += number(fingerprint(value, fingerprints)) }
            return bytes
        }
    }

    private static func fingerprint(_ value: any Hashable, _ numbers: FingerprintNumbers?) -> UInt64 {
        var hasher = Hasher()
        value.hash(into: &hasher)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        return numbers?.number(of: hash) ?? hash
    }

    private static func number(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// Any `Optional`.
protocol OptionalValue {
    /// The enum case of the wrapped value.
    func enumCase(_ cache: inout EnumCase.Cache) -> EnumCase?
    /// The recorded fields of the wrapped value.
    func structure(_ hashable: (any Hashable)?, _ keeper: ThreadKeeper) -> [UInt8]?
    func traceScalar(in optionals: Int, _ fingerprints: FingerprintNumbers?) -> [UInt8]?
    /// The encoder for values of this type.
    static func encoder() -> ValueEncoder
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
    func enumCase(_ cache: inout EnumCase.Cache) -> EnumCase? {
        guard let self else { return nil }
        return EnumCase.of(self, &cache) ?? (self as? any OptionalValue)?.enumCase(&cache)
    }

    func structure(_ hashable: (any Hashable)?, _ keeper: ThreadKeeper) -> [UInt8]? {
        flatMap { AskedEncoding.structure($0, hashable, keeper) }
    }

    static var wrapped: Any.Type { Wrapped.self }

    func traceScalar(in optionals: Int, _ fingerprints: FingerprintNumbers?) -> [UInt8]? {
        guard let self else { return AskedEncoding.none(in: optionals) }
        return AskedEncoding.scalar(self, in: optionals + 1, fingerprints: fingerprints)
    }

    static func encoder() -> ValueEncoder { OptionalEncoder<Wrapped>() }
}
