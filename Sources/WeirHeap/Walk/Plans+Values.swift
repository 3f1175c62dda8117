extension Plans {
    /// Appends the operations for a value of the type at `offset`, whose path is `path`.
    func append(_ metadata: Metadata, at offset: UInt = 0, path: String = "", to layout: inout ValueLayout) {
        let kind = metadata.kind
        if kind == .structure, appendRaw(metadata, offset, path, &layout) { return }
        if kind == .function, metadata.functionConvention == .block {
            let limitation = limitation(.unknownMemory, metadata.name)
            return layout.append(.block, offset, label(path), limitation: limitation)
        }
        guard metadata.mayHoldReferences, metadata != string else { return }
        layout.depth += 1
        defer { layout.depth -= 1 }
        if layout.depth > 64 {
            return appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
        }
        switch kind {
        case .class: layout.append(.strong, offset, label(path))
        case .structure: appendStructure(metadata, offset, path, &layout)
        case .optional: appendOptional(metadata, offset, path, &layout)
        case .enumeration: appendEnum(metadata, offset, path, &layout)
        case .tuple: appendTuple(metadata, offset, path, &layout)
        case .function:
            if metadata.functionConvention == .swift { layout.append(.function, offset, label(path)) }
        case .existential: appendExistential(metadata, offset, path, &layout)
        case .extendedExistential:
            switch Memory.half(Memory.word(metadata.address &+ 8)) & 0xff {
            case 0: layout.append(.existential, offset, label(path))
            case 1: layout.append(.strong, offset, label(path))
            case 2: break
            default: appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
            }
        case .metatype, .existentialMetatype: break
        case .fixedArray:
            let element = valuePlan(Memory.word(metadata.address &+ 16))
            if element.pointee.operations.isEmpty { return }
            let count = Int(bitPattern: Memory.word(metadata.address &+ 8))
            layout.append(.fixedArray, offset, label(path), payload: element, count: max(count, 0))
        case .builtin:
            if metadata == nativeObject || metadata == unknownObject {
                layout.append(.strong, offset, label(path))
            } else if metadata == bridgeObject {
                layout.append(.bridge, offset, label(path))
            } else if !"\(metadata.type)".contains("DefaultActorStorage") {
                appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
            }
        default: appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
        }
    }

    /// Appends that something cannot be read.
    func appendUnseen(
        _ reason: HeapLimitation.Reason, _ subject: String, _ offset: UInt, _ path: String, _ layout: inout ValueLayout
    ) {
        layout.append(.unseen, offset, label(path), limitation: limitation(reason, subject))
    }

    /// Appends the operations for storage that the witnesses do not describe; false if the type has none.
    private func appendRaw(
        _ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout
    ) -> Bool {
        guard metadata.witnesses.isRawOrNoncopyable else { return false }
        let descriptor = metadata.valueDescriptor
        if descriptor.is("Synchronization", "_Cell") {
            append(Metadata(Memory.word(metadata.valueArguments)), at: offset, path: path, to: &layout)
            return true
        }
        if descriptor.is("Synchronization", "AtomicLazyReference") {
            appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
            return true
        }
        return descriptor.is("Synchronization", "Atomic", "_MutexHandle")
    }

    private func appendStructure(
        _ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout
    ) {
        let descriptor = metadata.valueDescriptor
        guard let fields = descriptor.fields else {
            return appendUnseen(.noReflection, metadata.name, offset, path, &layout)
        }
        if fields.isEmpty {
            return appendUnseen(.unknownMemory, metadata.name, offset, path, &layout)
        }
        let isPlumbing = descriptor.isCollectionPlumbing
        let offsets = fields.indices.map { offset &+ descriptor.fieldOffset($0, of: metadata) }
        let end = offset &+ metadata.size
        for (field, fieldOffset) in zip(fields, offsets) {
            let first = layout.operations.count
            append(
                field, of: descriptor, arguments: metadata.valueArguments, at: fieldOffset,
                until: offsets.filter { $0 > fieldOffset }.min() ?? end, path: path, to: &layout)
            guard isPlumbing else { continue }
            for place in first..<layout.operations.count { layout.operations[place].label = label(path) }
        }
    }

    private func appendOptional(
        _ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout
    ) {
        let payload = Metadata(Memory.word(metadata.valueArguments))
        var inner = ValueLayout(depth: layout.depth)
        append(payload, at: offset, path: path, to: &inner)
        if inner.operations.isEmpty { return }
        if inner.operations.count == 1, showsAbsence(payload) {
            layout.operations += inner.operations
        } else {
            layout.append(
                .optional, offset, label(path), metadata: payload.address, payload: valuePlan(payload.address))
        }
    }

    /// Whether the single word that is read for the type shows if a value is present.
    func showsAbsence(_ metadata: Metadata) -> Bool {
        switch metadata.kind {
        case .class, .function, .existential, .extendedExistential: return true
        case .builtin: return metadata == nativeObject || metadata == unknownObject || metadata == bridgeObject
        case .optional: return showsAbsence(Metadata(Memory.word(metadata.valueArguments)))
        case .structure:
            let descriptor = metadata.valueDescriptor
            guard let fields = descriptor.fields, fields.count == 1, let type = fields[0].type,
                type.ownership == .strong,
                let field = TypeResolver.resolve(type, in: descriptor, arguments: metadata.valueArguments)
            else { return false }
            return field.size == metadata.size && showsAbsence(field)
        default: return false
        }
    }

    private func appendTuple(_ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout) {
        let count = Memory.word(metadata.address &+ 8)
        let names = Memory.text(Memory.word(metadata.address &+ 16))
            .split(separator: " ", omittingEmptySubsequences: false)
        for place in 0..<count {
            let element = metadata.address &+ 24 &+ place &* 16
            let name = Int(place) < names.count ? String(names[Int(place)]) : ""
            append(
                Metadata(Memory.word(element)), at: offset &+ UInt(Memory.half(element &+ 8)),
                path: join(path, name.isEmpty ? String(place) : name), to: &layout)
        }
    }

    private func appendExistential(
        _ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout
    ) {
        let flags = Memory.half(metadata.address &+ 8)
        let isError = flags >> 24 & 0x3f == 1
        let isClassBound = flags & 0x8000_0000 == 0
        layout.append(isError || isClassBound ? .strong : .existential, offset, label(path))
    }

    /// The path `path`, followed by the field or case `name`.
    ///
    /// The storage of a property wrapper gets the name of the property.
    func join(_ path: String, _ name: String) -> String {
        if name == "wrappedValue", let dot = path.lastIndex(of: "."), path[dot...].hasPrefix("._") {
            return String(path[...dot] + path[dot...].dropFirst(2))
        }
        return path + "." + name
    }
}

extension Metadata {
    enum FunctionConvention: UInt {
        case swift = 0
        case block = 1
        case thin = 2
        case c = 3
    }

    /// How a function type is called.
    var functionConvention: FunctionConvention {
        FunctionConvention(rawValue: Memory.word(address &+ 8) >> 16 & 0xff) ?? .thin
    }
}

extension TypeDescriptor {
    private static let plumbing: Set<String> = [
        "Array", "ContiguousArray", "ArraySlice", "Dictionary", "Set", "InlineArray", "_ArrayBuffer",
        "_ContiguousArrayBuffer", "_SliceBuffer", "_BridgeStorage", "_Variant",
    ]

    /// Whether its fields do not matter to a reader, because it only stores elements.
    var isCollectionPlumbing: Bool { TypeDescriptor.plumbing.contains(name) && module == "Swift" }
}
