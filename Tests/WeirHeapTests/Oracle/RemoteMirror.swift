import CWeirRemoteMirror

@testable import WeirHeap

/// The layout of an object, according to the toolchain's own reflection library.
struct RemoteMirror {
    /// An offset in an object, and the kind of reference there.
    struct Place: Hashable, Comparable, CustomStringConvertible {
        enum Kind: String {
            case strong, function, existential, enumeration, weak, unowned, unmanaged, bridge, unseen
        }

        var offset: UInt
        var kind: Kind

        var description: String { "\(offset):\(kind)" }

        static func < (left: Place, right: Place) -> Bool {
            (left.offset, left.kind.rawValue) < (right.offset, right.kind.rawValue)
        }
    }

    /// The path of the library in the toolchain that this program was linked with; nil if it has none.
    static let path: String? = {
        let core = LoadedModule.loaded().map(\.path).first { $0.hasSuffix("/libswiftCore.so") }
        guard let core else { return nil }
        let path = core.dropLast("libswiftCore.so".count) + "libswiftRemoteMirror.so"
        return MappedFile(path: String(path)) == nil ? nil : String(path)
    }()

    /// Nil if the library cannot be used here.
    init?() {
        guard let path = Self.path, mirror_open(path) > 0 else { return nil }
    }

    /// The references in an object by their offsets; nil if the library does not know the object.
    func places(of object: UInt) -> [Place]? {
        let type = mirror_of_object(object)
        guard type.kind != 0 else { return nil }
        var places: [Place] = []
        for index in 0..<type.field_count {
            let field = mirror_field_of_object(object, index)
            append(field, UInt(field.offset), &places, depth: 0)
        }
        return places.sorted()
    }

    private enum FieldKind: UInt32 {
        case unknown, builtin, raw, tuple, structure, enumerationWithoutPayload, enumerationOfOne, enumerationOfSeveral
        case function, existential, classExistential, errorExistential, metatype, strong, unowned, weak, unmanaged
        case instance, context, array
    }

    private func append(_ field: mirror_field, _ offset: UInt, _ places: inout [Place], depth: Int) {
        guard let kind = FieldKind(rawValue: field.kind), depth < 16 else { return }
        switch kind {
        case .tuple, .structure, .array:
            for index in 0..<mirror_of_type(field.type).field_count {
                let inner = mirror_field_of_type(field.type, index)
                append(inner, offset + UInt(inner.offset), &places, depth: depth + 1)
            }
        case .enumerationOfOne, .enumerationOfSeveral: appendEnumeration(field, kind, offset, &places, depth)
        case .function: places.append(Place(offset: offset, kind: .function))
        case .existential: places.append(Place(offset: offset, kind: .existential))
        case .classExistential, .errorExistential, .strong: places.append(Place(offset: offset, kind: .strong))
        case .unowned: places.append(Place(offset: offset, kind: .unowned))
        case .weak: places.append(Place(offset: offset, kind: .weak))
        case .unmanaged: places.append(Place(offset: offset, kind: .unmanaged))
        default: break
        }
    }

    /// Treats an enum of one payload that is a single reference at its start like that reference.
    private func appendEnumeration(
        _ field: mirror_field, _ kind: FieldKind, _ offset: UInt, _ places: inout [Place], _ depth: Int
    ) {
        var inner: [Place] = []
        for index in 0..<mirror_of_type(field.type).field_count {
            let payload = mirror_field_of_type(field.type, index)
            if payload.type != 0 { append(payload, offset + UInt(payload.offset), &inner, depth: depth + 1) }
        }
        if inner.isEmpty { return }
        if kind == .enumerationOfOne, inner.count == 1, inner[0].offset == offset {
            places += inner
        } else {
            places.append(Place(offset: offset, kind: .enumeration))
        }
    }
}
