/// Finds the references of objects by their plans.
struct Scanner {
    let plans: Plans
    private let memory: MemoryMap

    init(_ plans: Plans) {
        self.plans = plans
        memory = plans.memory
    }

    /// Visits the references of the object at `object`, whose first `plan.size` bytes must be readable.
    @inline(__always)
    func scan<Visitor: ReferenceVisitor>(
        _ object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>, _ visitor: inout Visitor
    ) {
        scan(object, plan.pointee.operations, &visitor)
        if plan.pointee.tail != .none { scanTail(object, plan, &visitor) }
        if plan.pointee.kind == .error { scanError(object, &visitor) }
        if plan.pointee.isOwner { scanOwner(object, &visitor) }
    }

    /// Visits the references of the value at `base`.
    func scan<Visitor: ReferenceVisitor>(
        _ base: UInt, _ operations: UnsafeMutableBufferPointer<Operation>, _ visitor: inout Visitor
    ) {
        guard var operation = operations.baseAddress else { return }
        let end = operation + operations.count
        while operation != end {
            if Visitor.wantsLabels { visitor.enter(.label(operation.pointee.label)) }
            scan(base &+ operation.pointee.offset, operation, &visitor)
            if Visitor.wantsLabels { visitor.leave() }
            operation += 1
        }
    }

    @inline(__always)
    private func scan<Visitor: ReferenceVisitor>(
        _ place: UInt, _ operation: UnsafeMutablePointer<Operation>, _ visitor: inout Visitor
    ) {
        switch operation.pointee.kind {
        case .strong:
            let target = Memory.word(place)
            if target >= Memory.leastAddress { visitor.visit(target, function: 0) }
        case .function:
            let function = Memory.word(place)
            let context = Memory.word(place &+ 8)
            if function >= Memory.leastAddress, context >= Memory.leastAddress {
                visitor.visit(context, function: function)
            }
        case .block: scanBlock(Memory.word(place), operation.pointee.limitation, &visitor)
        case .bridge:
            let word = Memory.word(place)
            let target = word & 0x00ff_ffff_ffff_fff8
            // The highest bit marks a value that is not a native object.
            if word >> 63 == 0, target >= Memory.leastAddress { visitor.visit(target, function: 0) }
        case .existential: scanExistential(place, &visitor)
        case .optional:
            let payload = operation.pointee.metadata
            let witnesses = ValueWitnesses(table: Memory.word(payload &- 8))
            if witnesses.singlePayloadTag(place, emptyCases: 1, payload: payload) == 0,
                let plan = operation.pointee.payload
            {
                scan(place, plan.pointee.operations, &visitor)
            }
        case .enumeration: scanEnum(place, operation, &visitor)
        case .fixedArray:
            guard let element = operation.pointee.payload else { return }
            for index in 0..<operation.pointee.count {
                if Visitor.wantsLabels { visitor.enter(.index(index)) }
                scan(place &+ UInt(index) &* element.pointee.stride, element.pointee.operations, &visitor)
                if Visitor.wantsLabels { visitor.leave() }
            }
        case .weak:
            guard Visitor.wantsLabels else { return }
            let sideTable = Memory.word(place) & ~3
            if memory.isReadable(sideTable, 8) { visitor.visitOther(Memory.word(sideTable), .weak) }
        case .unowned, .unmanaged:
            guard Visitor.wantsLabels else { return }
            let target = Memory.word(place)
            let ownership: HeapReference.Ownership = operation.pointee.kind == .unowned ? .unowned : .unmanaged
            if target >= Memory.leastAddress { visitor.visitOther(target, ownership) }
        case .unseen: visitor.visitUnseen(operation.pointee.limitation)
        }
    }

    /// The plan for values of the type; nil if `metadata` is not a type.
    private func valuePlan(_ metadata: UInt) -> UnsafeMutablePointer<ValuePlan>? {
        plans.knowsValue(metadata) || memory.isType(metadata) ? plans.valuePlan(metadata) : nil
    }

    private func scanBlock<Visitor: ReferenceVisitor>(_ block: UInt, _ limitation: Int32, _ visitor: inout Visitor) {
        if block < Memory.leastAddress { return }
        guard let closure = Block(block, memory)?.closure else { return visitor.visitUnseen(limitation) }
        let context = Memory.word(closure &+ 8)
        if context < Memory.leastAddress { return }
        guard plans.isObject(context) else { return visitor.visitUnseen(limitation) }
        visitor.visit(context, function: Memory.word(closure))
    }

