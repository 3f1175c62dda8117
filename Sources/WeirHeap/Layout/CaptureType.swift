/// The kind of one capture of a closure.
enum CaptureType {
    case type(Metadata, HeapReference.Ownership)
    /// A variable that closures share, or another object without a type.
    case box
    /// A closure, whose context may be owned or not.
    case closure(isOwned: Bool)
    /// One word that is not a reference.
    case word
    /// A capture that takes no space.
    case nothing
    /// One word that does not keep its target alive, of a type that cannot be found.
    case notStrong(HeapReference.Ownership)
    /// A type that depends on a generic argument not known yet.
    case missingArgument
    case unknown

    /// The capture of type `name` in a closure made with the generic arguments of `environment`.
    init(_ name: MangledType, in environment: GenericEnvironment) {
        if name.isBox {
            self = .box
            return
        }
        let ownership = name.ownership
        let unknown: CaptureType = ownership == .strong ? .unknown : .notStrong(ownership)
        guard let tokens = MangledScanner.tokens(of: name), let last = tokens.last else {
            // The name was not parsed. It must not reach the runtime if it is generic: it could contain a pack.
            self = unknown
            if !name.mentionsGenerics, let metadata = TypeResolver.resolve(name) { self = .type(metadata, ownership) }
            return
        }
        if last.kind == .lowered {
            self = last.isThick ? .closure(isOwned: last.escapes) : last.isSimple ? .word : .unknown
            return
        }
        if last.kind == .extended, last.letter == UInt8(ascii: "M") {
            // A metatype takes no space if its type is known at compile time; otherwise it is one word.
            self = name.byte(last.end &- 1) == UInt8(ascii: "t") ? .nothing : .word
            return
        }
        let isMissing = tokens.contains { $0.kind == .generic && environment[$0.depth, $0.index] == nil }
        if isMissing {
            let isReference = ownership == .strong && name.isGenericReference(tokens)
            self = ownership != .strong ? unknown : isReference ? .box : .missingArgument
            return
        }
        let isLowered = tokens.contains { $0.kind == .lowered }
        let metadata = isLowered ? name.resolveLowered(tokens, in: environment) : environment.resolve(name)
        if let metadata {
            self = .type(metadata, ownership)
        } else {
            self = isLowered ? .unknown : unknown
        }
    }
}

extension MangledType {
    /// Whether the name may contain a generic parameter.
    var mentionsGenerics: Bool {
        var place: UInt = 0
        while place < length {
            let byte = byte(place)
            if "Qxq".utf8.contains(byte) { return true }
            place &+= MangledType.width(byte)
        }
        return false
    }

    /// Whether this is a class or collection with unknown arguments, or an optional of one: either way a single reference.
    func isGenericReference(_ tokens: [MangledToken]) -> Bool {
        guard let first = tokens.first, isClass(first) || isCollection(first) else { return false }
        var rest = tokens[1...]
        while let last = rest.last, isOptional(last) { rest.removeLast() }
        guard rest.popLast()?.isLetter("G") == true else { return false }
        return rest.allSatisfy { token in
            switch token.kind {
            case .symbolic, .standard, .generic: true
            default: token.isLetter("y") || token.isLetter("_") || token.isLetter("G") || isIdentifier(token)
            }
        }
    }

    /// Whether this is a generic parameter, or an optional of one.
    var isParameter: Bool {
        guard let tokens = MangledScanner.tokens(of: self), tokens.first?.kind == .generic else { return false }
        return tokens.dropFirst().allSatisfy(isOptional)
    }

    private func isClass(_ token: MangledToken) -> Bool {
        token.kind == .symbolic && descriptor(token.start)?.kind == .class
    }

    /// Whether it is `Array`, `Dictionary` or `Set`. With Objective-C their storage may be a bridged object, marked by tag bits.
    private func isCollection(_ token: MangledToken) -> Bool {
        #if canImport(ObjectiveC)
        return false
        #else
        return token.kind == .standard && token.length == 2 && "aDh".utf8.contains(byte(token.start &+ 1))
        #endif
    }

    private func isIdentifier(_ token: MangledToken) -> Bool {
        token.kind == .other && (48...57).contains(token.letter)
    }

    func isOptional(_ token: MangledToken) -> Bool {
        token.kind == .standard && token.length == 2 && byte(token.start &+ 1) == UInt8(ascii: "g")
    }

    /// Resolves the type, with lowered function types replaced by source-level ones of the same size; nil if it fails.
    func resolveLowered(_ tokens: [MangledToken], in environment: GenericEnvironment) -> Metadata? {
        var sawLowered = false
        var text: [UInt8] = []
        var references: [(place: Int, target: UInt)] = []
        for token in tokens {
            switch token.kind {
            case .symbolic:
                guard token.length == 5, let descriptor = descriptor(token.start) else { return nil }
                text.append(2)
                references.append((text.count, descriptor.address))
                text += [0, 0, 0, 0]
            case .lowered:
                guard token.isThick, token.escapes, token.isSimple else { return nil }
                sawLowered = true
                switch token.operands {
                case 0: text += "yyc".utf8
                case 1: text += "yc".utf8
                default: text += repeatElement(UInt8(ascii: "c"), count: token.operands - 1)
                }
            case .substitution where sawLowered: return nil
            default: text += (token.start..<token.end).map { byte($0) }
            }
        }
        // Never freed: the runtime may keep the name. References become relative ones to a table after the name.
        let table = (text.count + 8) & ~7
        let memory = UnsafeMutableRawPointer.allocate(byteCount: table + references.count * 8, alignment: 16)
        memory.copyMemory(from: text, byteCount: text.count)
        memory.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
        for (number, reference) in references.enumerated() {
            let slot = table + number * 8
            memory.storeBytes(of: reference.target, toByteOffset: slot, as: UInt.self)
            memory.storeBytes(of: Int32(slot - reference.place), toByteOffset: reference.place, as: Int32.self)
        }
        return environment.resolve(MangledType(address: UInt(bitPattern: memory), length: UInt(text.count)))
    }
}
