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