    private func scanExistential<Visitor: ReferenceVisitor>(_ place: UInt, _ visitor: inout Visitor) {
        let address = Memory.word(place &+ 24)
        if address < Memory.leastAddress { return }
        guard let plan = valuePlan(address) else { return visitor.visitBroken() }
        let witnesses = Metadata(address).witnesses
        if witnesses.table == 0 || witnesses.isInline {
            scan(place, plan.pointee.operations, &visitor)
        } else {
            let box = Memory.word(place)
            if box >= Memory.leastAddress { visitor.visit(box, function: 0) }
        }
    }

    private func scanEnum<Visitor: ReferenceVisitor>(
        _ place: UInt, _ operation: UnsafeMutablePointer<Operation>, _ visitor: inout Visitor
    ) {
        let metadata = operation.pointee.metadata
        let witnesses = ValueWitnesses(table: Memory.word(metadata &- 8))
        let tag = Int(witnesses.enumTag(place, of: metadata))
        guard tag < operation.pointee.count, let plan = operation.pointee.cases.map({ $0 + tag }) else { return }
        if plan.pointee.limitation >= 0 { visitor.visitUnseen(plan.pointee.limitation) }
        if !plan.pointee.isIndirect && plan.pointee.payload?.pointee.operations.isEmpty != false { return }
        if Visitor.wantsLabels { visitor.enter(.label(plan.pointee.label)) }
        // The payload shares bits with the tag, so it is projected in a copy. The copy owns nothing and is discarded.
        let size = Int(witnesses.size)
        withUnsafeTemporaryAllocation(byteCount: max(size, 8), alignment: 16) { copy in
            guard let start = copy.baseAddress, let value = UnsafeRawPointer(bitPattern: place) else { return }
            start.copyMemory(from: value, byteCount: size)
            let payload = UInt(bitPattern: start)
            witnesses.projectDestructively(payload, of: metadata)
            if plan.pointee.isIndirect {
                let box = Memory.word(payload)
                if box >= Memory.leastAddress { visitor.visit(box, function: 0) }
            } else if let payloadPlan = plan.pointee.payload {
                scan(payload, payloadPlan.pointee.operations, &visitor)
            }
        }
        if Visitor.wantsLabels { visitor.leave() }
    }

    private func scanError<Visitor: ReferenceVisitor>(_ object: UInt, _ visitor: inout Visitor) {
        guard let plan = valuePlan(Memory.word(object &+ 16)) else { return visitor.visitBroken() }
        scan(object &+ Memory.align(32, plan.pointee.alignMask), plan.pointee.operations, &visitor)
    }

    @inline(never)
    private func scanOwner<Visitor: ReferenceVisitor>(_ object: UInt, _ visitor: inout Visitor) {
        guard let pointer = UnsafeRawPointer(bitPattern: object) else { return }
        let instance = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        func visit(_ label: String, _ target: UnsafeRawPointer) {
            if Visitor.wantsLabels { visitor.enter(.text("." + label)) }
            visitor.visit(UInt(bitPattern: target), function: 0)
            if Visitor.wantsLabels { visitor.leave() }
        }
        (instance as? any HeapOwner)?.visitHeapReferences(visit)
        (instance as? any InternalHeapOwner)?.visitHeapReferences(visit)
    }
}

/// Receives the references of objects from a `Scanner`.
protocol ReferenceVisitor {
    /// Whether it wants the paths of references, and the references that are not strong.
    static var wantsLabels: Bool { get }

    /// A strong reference. `function` is the closure's code if the target is a closure's context, else 0.
    mutating func visit(_ target: UInt, function: UInt)
    /// A reference that does not keep its target alive. Called only if labels are wanted.
    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership)
    /// The references until the next `leave` are inside `step`. Called only if labels are wanted.
    mutating func enter(_ step: LabelStep)
    mutating func leave()
    /// Something cannot be read. `limitation` is an index in `Plans.limitations`.
    mutating func visitUnseen(_ limitation: Int32)
    /// A word should be a reference, but cannot be one.
    mutating func visitBroken()
}

/// A part of a path inside an object.
enum LabelStep {
    case label(Int32)
    case text(String)
    case index(Int)
    /// The value for a key: the address of the key, and its type.
    case key(UInt, UInt)
    /// The key itself.
    case ofKey
    /// An element of a set.
    case element
}
