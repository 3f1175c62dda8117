extension MemoryMap {
    /// Whether the memory at `address` looks like metadata of a type.
    func isType(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .structure, .enumeration, .optional:
            let descriptor = metadata.valueDescriptor
            return descriptor.address & 3 == 0 && isOfProgram(descriptor.address, 28)
                && descriptor.kind == (metadata.kind == .structure ? .structure : .enumeration)
                && hasWitnesses(metadata)
        case .unknown, .context, .genericBox, .errorBox, .task, .job: return false
        default:
            // Without Objective-C, a block has no witnesses.
            let isBlock = metadata.kind == .function && metadata.witnesses.table == 0
            return isBlock || hasWitnesses(metadata)
        }
    }

    private func hasWitnesses(_ metadata: Metadata) -> Bool {
        let table = metadata.witnesses.table
        return table & 7 == 0 && isReadable(table, 88) && mayBeCode(Memory.word(table))
    }

    private func isClass(_ metadata: Metadata, depth: Int = 0) -> Bool {
        let place = metadata.classDescriptorPlace
        guard isReadable(place, 8), metadata.hasPlausibleSizes else { return false }
        #if canImport(ObjectiveC)
        if metadata.classDescriptor == nil { return true }
        #endif
        guard let descriptor = metadata.classDescriptor, descriptor.address & 3 == 0,
            isOfProgram(descriptor.address, 44), descriptor.kind == .class,
            isReadable(Memory.relative(descriptor.address &+ 8), 1)
        else { return false }
        let fields = Memory.relative(descriptor.address &+ 16)
        let count = UInt(Memory.half(descriptor.address &+ 36))
        if fields != 0 {
            guard isReadable(fields, 16), UInt(Memory.half(fields &+ 12)) == count,
                isReadable(fields, 16 &+ count &* 12)
            else { return false }
        }
        guard let superclass = metadata.superclass else { return true }
        return depth < 256 && superclass.address & 7 == 0 && isReadable(superclass.address &- 8, 64)
            && superclass.kind == .class && isClass(superclass, depth: depth + 1)
    }

    /// Whether the memory at `address` looks like metadata of a heap object.
    func isObjectMetadata(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .context:
            let descriptor = Memory.word(address &+ 16)
            return descriptor == 0 || (descriptor & 3 == 0 && isOfProgram(descriptor, 12))
        case .genericBox: return isType(Memory.word(address &+ 16))
        case .errorBox, .task, .job: return true
        default: return false
        }
    }
}
