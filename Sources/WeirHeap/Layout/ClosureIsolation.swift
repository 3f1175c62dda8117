/// The place of the isolation of a closure in its context.
///
/// The context of an `@isolated(any)` closure begins with its isolation, an `(any Actor)?` of two words. In a context without
/// bindings, the isolation is the first capture of the descriptor. In one with bindings, neither the metadata nor the descriptor
/// mentions it: only the words of a context show whether its bindings begin after the header or after the isolation.
enum ClosureIsolation {
    /// The bytes of the isolation.
    static let size: UInt = 16

    /// The bytes between `first`, the end of the header, and the bindings of the context at `address`; nil if its words do not
    /// show them.
    static func bytesBeforeBindings(
        in address: UInt, first: UInt, _ descriptor: CaptureDescriptor, _ memory: MemoryMap
    ) -> UInt? {
        let kinds = descriptor.bindingKinds
        let start = address &+ first
        let isPlain = fits(kinds, at: start, memory)
        // Some of the next words belong to the context only if it begins with an isolation.
        guard isIsolation(at: start, memory) else { return isPlain ? 0 : nil }
        if isPlain, isCertain(kinds, at: start, memory) { return 0 }
        let isIsolated = fits(kinds, at: start &+ size, memory)
        if isIsolated, isCertain(kinds, at: start &+ size, memory) { return size }
        return isPlain == isIsolated ? nil : isIsolated ? size : 0
    }

    /// Whether the words are bindings for certain if they fit: numbers could be any words, but not metadata and witness tables.
    private static func isCertain(_ kinds: [BindingKind], at start: UInt, _ memory: MemoryMap) -> Bool {
        kinds.contains(where: \.isAddress) && !hasEmptyPack(kinds, at: start, memory)
    }

    private static func fits(_ kinds: [BindingKind], at start: UInt, _ memory: MemoryMap) -> Bool {
        guard memory.isReadable(start, UInt(kinds.count) &* 8) else { return false }
        let mayBePacks = kinds.contains(.shape)
        let isEmpty = hasEmptyPack(kinds, at: start, memory)
        return kinds.enumerated().allSatisfy { place, kind in
            let word = Memory.word(start &+ UInt(place) &* 8)
            return kind.fits(word, memory) || mayBePacks && kind.fitsPack(word, memory) || isEmpty && kind.isAddress
        }
    }

    /// Whether one of the packs has no elements: the addresses of its elements may then be anything.
    private static func hasEmptyPack(_ kinds: [BindingKind], at start: UInt, _ memory: MemoryMap) -> Bool {
        guard memory.isReadable(start, UInt(kinds.count) &* 8) else { return false }
        return kinds.indices.contains { kinds[$0] == .shape && Memory.word(start &+ UInt($0) &* 8) == 0 }
    }

    /// Whether there can be an `(any Actor)?`: nil, or an object and its witness table.
    private static func isIsolation(at place: UInt, _ memory: MemoryMap) -> Bool {
        guard memory.isReadable(place, size) else { return false }
        let actor = Memory.word(place)
        if actor == 0 { return true }
        return memory.isReadable(actor, 16) && memory.isObjectMetadata(Memory.word(actor))
            && memory.isWitnessTable(Memory.word(place &+ 8))
    }
}

/// The kind of a word that a closure in generic code keeps for its generic arguments.
enum BindingKind {
    case metadata, witnessTable
    /// The number of elements of a pack.
    case shape
    /// The argument of a value parameter.
    case value

    fileprivate var isAddress: Bool { self == .metadata || self == .witnessTable }

    fileprivate func fits(_ word: UInt, _ memory: MemoryMap) -> Bool {
        switch self {
        case .metadata: memory.isType(word)
        case .witnessTable: memory.isWitnessTable(word)
        case .shape: word < 1 << 16
        case .value: true
        }
    }

    /// Whether the word can point to the elements of a pack. The lowest bit marks a pack on the heap.
    fileprivate func fitsPack(_ word: UInt, _ memory: MemoryMap) -> Bool {
        isAddress && memory.isReadable(word & ~1, 8) && fits(Memory.word(word & ~1), memory)
    }
}

extension CaptureDescriptor {
    /// The kinds of the bindings. Witness tables have no source.
    fileprivate var bindingKinds: [BindingKind] {
        var kinds = [BindingKind](repeating: .witnessTable, count: Int(bindingCount))
        for place in 0..<sourceCount {
            guard let text = source(place)?.text else { continue }
            let prefix = text.byte(0)
            let isNumber = prefix == UInt8(ascii: "s") || prefix == UInt8(ascii: "v")
            guard let number = MetadataSource.binding(of: text, from: isNumber ? 1 : 0), number < kinds.count else {
                continue
            }
            kinds[number] = !isNumber ? .metadata : prefix == UInt8(ascii: "s") ? .shape : .value
        }
        return kinds
    }
}

extension MemoryMap {
    /// Whether there is a witness table at `address`: it begins with its conformance, which begins with its protocol.
    fileprivate func isWitnessTable(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address, 8) else { return false }
        let conformance = Memory.word(address)
        guard conformance & 3 == 0, isOfProgram(conformance, 16) else { return false }
        let distance = Memory.half(conformance)
        var target = Memory.relative(conformance) & ~1
        if distance & 1 != 0 {
            guard target & 7 == 0, isReadable(target, 8) else { return false }
            target = Memory.word(target)
        }
        let protocolKind: UInt32 = 3
        return target & 3 == 0 && isOfProgram(target, 4) && Memory.half(target) & 0x1f == protocolKind
    }
}
