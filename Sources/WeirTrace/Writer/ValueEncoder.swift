import CWeir

/// Converts the values of one type to bytes of a record.
///
/// The requirements of the type are determined once, when the encoder is made (see `ValueEncoders`). So an emission only
/// computes what is recorded: a hash, a description, a case. The output is the same as that of `AskedEncoding`, which
/// examines each value again.
class ValueEncoder {
    /// Set if values of the type, unless they are nil, are recorded as the fields of a structure.
    @exclusivity(unchecked) final var plan: StructurePlan?

    /// The optionals around a value, which are described and, if possible, hashed instead of the value.
    struct Outer {
        /// The outermost optional.
        let value: UnsafeRawPointer
        let encoder: Unmanaged<ValueEncoder>
        /// The number of optionals.
        var count: Int
        /// The outermost hashable one.
        var hashed: UnsafeRawPointer?
        var hasher: Unmanaged<ValueEncoder>?
    }

    /// Writes the value at `value`, which must be of the type.
    func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper) {
        out.put(.opaque)
    }

    /// Precondition: values of the type are hashable.
    func hash(_ value: UnsafeRawPointer) -> UInt64 { 0 }
    /// Adds the value to the hash of a tuple. Precondition: as above.
    func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {}
    func description(_ value: UnsafeRawPointer) -> String { "" }
    func asked(_ value: UnsafeRawPointer, _ keeper: ThreadKeeper) -> [UInt8] { [] }

    /// The hash of the outermost hashable value.
    final func hash(_ value: UnsafeRawPointer, in outer: Outer?) -> UInt64 {
        guard let outer, let hashed = outer.hashed, let hasher = outer.hasher else { return hash(value) }
        return hasher._withUnsafeGuaranteedRef { $0.hash(hashed) }
    }
}

/// Values that cannot be recorded.
class OpaqueEncoder<Value>: ValueEncoder {
    override final func description(_ value: UnsafeRawPointer) -> String {
        String(describing: value.assumingMemoryBound(to: Value.self).pointee)
    }

    override final func asked(_ value: UnsafeRawPointer, _ keeper: ThreadKeeper) -> [UInt8] {
        AskedEncoding.bytes(of: value.assumingMemoryBound(to: Value.self).pointee, keeper: keeper)
    }
}

/// Values that must be examined one by one.
final class AskingEncoder<Value>: OpaqueEncoder<Value> {
    /// Whether the value was found inside an existential value.
    private let isContent: Bool

    init(isContent: Bool) { self.isContent = isContent }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        let bytes = outer.map { outer in outer.encoder._withUnsafeGuaranteedRef { $0.asked(outer.value, keeper) } }
        if let bytes { return out.all(bytes) }
        if !isContent { return out.all(asked(value, keeper)) }
        // Without the cast, the value would be taken out of its existential.
        out.all(AskedEncoding.bytes(of: value.assumingMemoryBound(to: Value.self).pointee as Any, keeper: keeper))
    }
}

/// Numbers, strings and other types that are stored in a record as they are.
final class InlineEncoder<Value>: OpaqueEncoder<Value> {
    private enum Kind { case int, string, bool, double, other }
    private let kind: Kind =
        Value.self == Int.self
        ? .int
        : Value.self == String.self
            ? .string : Value.self == Bool.self ? .bool : Value.self == Double.self ? .double : .other

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        // Each case is specialized.
        switch kind {
        case .int: _ = out.inline(value, as: Int.self)
        case .bool: _ = out.inline(value, as: Bool.self)
        case .double: _ = out.inline(value, as: Double.self)
        case .other: _ = out.inline(value, as: Value.self)
        case .string:
            if out.inline(value, as: String.self) { return }
            let string = value.assumingMemoryBound(to: String.self).pointee
            out.string(string, whole: .string, cut: .cutString, limit: ValueEncoding.longestInlineString, keeper)
        }
    }
}

/// Integers of the standard library whose type is unknown at the emission.
final class IntegerEncoder<Value>: OpaqueEncoder<Value> {
    private let isSigned: Bool

