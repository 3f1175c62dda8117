extension Plans {
    /// The plan for heap objects that begin with `metadata`.
    func objectPlan(_ metadata: Metadata) -> ObjectPlan {
        switch metadata.kind {
        case .class: return classPlan(metadata)
        case .context: return contextPlan(metadata)
        case .genericBox:
            let offset = UInt(Memory.half(metadata.address &+ 8))
            let content = Metadata(Memory.word(metadata.address &+ 16))
            var layout = ValueLayout()
            append(content, at: offset, to: &layout)
            return ObjectPlan(
                kind: .genericBox, metadata: metadata.address, size: offset &+ content.size,
                operations: store(layout.operations), isLeaf: layout.operations.isEmpty)
        case .errorBox:
            return ObjectPlan(kind: .error, metadata: metadata.address, size: 32, operations: store([]))
        case .task: return unseenPlan(.task, metadata, "Task")
        default:
            return unseenPlan(.unknown, metadata, "metadata kind 0x" + String(metadata.kind.rawValue, radix: 16))
        }
    }

    /// A plan for an object that cannot be read.
    func unseenPlan(_ kind: ObjectPlan.Kind, _ metadata: Metadata, _ subject: String) -> ObjectPlan {
        var layout = ValueLayout()
        appendUnseen(.unknownMemory, subject, 16, "", &layout)
        return ObjectPlan(kind: kind, metadata: metadata.address, size: 16, operations: store(layout.operations))
    }

    private func classPlan(_ metadata: Metadata) -> ObjectPlan {
        let chain = metadata.classChain
        if chain.isEmpty { return unseenPlan(.instance, metadata, metadata.name) }
        var layout = ValueLayout()
        for (owner, descriptor) in chain.reversed() { appendFields(of: owner, descriptor, &layout) }
        var plan = ObjectPlan(
            kind: .instance, metadata: metadata.address, size: max(metadata.instanceSize, 16),
            operations: UnsafeMutableBufferPointer(start: nil, count: 0))
        plan.isInternal = ["Weir", "WeirTrace", "WeirHeap"].contains(chain[0].descriptor.module)
        plan.isSelfCutting = chain[0].descriptor.module == "Observation" || metadata.type is any SelfCutting.Type
        plan.isOwner = metadata.type is any HeapOwner.Type || metadata.type is any InternalHeapOwner.Type
        for (owner, descriptor) in chain where descriptor.module == "Swift" {
            appendTail(of: owner, descriptor, chain, &plan, &layout)
        }
        plan.operations = store(layout.operations)
        plan.isLeaf = layout.operations.isEmpty && plan.tail == .none && !plan.isOwner
        return plan
    }

    private func appendFields(of owner: Metadata, _ descriptor: TypeDescriptor, _ layout: inout ValueLayout) {
        guard let fields = descriptor.fields else {
            let start = owner.superclass?.instanceSize ?? 16
            if owner.instanceSize > start { appendUnseen(.noReflection, descriptor.name, start, "", &layout) }
            return
        }
        let offsets = fields.indices.map { descriptor.fieldOffset($0, ofClass: owner) }
        let arguments = descriptor.immediateMembers(of: owner)
        let isObservable = fields.contains { $0.name == "_$observationRegistrar" }
        for (field, offset) in zip(fields, offsets) {
            let first = layout.operations.count
            append(
                field, of: descriptor, arguments: arguments, at: offset,
                until: offsets.filter { $0 > offset }.min() ?? owner.instanceSize, path: "", to: &layout)
            let name = field.name
            guard name.hasPrefix("_"), !name.hasPrefix("_$"), !fields.contains(where: { "_" + $0.name == name }),
                isObservable || isLikeWrapper(field, of: descriptor, arguments)
            else { continue }
            for place in first..<layout.operations.count {
                let text = labels[Int(layout.operations[place].label)]
                if text.hasPrefix("._") { layout.operations[place].label = label("." + text.dropFirst(2)) }
            }
        }
    }

    /// Whether a field whose name begins with an underscore looks like the storage of a property wrapper.
    ///
    /// The program does not say so. Any generic type from outside the standard library counts.
    private func isLikeWrapper(_ field: FieldRecord, of descriptor: TypeDescriptor, _ arguments: UInt) -> Bool {
        guard let type = field.type, type.ownership == .strong,
            let metadata = TypeResolver.resolve(type, in: descriptor, arguments: arguments)
        else { return false }
        let wrapper: TypeDescriptor?
        switch metadata.kind {
        case .class: wrapper = metadata.classDescriptor
        case .structure, .enumeration: wrapper = metadata.valueDescriptor
        default: wrapper = nil
        }
        return wrapper.map { $0.isGeneric && $0.module != "Swift" } ?? false
    }

    /// Appends the memory that a class of the standard library allocates after its fields.
    private func appendTail(
        of owner: Metadata, _ descriptor: TypeDescriptor, _ chain: [(metadata: Metadata, descriptor: TypeDescriptor)],
        _ plan: inout ObjectPlan, _ layout: inout ValueLayout
    ) {
        let arguments = descriptor.immediateMembers(of: owner)
        func argument(_ place: UInt) -> UnsafeMutablePointer<ValuePlan> {
            valuePlan(Memory.word(arguments &+ place &* 8))
        }
        let size = Metadata(plan.metadata).instanceSize
        switch descriptor.name {
        case "_ContiguousArrayStorage":
            let element = argument(0)
            plan.isStorage = true
            plan.size = 32
            plan.element = element
            plan.tailOffset = Memory.align(32, element.pointee.alignMask)
            plan.tail = .array
        case "_DictionaryStorage":
            plan.isStorage = true
            plan.element = argument(0)
            plan.value = argument(1)
            plan.tailOffset = Memory.align(size, 7)
            guard let keys = fieldOffset("_rawKeys", chain), let values = fieldOffset("_rawValues", chain),
                let scale = fieldOffset("_scale", chain)
            else { return appendUnseen(.unknownMemory, descriptor.name, 16, "", &layout) }
            (plan.keysOffset, plan.valuesOffset, plan.scaleOffset) = (keys, values, scale)
            plan.tail = .dictionary
        case "_SetStorage":
            plan.isStorage = true
            plan.element = argument(0)
            plan.tailOffset = Memory.align(size, 7)
            guard let keys = fieldOffset("_rawElements", chain), let scale = fieldOffset("_scale", chain)
            else { return appendUnseen(.unknownMemory, descriptor.name, 16, "", &layout) }
            (plan.keysOffset, plan.scaleOffset) = (keys, scale)
            plan.tail = .set
        case "ManagedBuffer":
            // An owner visits its own tail.
            if plan.isOwner || argument(1).pointee.operations.isEmpty { return }
            appendUnseen(.unknownMemory, Metadata(plan.metadata).name, size, "", &layout)
        case "AnyKeyPath":
            plan.tailOffset = Memory.align(size, 7)
            plan.tail = .keyPath
        default: break
        }
    }

    private func fieldOffset(
        _ name: String, _ chain: [(metadata: Metadata, descriptor: TypeDescriptor)]
    ) -> UInt? {
        for (owner, descriptor) in chain {
            if let place = descriptor.fields?.firstIndex(where: { $0.name == name }) {
                return descriptor.fieldOffset(place, ofClass: owner)
            }
        }
        return nil
    }
}
