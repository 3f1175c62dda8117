/// A type that has no metadata, as a tree. Captures in optimized code may have types like this.
indirect enum LoweredType {
    /// A part of the name that the runtime may be able to resolve.
    case named(MangledType)
    case optional(LoweredType)
    case tuple([LoweredType])
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
        /// The label of an element.
        case label
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
                // A repeated type (`S2i`) has no part of the name to itself.
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
        guard token.isSimple, stack.count >= token.operands else { return false }
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
        case "0"..."9": stack.append((.label, token.start, token.end))
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
        var elements: [LoweredType] = []
        while let top = stack.popLast() {
            switch top.item {
            case .label: continue
            case .type(let type): elements.append(type)
            case .empty where elements.isEmpty:
                stack.append((.type(.tuple([])), top.start, token.end))
                return true
            case .empty: return false
            case .marker:
                var first = stack.popLast()
                if case .label? = first?.item { first = stack.popLast() }
                guard let first, case .type(let type) = first.item else { return false }
                elements.append(type)
                stack.append((.type(.tuple(elements.reversed())), first.start, token.end))
                return true
            }
        }
        return false
    }
}
