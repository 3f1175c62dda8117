/// A type that has no metadata, as a tree. Captures in optimized code may have types like this.
indirect enum LoweredType {
    /// A part of the name that the runtime may be able to resolve.
    case named(MangledType)
    case optional(LoweredType)
    case tuple([(label: String?, type: LoweredType)])
    case closure(hasContext: Bool, isOwned: Bool)

    /// The tree of `name`; nil if its form is unknown.
    init?(_ name: MangledType) {
        guard let tokens = MangledScanner.tokens(of: name) else { return nil }
        var builder = LoweredTypeBuilder(name: name)
        for token in tokens where !builder.take(token) { return nil }
        guard let type = builder.result else { return nil }
        self = type
    }
}

/// Builds the tree of a name from its tokens, which are in postfix order.
private struct LoweredTypeBuilder {
    private enum Item {
        case type(LoweredType)
        /// `_`: the end of the first element of a list.
        case marker
        /// `y`: an empty list.
        case empty
        /// The label of an element; nil if it is not written out.
        case label(String?)
    }

    let name: MangledType
    private var stack: [(item: Item, start: UInt, end: UInt)] = []

    init(name: MangledType) { self.name = name }

    /// The tree; nil if tokens are missing.
    var result: LoweredType? {
        guard stack.count == 1, case .type(let type) = stack[0].item else { return nil }
        return type
    }

    mutating func take(_ token: MangledToken) -> Bool {
        switch token.kind {
        case .symbolic:
            guard name.descriptor(token.start) != nil else { return false }
            push(name.part(token.start, token.end))
        case .standard:
            if name.isOptional(token) {
                guard let (type, start) = popType() else { return false }
                stack.append((.type(.optional(type)), start, token.end))
            } else {
                if let (count, type) = name.repeated(token) {
                    for _ in 0..<count { stack.append((.type(.named(type)), token.start, token.end)) }
                    return true
                }
                let isPlain = token.length == 2
                let isConcurrency = token.length == 3 && name.byte(token.start &+ 1) == UInt8(ascii: "c")
                guard isPlain || isConcurrency else { return false }
                push(name.part(token.start, token.end))
            }
        case .builtin, .generic: push(name.part(token.start, token.end))
        case .lowered: return takeFunction(token)
        case .other: return takeLetter(token)
        case .substitution, .extended: return false
        }
        return true
    }

    private mutating func push(_ part: MangledType) {
        let start = part.address &- name.address
        stack.append((.type(.named(part)), start, start &+ part.length))
    }

    private mutating func popType() -> (type: LoweredType, start: UInt)? {
        guard let top = stack.popLast(), case .type(let type) = top.item else { return nil }
        return (type, top.start)
    }

    private mutating func takeFunction(_ token: MangledToken) -> Bool {
        guard token.isSimple || token.isSubstituted else { return false }
        if token.isSubstituted {
            // The arguments; their signature has left nothing.
            while let top = stack.popLast() { if case .empty = top.item { break } }
        }
        guard stack.count >= token.operands else { return false }
        var start = token.start
        for _ in 0..<token.operands {
            guard let operand = popType() else { return false }
            start = operand.start
        }
        let type = LoweredType.closure(hasContext: token.isThick, isOwned: token.escapes)
        stack.append((.type(type), start, token.end))
        return true
    }

    private mutating func takeLetter(_ token: MangledToken) -> Bool {
        switch UnicodeScalar(token.letter) {
        case "y": stack.append((.empty, token.start, token.end))
        case "_": stack.append((.marker, token.start, token.end))
        case "0"..."9": stack.append((.label(name.identifier(token)), token.start, token.end))
        // A requirement, and the end of a signature.
        case "R", "l": break
        case "t": return takeTuple(token)
        case "G":
            while let top = stack.popLast() { if case .empty = top.item { break } }
            guard let base = stack.popLast(), case .type(.named) = base.item else { return false }
            stack.append((.type(.named(name.part(base.start, token.end))), base.start, token.end))
        case "c":
            guard stack.count >= 2 else { return false }
            let parameters = stack[stack.count - 2]
            stack.removeLast(2)
            stack.append((.type(.closure(hasContext: true, isOwned: true)), parameters.start, token.end))
        case "p":
            guard var start = stack.popLast() else { return false }
            if case .marker = start.item {
                guard let first = stack.popLast() else { return false }
                start = first
            } else if case .empty = start.item {
            } else {
                return false
            }
            stack.append((.type(.named(name.part(start.start, token.end))), start.start, token.end))
        default: return false
        }
        return true
    }

