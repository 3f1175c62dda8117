extension Plans {
    /// Appends the operations for a stored property at `offset`, which ends before `end`.
    func append(
        _ field: FieldRecord, of descriptor: TypeDescriptor, arguments: UInt, at offset: UInt, until end: UInt,
        path: String, to layout: inout ValueLayout
    ) {
        guard let type = field.type else { return }
        let path = join(path, Plans.sourceName(field.name))
        var metadata = TypeResolver.resolve(type, in: descriptor, arguments: arguments)
        if type.isAccessFunction, metadata == Metadata(Void.self), end > offset {
            metadata = noncopyableType(of: type, in: descriptor, arguments: arguments)
            if let found = metadata, offset & found.witnesses.alignMask != 0 || offset &+ found.size > end {
                metadata = nil
            }
        }
        switch type.ownership {
        case .weak: layout.append(.weak, offset, label(path))
        case .unowned: layout.append(.unowned, offset, label(path))
        case .unmanaged: layout.append(.unmanaged, offset, label(path))
        case .strong:
            if let metadata {
                append(metadata, at: offset, path: path, to: &layout)
            } else {
                appendUnseen(.unknownMemory, descriptor.name + path, offset, path, &layout)
            }
        }
    }

    /// The name of a property in the source: a `lazy` one is stored under a longer name.
    static func sourceName(_ name: String) -> String {
        let lazyPrefix = "$__lazy_storage_$_"
        return name.hasPrefix(lazyPrefix) ? String(name.dropFirst(lazyPrefix.count)) : name
    }

    /// Appends the operations for an enum.
    func appendEnum(_ metadata: Metadata, _ offset: UInt, _ path: String, _ layout: inout ValueLayout) {
        let descriptor = metadata.valueDescriptor
        let payloadCount = descriptor.payloadCaseCount
        if payloadCount == 0 { return }
        guard let fields = descriptor.fields, fields.count >= payloadCount else {
            return appendUnseen(.noReflection, metadata.name, offset, path, &layout)
        }
        let cases = fields.prefix(payloadCount).map { casePlan($0, of: metadata, descriptor) }
        let holds = cases.contains {
            $0.isIndirect || $0.limitation >= 0 || $0.payload?.pointee.operations.isEmpty == false
        }
        if !holds { return }
        if payloadCount == 1, descriptor.emptyCaseCount == 0, !cases[0].isIndirect, let payload = cases[0].payload {
            let path = join(path, fields[0].name)
            return append(Metadata(payload.pointee.metadata), at: offset, path: path, to: &layout)
        }
        layout.append(
            .enumeration, offset, label(path), metadata: metadata.address, cases: store(cases).baseAddress,
            count: payloadCount)
    }

    private func casePlan(_ field: FieldRecord, of metadata: Metadata, _ descriptor: TypeDescriptor) -> CasePlan {
        var plan = CasePlan(label: label("." + field.name), isIndirect: field.isIndirect)
        guard !plan.isIndirect, let type = field.type else { return plan }
        var payload = TypeResolver.resolve(type, in: descriptor, arguments: metadata.valueArguments)
        if type.isAccessFunction, payload == Metadata(Void.self) {
            payload = noncopyableType(of: type, in: descriptor, arguments: metadata.valueArguments)
            if let found = payload, found.size > metadata.size { payload = nil }
        }
        if let payload {
            guard type.ownership == .strong else { return plan }
            if payload.mayHoldReferences || payload.kind == .structure { plan.payload = valuePlan(payload.address) }
        } else {
            plan.limitation = limitation(.unknownMemory, "\(descriptor.name).\(field.name)")
        }
        return plan
    }
}
