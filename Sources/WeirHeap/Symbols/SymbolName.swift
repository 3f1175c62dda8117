/// The full name of a symbol, in the words of the source.
///
/// "partial apply forwarder for closure #1 () -> () in Login.LoginModel.init() -> Login.LoginModel" becomes "closure #1 in
/// LoginModel.init()" of the module Login. Left out are modules, types of parameters and results, generic arguments, and all code
/// that the compiler adds to the source.
package struct SymbolName: Equatable, Sendable {
    /// The name; nil for a thunk that does not say what it calls.
    package var text: String?
    /// The module that contains the code.
    package var module: String?
    /// The kind of the function.
    package var kind = HeapFunction.Kind.unknown

    /// Parses a demangled name.
    package init(demangled: String) {
        var name = Self.withoutWrappings(Substring(demangled))
        if let inner = Self.propagatedClosure(name) { name = inner }
        guard !Self.isThunk(name) else { return }
        var pieces = name.split(outside: " in ")[...]
        var parts: [String] = []
        while let piece = pieces.first, let words = Self.closure(piece) ?? SymbolEntity.local(piece) {
            parts.append(words)
            pieces.removeFirst()
        }
        // A method reference consists of two nested closures.
        let implicit = "implicit closure #"
        if parts.count > 1, parts[0].hasPrefix(implicit), parts[1].hasPrefix(implicit) {
            parts.replaceSubrange(0...1, with: ["method reference"])
        }
        if let piece = pieces.popFirst() {
            // A type inside a function comes after the member.
            let type = pieces.lazy.compactMap(SymbolEntity.localType).first
            guard let entity = SymbolEntity(piece, isMember: type != nil) else { return }
            parts.append(type.map { "\($0).\(entity.path)" } ?? entity.path)
            module = type == nil ? entity.module : pieces.last.flatMap { SymbolEntity($0, isMember: false)?.module }
        }
        guard let first = parts.first else { return }
        text = parts.joined(separator: " in ")
        kind = first.hasPrefix(implicit) ? .autoclosure : first.hasPrefix("closure #") ? .closure : .function
    }

    /// "closure #1" for "closure #1 (Swift.Int) -> ()"; nil for other forms.
    private static func closure(_ piece: Substring) -> String? {
        for start in ["closure #", "implicit closure #"] where piece.hasPrefix(start) {
            return start + piece.dropFirst(start.count).prefix { $0.isNumber }
        }
        return nil
    }

    /// Prefixes that the compiler puts before the name of the original.
    private static let wrappings = [
        "partial apply forwarder for ", "merged ", "async function pointer to ", "curry thunk of ",
        "dispatch thunk of ",
        "@objc ", "@nonobjc ", "default actor ", "specialized ", "distributed thunk ", "coro function pointer to ",
    ]
    /// The same, with text in angle brackets after them.
    private static let bracketed = [
        "generic specialization <", "generic not re-abstracted specialization <", "function signature specialization <",
        "inlined generic function <", "generic pre-specialization <",
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
            for start in bracketed where name.hasPrefix(start) {
                guard propagatedClosure(name) == nil, let rest = name.afterAngles() else { continue }
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
        guard name.hasPrefix("function signature specialization <"), let of = name.afterAngles(),
            isThunk(withoutWrappings(of))
        else { return nil }
        for (before, after) in [
            ("[Closure Propagated : ", ", Argument Types : "), ("[Constant Propagated Function : ", "]> of "),
        ] {
            guard let start = name.range(ofFirst: before), let end = name[start...].range(ofFirst: after) else {
                continue
            }
            return withoutWrappings(name[start..<end].dropFirst(before.count))
        }
        return nil
    }

    private static func isThunk(_ name: Substring) -> Bool {
        name.hasPrefix("reabstraction thunk") || name.hasPrefix("thunk for") || name.hasPrefix("autodiff")
            || name.hasPrefix("back deployment")
    }
}

/// The linker's names of the code that the compiler makes around functions.
enum MangledName {
    /// The source function of a forwarder, a merged function, a part of an async function, or a pointer to one.
    ///
    /// Returns any other name unchanged.
    static func source(of name: String) -> String {
        var name = Substring(name)
        // The linker or the optimizer added this: ".16".
        if name.hasPrefix("$s"), let dot = name.firstIndex(of: ".") { name = name[..<dot] }
        var isShorter = true
        while isShorter {
            isShorter = false
            for ending in ["TA", "Tm", "Tu"] where name.hasSuffix(ending) {
                name = name.dropLast(2)
                isShorter = true
            }
            if let part = part(name) {
                name = part
                isShorter = true
            }
        }
        return String(name)
    }

    /// Whether it is a closure that the compiler made, as for the argument of an autoclosure: it ends with "fu_" or "fu0_".
    static func isImplicitClosure(_ name: String) -> Bool {
        guard name.last == "_" else { return false }
        let rest = name.dropLast()
        guard let mark = rest.lastIndex(where: { !$0.isNumber }) else { return false }
        return rest[...mark].hasSuffix("fu")
    }

    /// The name before "TQ0_" or "TY12_", which mark the parts of an async function.
    private static func part(_ name: Substring) -> Substring? {
        guard name.last == "_" else { return nil }
        let rest = name.dropLast()
        guard let mark = rest.lastIndex(where: { !$0.isNumber }), rest[..<mark].last == "T",
            rest[mark] == "Q" || rest[mark] == "Y"
        else { return nil }
        return rest[..<mark].dropLast()
    }
}