    private mutating func takeTuple(_ token: MangledToken) -> Bool {
        var elements: [(label: String?, type: LoweredType)] = []
        var label: String?
        while let top = stack.popLast() {
            switch top.item {
            case .label(let text): label = text
            case .type(let type):
                elements.append((label, type))
                label = nil
            case .empty where elements.isEmpty:
                stack.append((.type(.tuple([])), top.start, token.end))
                return true
            case .empty: return false
            case .marker:
                var first = stack.popLast()
                if case .label(let text)? = first?.item { (label, first) = (text, stack.popLast()) }
                guard let first, case .type(let type) = first.item else { return false }
                elements.append((label, type))
                stack.append((.type(.tuple(elements.reversed())), first.start, token.end))
                return true
            }
        }
        return false
    }
}

extension MangledType {
    /// The number of repetitions and the type of a token like `S3i`, three integers; nil if it is not repeated.
    ///
    /// The type has no part of the name to itself. Its name is never freed, because the runtime may keep it.
    fileprivate func repeated(_ token: MangledToken) -> (count: Int, type: MangledType)? {
        let digits = (token.start &+ 1..<token.end &- 1).map { byte($0) }
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }),
            let count = Int(String(decoding: digits, as: UTF8.self)), count < 1 << 16
        else { return nil }
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: 3)
        (text[0], text[1], text[2]) = (UInt8(ascii: "S"), byte(token.end &- 1), 0)
        return (count, MangledType(address: UInt(bitPattern: text), length: 2))
    }

    /// The text of an identifier; nil if parts of it are not written out.
    fileprivate func identifier(_ token: MangledToken) -> String? {
        let bytes = (token.start..<token.end).map { byte($0) }
        guard bytes.first != UInt8(ascii: "0") else { return nil }
        return String(decoding: bytes.drop { (48...57).contains($0) }, as: UTF8.self)
    }
}

extension Plans {
    /// The noncopyable type of a field, which the runtime does not report; nil if it cannot be found.
    ///
    /// The type survives only in the linker's name of the field's type: "get_type_metadata", the generic signature that ends with
    /// an l, the type, "noncopyable". The runtime cannot find noncopyable types by name either, so a reference to its descriptor
    /// replaces the outermost one.
    func noncopyableType(of type: MangledType, in descriptor: TypeDescriptor, arguments: UInt) -> Metadata? {
        guard let symbol = symbols.symbolName(at: type.address) else { return nil }
        let words = symbol.split(separator: " ")
        guard words.count == 3, words[0] == "get_type_metadata", words[2].hasPrefix("noncopyable") else { return nil }
        let name = Array(words[1].utf8)
        if !descriptor.isGeneric {
            return noncopyableType(name[...], near: type, in: descriptor, arguments: arguments)
        }
        for place in name.indices where name[place] == UInt8(ascii: "l") {
            let rest = name[(place + 1)...]
            if let found = noncopyableType(rest, near: type, in: descriptor, arguments: arguments) { return found }
        }
        return nil
    }

    private func noncopyableType(
        _ name: ArraySlice<UInt8>, near type: MangledType, in descriptor: TypeDescriptor, arguments: UInt
    ) -> Metadata? {
        guard let end = endOfNominal(name) else { return nil }
        let nominal = String(decoding: name[..<end], as: UTF8.self)
        guard let nominalDescriptor = symbols.address(named: "$s\(nominal)Mn", inModuleAt: type.address) else {
            return nil
        }
        // Packs must not reach the runtime, nor any name that was not parsed.
        let rest = Array(name[end...])
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16 + 5 + rest.count + 1, alignment: 16)
        memory.storeBytes(of: nominalDescriptor, as: UInt.self)
        memory.storeBytes(of: 2, toByteOffset: 16, as: UInt8.self)
        memory.storeBytes(of: Int32(-17), toByteOffset: 17, as: Int32.self)
        (memory + 21).copyMemory(from: rest, byteCount: rest.count)
        memory.storeBytes(of: 0, toByteOffset: 21 + rest.count, as: UInt8.self)
        let copy = MangledType(address: UInt(bitPattern: memory) + 16, length: UInt(5 + rest.count))
        guard MangledScanner.tokens(of: copy) != nil else {
            memory.deallocate()
            return nil
        }
        // Never freed: the runtime may keep the name.
        return TypeResolver.resolve(copy, in: descriptor, arguments: arguments)
    }

    /// The end of the names and kinds of a type and its enclosing types; nil if the name begins otherwise.
    private func endOfNominal(_ name: ArraySlice<UInt8>) -> Int? {
        var place = name.startIndex
        while place < name.endIndex {
            switch name[place] {
            case 49...57:
                var length = 0
                while place < name.endIndex, (48...57).contains(name[place]), length < 1 << 16 {
                    length = length * 10 + Int(name[place] - 48)
                    place += 1
                }
                place += length
            case UInt8(ascii: "L") where place + 1 < name.endIndex && name[place + 1] == UInt8(ascii: "L"): place += 2
            case UInt8(ascii: "V"), UInt8(ascii: "O"), UInt8(ascii: "C"): place += 1
            default: return place > name.startIndex ? place : nil
            }
        }
        return place == name.endIndex ? place : nil
    }
}
