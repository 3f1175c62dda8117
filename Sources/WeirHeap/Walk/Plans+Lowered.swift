/// The layout of a type without metadata, computed as the compiler does it.
struct LoweredLayout {
    var size: UInt
    var alignMask: UInt
    /// Whether some bit patterns represent no value, so that an optional of the type takes no more space.
    var hasExtraInhabitants: Bool
    var operations: [Operation]
    /// Whether the single word that is read shows if a value is present.
    var showsAbsence: Bool
}

extension Plans {
    /// The layout of the type `name`; nil if it cannot be computed.
    func loweredLayout(
        _ name: MangledType, in environment: GenericEnvironment, path: String, depth: Int = 0
    ) -> LoweredLayout? {
        guard name.ownership == .strong, depth < 16, let type = LoweredType(name) else { return nil }
        return layout(of: type, in: environment, path: path, depth: depth)
    }

    private func layout(
        of type: LoweredType, in environment: GenericEnvironment, path: String, depth: Int
    ) -> LoweredLayout? {
        switch type {
        case .closure(let hasContext, let isOwned):
            var layout = ValueLayout()
            if hasContext && isOwned { layout.append(.function, 0, label(path)) }
            return LoweredLayout(
                size: hasContext ? 16 : 8, alignMask: 7, hasExtraInhabitants: true, operations: layout.operations,
                showsAbsence: true)
        case .named(let name):
            if let metadata = environment.resolve(name) { return layout(of: metadata, path: path) }
            guard name.length == 5, let descriptor = name.descriptor(0) else { return nil }
            return layout(of: descriptor, in: environment, path: path, depth: depth)
        case .optional(let payload):
            guard var layout = layout(of: payload, in: environment, path: path, depth: depth) else { return nil }
            if !layout.hasExtraInhabitants { layout.size += 1 }
            if layout.operations.isEmpty || layout.showsAbsence { return layout }
            var unseen = ValueLayout()
            appendUnseen(.unknownCapture, "an optional tuple", 0, path, &unseen)
            layout.operations = unseen.operations
            layout.hasExtraInhabitants = false
            return layout
        case .tuple(let elements):
            let named = elements.enumerated().map {
                (name: $0.element.label ?? String($0.offset), element: $0.element.type)
            }
            return sequence(named, path: path) {
                self.layout(of: $0, in: environment, path: $1, depth: depth)
            }
        }
    }

    private func layout(of metadata: Metadata, path: String) -> LoweredLayout {
        var layout = ValueLayout()
        append(metadata, path: path, to: &layout)
        let witnesses = metadata.witnesses
        return LoweredLayout(
            size: metadata.size, alignMask: witnesses.table == 0 ? 7 : witnesses.alignMask,
            hasExtraInhabitants: witnesses.table != 0 && witnesses.extraInhabitants > 0,
            operations: layout.operations,
            showsAbsence: layout.operations.count == 1 && showsAbsence(metadata))
    }

    private func sequence<Element>(
        _ elements: [(name: String, element: Element)], path: String,
        layout: (Element, String) -> LoweredLayout?
    ) -> LoweredLayout? {
        var whole = LoweredLayout(
            size: 0, alignMask: 0, hasExtraInhabitants: false, operations: [], showsAbsence: false)
        for (name, element) in elements {
            guard let part = layout(element, join(path, name)) else { return nil }
            let offset = Memory.align(whole.size, part.alignMask)
            for var operation in part.operations {
                operation.offset += offset
                whole.operations.append(operation)
            }
            whole.size = offset + part.size
            whole.alignMask |= part.alignMask
            whole.hasExtraInhabitants = whole.hasExtraInhabitants || part.hasExtraInhabitants
            whole.showsAbsence = elements.count == 1 && part.showsAbsence
        }
        return whole
    }

    /// A class is one reference. For a structure or enum that is not generic, the descriptor is enough.
    private func layout(
        of descriptor: TypeDescriptor, in environment: GenericEnvironment, path: String, depth: Int
    ) -> LoweredLayout? {
        switch descriptor.kind {
        case .class:
            var layout = ValueLayout()
            layout.append(.strong, 0, label(path))
            return LoweredLayout(
                size: 8, alignMask: 7, hasExtraInhabitants: true, operations: layout.operations, showsAbsence: true)
        case .structure:
            guard !descriptor.isGeneric, let fields = descriptor.fields else { return nil }
            let named = fields.map { (name: Plans.sourceName($0.name), element: $0) }
            return sequence(named, path: path) { field, path in
                guard let type = field.type, !type.isAccessFunction else { return nil }
                return layout(ofField: type, of: descriptor, in: environment, path: path, depth: depth)
            }
        case .enumeration:
            guard descriptor.payloadCaseCount == 0, !descriptor.isGeneric else { return nil }
            let size: UInt
            switch descriptor.emptyCaseCount {
            case ...1: size = 0
            case ...256: size = 1
            case ...65_536: size = 2
            default: size = 4
            }
            return LoweredLayout(
                size: size, alignMask: size == 0 ? 0 : size - 1,
                hasExtraInhabitants: (2..<256).contains(descriptor.emptyCaseCount), operations: [],
                showsAbsence: false)
        default: return nil
        }
    }

    private func layout(
        ofField type: MangledType, of descriptor: TypeDescriptor, in environment: GenericEnvironment, path: String,
        depth: Int
    ) -> LoweredLayout? {
        let metadata = TypeResolver.resolve(type, in: descriptor)
        let ownership = type.ownership
        guard ownership == .strong else {
            var layout = ValueLayout()
            layout.append(Operation.Kind(ownership), 0, label(path))
            return LoweredLayout(
                size: metadata?.size ?? 8, alignMask: 7, hasExtraInhabitants: false, operations: layout.operations,
                showsAbsence: false)
        }
        if let metadata { return layout(of: metadata, path: path) }
        return loweredLayout(type, in: environment, path: path, depth: depth + 1)
    }
}

extension Operation.Kind {
    /// The kind of operation that reads a reference with this ownership.
    init(_ ownership: HeapReference.Ownership) {
        switch ownership {
        case .strong: self = .strong
        case .weak: self = .weak
        case .unowned: self = .unowned
        case .unmanaged: self = .unmanaged
        }
    }
}
