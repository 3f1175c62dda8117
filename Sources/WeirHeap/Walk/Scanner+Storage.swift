extension Scanner {
    /// Visits the references in the tail of the object at `object`.
    func scanTail<Visitor: ReferenceVisitor>(
        _ object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>, _ visitor: inout Visitor
    ) {
        switch plan.pointee.tail {
        case .none: break
        case .array: scanArray(object, plan, &visitor)
        case .dictionary, .set: scanHashTable(object, plan, &visitor)
        case .keyPath:
            // The lowest bits are the size of the tail. The highest bit says that it holds no references.
            let header = object &+ plan.pointee.tailOffset
            if plans.memory.isReadable(header, 4), Memory.half(header) >> 31 == 0 {
                visitor.visitUnseen(plans.limitation(.unknownMemory, "AnyKeyPath"))
            }
        }
    }

    private func scanArray<Visitor: ReferenceVisitor>(
        _ object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>, _ visitor: inout Visitor
    ) {
        guard let element = plan.pointee.element, !element.pointee.operations.isEmpty else { return }
        let count = Memory.word(object &+ 16)
        if count == 0 { return }
        var place = object &+ plan.pointee.tailOffset
        let (bytes, overflows) = count.multipliedReportingOverflow(by: element.pointee.stride)
        guard !overflows, plans.memory.isReadable(place, bytes) else { return visitor.visitBroken() }
        for index in 0..<Int(count) {
            if Visitor.wantsLabels { visitor.enter(.index(index)) }
            scan(place, element.pointee.operations, &visitor)
            if Visitor.wantsLabels { visitor.leave() }
            place &+= element.pointee.stride
        }
    }

    private func scanHashTable<Visitor: ReferenceVisitor>(
        _ object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>, _ visitor: inout Visitor
    ) {
        guard let key = plan.pointee.element else { return }
        let keyOperations = key.pointee.operations
        let value = plan.pointee.value
        let valueOperations = value?.pointee.operations
        let hasValues = valueOperations?.isEmpty == false
        if keyOperations.isEmpty && !hasValues { return }
        let scale = UInt(Memory.byte(object &+ plan.pointee.scaleOffset))
        guard scale < 40 else { return visitor.visitBroken() }
        let buckets: UInt = 1 << scale
        let bitmap = object &+ plan.pointee.tailOffset
        let keys = Memory.word(object &+ plan.pointee.keysOffset)
        let values = value == nil ? 0 : Memory.word(object &+ plan.pointee.valuesOffset)
        guard plans.memory.isReadable(bitmap, max(buckets / 8, 8)),
            plans.memory.isReadable(keys, buckets &* key.pointee.stride),
            value.map({ plans.memory.isReadable(values, buckets &* $0.pointee.stride) }) ?? true
        else { return visitor.visitBroken() }
        for first in stride(from: 0, to: buckets, by: 64) {
            var occupied = Memory.word(bitmap &+ first / 8)
            if buckets < 64 { occupied &= 1 << buckets &- 1 }
            while occupied != 0 {
                let bucket = first + UInt(occupied.trailingZeroBitCount)
                occupied &= occupied &- 1
                let keyPlace = keys &+ bucket &* key.pointee.stride
                if !keyOperations.isEmpty {
                    if Visitor.wantsLabels { visitor.enter(value == nil ? .element : .ofKey) }
                    scan(keyPlace, keyOperations, &visitor)
                    if Visitor.wantsLabels { visitor.leave() }
                }
                if hasValues, let value, let valueOperations {
                    if Visitor.wantsLabels { visitor.enter(.key(keyPlace, key.pointee.metadata)) }
                    scan(values &+ bucket &* value.pointee.stride, valueOperations, &visitor)
                    if Visitor.wantsLabels { visitor.leave() }
                }
            }
        }
    }

    /// The number of bytes of the object at `object`, with the used part of its tail.
    @inline(__always)
    func size(of object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>) -> UInt {
        plan.pointee.tail == .none && plan.pointee.kind != .error
            ? plan.pointee.size : sizeWithTail(of: object, plan)
    }

    private func sizeWithTail(of object: UInt, _ plan: UnsafeMutablePointer<ObjectPlan>) -> UInt {
        let tail = plan.pointee.tailOffset
        let elementStride = plan.pointee.element?.pointee.stride ?? 0
        switch plan.pointee.tail {
        case .array: return tail &+ Memory.word(object &+ 16) &* elementStride
        case .dictionary, .set:
            let scale = UInt(Memory.byte(object &+ plan.pointee.scaleOffset))
            guard scale < 40 else { return tail }
            let buckets: UInt = 1 << scale
            let valueStride = plan.pointee.value?.pointee.stride ?? 0
            return tail &+ max(buckets / 8, 8) &+ buckets &* (elementStride &+ valueStride)
        case .keyPath, .none: break
        }
        guard plan.pointee.kind == .error else { return plan.pointee.size }
        let type = Memory.word(object &+ 16)
        guard plans.memory.isType(type) else { return plan.pointee.size }
        let metadata = Metadata(type)
        return Memory.align(32, metadata.kind == .class ? 7 : metadata.witnesses.alignMask) &+ metadata.size
    }
}