    init(isSigned: Bool) { self.isSigned = isSigned }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        switch (MemoryLayout<Value>.size, isSigned) {
        case (1, true): out.signed(Int64(value.load(as: Int8.self)))
        case (2, true): out.signed(Int64(value.load(as: Int16.self)))
        case (4, true): out.signed(Int64(value.load(as: Int32.self)))
        case (_, true): out.signed(value.load(as: Int64.self))
        case (1, false): out.signed(Int64(value.load(as: UInt8.self)))
        case (2, false): out.signed(Int64(value.load(as: UInt16.self)))
        case (4, false): out.signed(Int64(value.load(as: UInt32.self)))
        case (_, false):
            let number = value.load(as: UInt64.self)
            if let number = Int64(exactly: number) { out.signed(number) } else { out.unsigned(number) }
        }
    }
}

/// Values that provide their own description for the trace.
final class ConvertibleEncoder<Value: TraceValueConvertible>: OpaqueEncoder<Value> {
    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        out.description(value.assumingMemoryBound(to: Value.self).pointee.traceDescription, keeper)
    }
}

/// Values that are recorded as a description, with a fingerprint if they are hashable.
final class DescriptionEncoder<Value>: OpaqueEncoder<Value> {
    private let hasher: ValueEncoder?

    init(hasher: ValueEncoder?) { self.hasher = hasher }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        let described = outer.map { outer in outer.encoder._withUnsafeGuaranteedRef { $0.description(outer.value) } }
        let text = described ?? description(value)
        if hasher == nil {
            out.description(text, keeper)
        } else {
            out.description(text, hash: hash(value, in: outer), keeper)
        }
    }

    override func hash(_ value: UnsafeRawPointer) -> UInt64 { hasher?.hash(value) ?? 0 }
}

/// Values that are recorded as a fingerprint.
final class FingerprintEncoder<Value: Hashable>: OpaqueEncoder<Value> {
    /// A copy costs less than another one.
    private let newHasher = Hasher()

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        out.fingerprint(of: hash(value, in: outer), keeper)
    }

    override func hash(_ value: UnsafeRawPointer) -> UInt64 {
        var hasher = newHasher
        hash(value, into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    override func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
        // A call on a constant would copy the value first, which may count references.
        func hash(_ value: inout Value) { value.hash(into: &hasher) }
        hash(&UnsafeMutableRawPointer(mutating: value).assumingMemoryBound(to: Value.self).pointee)
    }
}

/// Errors that are no enums: the name of their type.
final class ErrorTypeEncoder<Value>: OpaqueEncoder<Value> {
    private let name: EnumCase?

    init(_ name: EnumCase?) { self.name = name }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        if let name { out.enumCase(name.name, .unknown, keeper) } else { out.put(.opaque) }
    }
}

/// Values of an enum: the name of the case, and a fingerprint of the payload.
final class EnumEncoder<Value>: OpaqueEncoder<Value> {
    /// Nil: the values are not to be hashed, such as errors.
    private let hasher: ValueEncoder?
    /// The form for a case without a payload.
    private let empty: TraceFormat.PayloadForm
    private let tag = CaseTag(of: Value.self)
    /// The cases encountered so far, by tag, if the type provides tags.
    @exclusivity(unchecked) private var cases: [EnumCase?] = []

    init(hasher: ValueEncoder?, empty: TraceFormat.PayloadForm) {
        self.hasher = hasher
        self.empty = empty
    }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        guard let found = enumCase(value) else {
            return hasher == nil ? out.put(.opaque) : out.fingerprint(of: whole(value, outer), keeper)
        }
        if !found.hasPayload {
            out.enumCase(found.name, empty, keeper)
        } else if hasher != nil {
            out.enumCase(found.name, .fingerprint, hash: whole(value, outer), keeper)
        } else {
            out.enumCase(found.name, .unknown, keeper)
        }
    }

    private func whole(_ value: UnsafeRawPointer, _ outer: Outer?) -> UInt64 { hasher?.hash(value, in: outer) ?? 0 }

    private static var mostCases: Int { 1000 }

    private func enumCase(_ value: UnsafeRawPointer) -> EnumCase? {
        guard let tag = tag.map({ Int($0(value)) }), tag < Self.mostCases else { return found(value) }
        if tag < cases.count, let known = cases[tag] { return known }
        return firstCase(value, tag)
    }

    @inline(never)
    private func firstCase(_ value: UnsafeRawPointer, _ tag: Int) -> EnumCase? {
        guard let found = found(value) else { return nil }
        while cases.count <= tag { cases.append(nil) }
        cases[tag] = found
        return found
    }

    private func found(_ value: UnsafeRawPointer) -> EnumCase? {
        EnumCase.found(value, unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self))
    }
}

