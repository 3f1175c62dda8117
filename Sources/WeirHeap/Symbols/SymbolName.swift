/// What the full name of a symbol says, in the words of the source.
///
/// "partial apply forwarder for closure #1 () -> () in Login.LoginModel.init() -> Login.LoginModel" becomes
/// "closure #1 in LoginModel.init()" of the module Login. Left out are modules, types of parameters and results, generic
/// arguments, and all that the compiler made around what stands in the source.
package struct SymbolName: Equatable, Sendable {
    /// The name; nil: it is a thunk that says nothing of what it calls.
    package var text: String?
    /// The module that the code stands in.
    package var module: String?

    /// Reads a demangled name.
    package init(demangled: String) {
        var name = Self.withoutWrappings(Substring(demangled))
        if let inner = Self.propagatedClosure(name) { name = inner }
        guard !Self.isThunk(name) else { return }
        var parts: [String] = []
        var kinds: [SymbolPart] = []
        for piece in name.split(outside: " in ") {
            let part = SymbolPart(piece)
            kinds.append(part)
            if case .entity = part { break }
        }
        if case .closure(_, isImplicit: true) = kinds.first,
            case .closure(_, isImplicit: true) = kinds.dropFirst().first
        {
            parts.append("method reference")
            kinds.removeFirst(2)
        }
        for part in kinds {
            switch part {
            case .closure(let words, _): parts.append(words)
            case .entity(let entity):
                parts.append(entity.path)
                module = entity.module
            }
        }
        text = parts.joined(separator: " in ")
    }

    /// What the compiler puts before the name of what it made something from.
    private static let wrappings = [
        "partial apply forwarder for ", "merged ", "async function pointer to ", "curry thunk of ",
        "dispatch thunk of ",
        "@objc ", "@nonobjc ", "default actor ", "specialized ", "distributed thunk ", "coro function pointer to ",
    ]
    /// The same, with something in angles or round brackets in between, and how it ends.
    private static let bracketed = [
        ("generic specialization <", " of "), ("generic not re-abstracted specialization <", " of "),
        ("function signature specialization <", " of "), ("inlined generic function <", " of "),
    ]

    private static func withoutWrappings(_ name: Substring) -> Substring {
        var name = name
        if let suffix = name.range(ofLast: " with unmangled suffix ") { name = name[..<suffix] }
        var isShorter = true
        while isShorter {
            isShorter = false
            for wrapping in wrappings where name.hasPrefix(wrapping) {
                name = name.dropFirst(wrapping.count)
                isShorter = true
            }
            // "(1) await resume partial function for"
            if name.hasPrefix("("), let end = name.range(ofFirst: " resume partial function for ") {
                name = name[end...].dropFirst(" resume partial function for ".count)
                isShorter = true
            }
            for (start, end) in bracketed where name.hasPrefix(start) {
                guard propagatedClosure(name) == nil, let rest = name.afterBrackets(end) else { continue }
                name = rest
                isShorter = true
            }
        }
        if name.hasPrefix("protocol witness for "), let end = name.range(ofFirst: " in conformance ") {
            name = name[..<end].dropFirst("protocol witness for ".count)
        }
        return name
    }

    /// The closure that a specialized thunk was made for.
    private static func propagatedClosure(_ name: Substring) -> Substring? {
        let before = "[Closure Propagated : "
        guard name.hasPrefix("function signature specialization <"), let of = name.afterBrackets(" of "), isThunk(of),
            let start = name.range(ofFirst: before), let end = name[start...].range(ofFirst: ", Argument Types : ")
        else { return nil }
        return withoutWrappings(name[start..<end].dropFirst(before.count))
    }

    private static func isThunk(_ name: Substring) -> Bool {
        name.hasPrefix("reabstraction thunk") || name.hasPrefix("thunk for") || name.hasPrefix("autodiff")
            || name.hasPrefix("back deployment")
    }
}

/// A closure, or what it stands in.
private enum SymbolPart {
    case closure(String, isImplicit: Bool)
    case entity(SymbolEntity)

    init(_ piece: Substring) {
        for (start, isImplicit) in [("closure #", false), ("implicit closure #", true)] where piece.hasPrefix(start) {
            let number = piece.dropFirst(start.count).prefix { $0.isNumber }
            self = .closure(start + number, isImplicit: isImplicit)
            return
        }
        self = SymbolEntity.localFunction(piece).map { .closure($0, isImplicit: false) } ?? .entity(SymbolEntity(piece))
    }
}
