/// The parts that write the fields of a structure or tuple straight into the record.
///
/// A trivial type: copies cost no reference counting. The encoder keeps the objects.
struct StructurePlan {
    let fields: Unmanaged<StructureFields>
    /// Nil: the value is not hashable.
    var hasher: Unmanaged<ValueEncoder>?
    /// That of an optional around the structure.
    var optional: CaseTag?

    /// Whether the value is a structure, not nil.
    @inline(__always)
    func isFor(_ value: UnsafeRawPointer) -> Bool { optional.map { $0(value) == 0 } ?? true }
}

/// Structures and tuples: the fields that are recorded, and a fingerprint of the whole value if it is hashable.
final class StructureEncoder<Value>: OpaqueEncoder<Value> {
    private let fields: StructureFields?
    private let hasher: ValueEncoder?

    init(_ fields: StructureFields?, hasher: ValueEncoder?) {
        (self.fields, self.hasher) = (fields, hasher)
        super.init()
        plan = fields.map { .init(fields: .passUnretained($0), hasher: hasher.map { .passUnretained($0) }) }
    }

    override func write(_ value: UnsafeRawPointer, to out: inout EncodedValue, in outer: Outer?, _ keeper: ThreadKeeper)
    {
        let hash = hasher == nil ? nil : hash(value, in: outer)
        if let fields { return out.structure(value, fields, hash: hash, keeper) }
        if let hash { out.fingerprint(of: hash, keeper) } else { out.put(.opaque) }
    }

    override func hash(_ value: UnsafeRawPointer) -> UInt64 { hasher?.hash(value) ?? 0 }
}

/// The hash of a tuple whose elements are hashable.
final class TupleHasher: ValueEncoder {
    /// How an element is hashed: one of the commonest types without the detour of a generic type.
    ///
    /// A trivial type: copies cost no reference counting.
    enum Element {
        case int, string, bool, double
        /// Retained, and released by the `TupleHasher`.
        case other(Unmanaged<ValueEncoder>)

        init?(common type: Any.Type) {
            if type == Int.self {
                self = .int
            } else if type == String.self {
                self = .string
            } else if type == Bool.self {
                self = .bool
            } else if type == Double.self {
                self = .double
            } else {
                return nil
            }
        }

        func release() { if case .other(let hasher) = self { hasher.release() } }
    }

    private let elements: UnsafeMutableBufferPointer<(offset: Int, element: Element)>
    /// A copy costs less than another one.
    private let newHasher = Hasher()

    init(_ elements: [(offset: Int, element: Element)]) {
        self.elements = .allocate(capacity: elements.count)
        _ = self.elements.initialize(from: elements)
    }

    deinit {
        for part in elements { part.element.release() }
        elements.deallocate()
    }

    override func hash(_ value: UnsafeRawPointer) -> UInt64 {
        var hasher = newHasher
        hash(value, into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    override func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
        for part in elements {
            let place = value + part.offset
            switch part.element {
            case .int: hasher.combine(place.load(as: Int.self))
            case .string: hasher.combine(place.assumingMemoryBound(to: String.self).pointee)
            case .bool: hasher.combine(place.load(as: Bool.self))
            case .double: hasher.combine(place.load(as: Double.self))
            case .other(let other): other._withUnsafeGuaranteedRef { $0.hash(place, into: &hasher) }
            }
        }
    }
}