/// Optionals: `nil`, or the wrapped value.
final class OptionalEncoder<Wrapped>: OpaqueEncoder<Wrapped?> {
    private let tag = CaseTag(of: Wrapped?.self)
    /// Set by the first value that is not nil.
    @exclusivity(unchecked) private var wrapped: Unmanaged<ValueEncoder>?
    /// Retained; nil: optionals of the type are not hashable.
    @exclusivity(unchecked) private var hasher: Unmanaged<ValueEncoder>?

    deinit { hasher?.release() }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        guard !isNil(value) else {
            guard let outer else { return out.put(.nil) }
            return out.enumCase(NestedNil.name(in: outer.count), .none, keeper)
        }
        let wrapped = wrapped ?? prepare(value, keeper)
        var inner = outer ?? Outer(value: value, encoder: .passUnretained(self), count: 0)
        inner.count += 1
        if inner.hasher == nil { (inner.hashed, inner.hasher) = (value, hasher) }
        // The wrapped value replaces the optional in the record.
        wrapped._withUnsafeGuaranteedRef { $0.write(value, to: &out, in: inner, keeper) }
    }

    private func isNil(_ value: UnsafeRawPointer) -> Bool {
        if let tag { return tag(value) != 0 }
        return isNilInside(value)
    }

    /// A separate function, because it queries the runtime for the type, which would otherwise happen even on the fast path.
    @inline(never)
    private func isNilInside(_ value: UnsafeRawPointer) -> Bool {
        if case .none = value.assumingMemoryBound(to: Wrapped?.self).pointee { return true }
        return false
    }

    @inline(never)
    private func prepare(_ value: UnsafeRawPointer, _ keeper: ThreadKeeper) -> Unmanaged<ValueEncoder> {
        let content = value.assumingMemoryBound(to: Wrapped.self).pointee
        let hashing = ValueNeeds.hasher(Wrapped?.self, as: content)
        var role = ValueRole.whole
        if case .found(let known) = hashing { hasher = .passRetained(known) }
        if case .varies = hashing, !ValueNeeds.isError(content) { role = .asked }
        if Wrapped?.self is any TraceValueConvertible.Type { role = .asked }
        let found = keeper.encoders.encoder(of: value, Wrapped.self, role, keeper)
        wrapped = found
        // Of several optionals, it would have to know which one is nil.
        if var inner = found._withUnsafeGuaranteedRef({ $0.plan }), inner.optional == nil, let tag {
            inner.optional = tag
            // The outermost value is hashed, if values inside it are hashable.
            if inner.hasher != nil, let hasher { inner.hasher = hasher }
            plan = inner
        }
        return found
    }
}

/// `nil` inside other optionals, recorded as the case of an enum, since it is another value than `nil`.
enum NestedNil {
    private static let names: [StaticString] = ["some(nil)", "some(.some(nil))", "some(.some(.some(nil)))"]

    /// - Parameter optionals: the number of optionals around it, at least 1; from 3 on, all are the same.
    static func name(in optionals: Int) -> UnsafeBufferPointer<UInt8> {
        let name = names[min(optionals, names.count) - 1]
        return UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
}

/// References: the record depends on the class of the object.
final class ObjectEncoder<Value>: OpaqueEncoder<Value> {
    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        let object = value.assumingMemoryBound(to: AnyObject.self).pointee
        let encoder = keeper.encoders.encoder(of: value, type(of: object), .object, keeper)
        encoder._withUnsafeGuaranteedRef { $0.write(value, to: &out, in: outer, keeper) }
    }
}

/// Values of any type: the record depends on the dynamic type of each.
final class AnyEncoder<Value>: OpaqueEncoder<Value> {
    private let isError: Bool

    init(isError: Bool) { self.isError = isError }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        func opened<Content>(_ content: Content, _ out: inout EncodedValue) {
            withUnsafePointer(to: content) { content in
                let encoder = keeper.encoders.encoder(of: content, Content.self, .content, keeper)
                encoder._withUnsafeGuaranteedRef { $0.write(content, to: &out, in: outer, keeper) }
            }
        }
        if isError {
            opened(value.assumingMemoryBound(to: (any Error).self).pointee, &out)
        } else {
            opened(value.assumingMemoryBound(to: Any.self).pointee, &out)
        }
    }
}
