/// A function, an accessor or a variable in a demangled name, without its types: "LoginModel.change(name:)".
struct SymbolEntity {
    /// Its name, after those of the enclosing types.
    private(set) var path = ""
    /// The module that it was written in; nil if the name does not contain it.
    private(set) var module: String?

    /// Reads "Login.LoginModel.change(name: Swift.String) -> ()" and similar forms; nil for other forms.
    ///
    /// A member of a type inside a function is named without its module.
    init?(_ text: Substring, isMember: Bool) {
        var rest = text, words = ""
        for start in Self.introductions where rest.hasPrefix(start) { rest = rest.dropFirst(start.count) }
        if rest.hasPrefix("default argument "), let end = rest.range(ofFirst: " of ") {
            words = "\(rest[..<end]) of "
            rest = rest[end...].dropFirst(4)
        }
        if rest.hasPrefix("static ") {
            rest = rest.dropFirst(7)
            words += "static "
        }
        var names = names(&rest)
        guard !names.isEmpty, Self.endings.contains(where: { rest.hasPrefix($0) }) || rest.isEmpty else { return nil }
        if !isMember {
            // For an extension, the module is already known. This one belongs to the extended type.
            if module == nil { module = names[0] }
            if names.count > 1 { names.removeFirst() }
        }
        // Names that macros generate mean nothing to a reader.
        if names.count > 1, names[names.count - 1].hasPrefix("$s") { names.removeLast() }
        if names.count > 1, rest.hasPrefix(" : "), let accessor = Self.accessors[names[names.count - 1]] {
            names.removeLast()
            if !accessor.isEmpty { names.append(accessor) }
        } else {
            if names[names.count - 1] == "__allocating_init" { names[names.count - 1] = "init" }
            names[names.count - 1] += Self.labels(rest) ?? ""
        }
        path = words + names.joined(separator: ".")
    }

    /// "helper(x:)" for "helper #1 (x: Swift.Int) -> ()", a function inside another one; nil for other forms.
    static func local(_ text: Substring) -> String? {
        var text = text
        for accessor in ["getter of ", "setter of "] where text.hasPrefix(accessor) {
            text = text.dropFirst(accessor.count)
        }
        guard let (name, rest) = numbered(text), rest.hasPrefix(" ") else { return nil }
        if name == "$defer" { return "defer" }
        if rest.hasPrefix(" : ") { return String(name) }
        return (name.hasPrefix("$s") ? "macro" : String(name)) + (labels(rest.drop { $0 != "(" }) ?? "()")
    }

    /// "Model" for "Model #1", a type inside a function; nil for other forms.
    static func localType(_ text: Substring) -> String? {
        guard let (name, rest) = numbered(text), rest.isEmpty else { return nil }
        return String(name)
    }

    private static func numbered(_ text: Substring) -> (name: Substring, rest: Substring)? {
        let name =
            text.name().first == "`" ? text.name() : text.prefix { $0.isLetter || $0.isNumber || "_$".contains($0) }
        let rest = text[name.endIndex...]
        guard !name.isEmpty, rest.hasPrefix(" #") else { return nil }
        return (name, rest.dropFirst(2).drop { $0.isNumber })
    }

    private static let introductions = [
        "variable initialization expression of ", "property wrapper backing initializer of ",
        "property wrapped field init accessor of ",
    ]

    /// The texts that follow the names.
    private static let endings = ["(", " : ", " -> ", " async", " throws", " infix", " prefix", " postfix", "@"]

    /// The source's words for accessors; those that read need none.
    private static let accessors = [
        "getter": "", "read": "", "read2": "", "unsafeAddressor": "", "unsafeMutableAddressor": "", "setter": "set",
        "modify": "modify", "modify2": "modify", "willset": "willSet", "didset": "didSet",
    ]

    private mutating func names(_ rest: inout Substring) -> [String] {
        var names: [String] = []
        while let name = name(&rest) {
            names.append(name)
            if rest.hasPrefix("<"), let (_, after) = rest.brackets() { rest = after }
            guard rest.first == "." else { break }
            rest = rest.dropFirst()
        }
        return names
    }

    /// The next name of a path: "LoginModel", "(secret in _5A1B)", "(extension in Login):Swift".
    private mutating func name(_ rest: inout Substring) -> String? {
        guard rest.hasPrefix("("), let (inside, after) = rest.brackets() else {
            let name = rest.name()
            rest = rest[name.endIndex...]
            return name.isEmpty ? nil : String(name)
        }
        if inside.hasPrefix("extension in "), after.hasPrefix(":") {
            module = String(inside.dropFirst("extension in ".count))
            rest = after.dropFirst()
            return name(&rest)
        }
        guard let end = inside.range(ofFirst: " in ") else { return nil }
        rest = after
        return String(inside[..<end])
    }

    /// "(_:name:)" for "(Swift.Int, name: Swift.String) -> ()"; nil if there are no parameters.
    private static func labels(_ text: Substring) -> String? {
        guard text.hasPrefix("("), let (inside, _) = text.brackets() else { return nil }
        let labels = inside.split(outside: ", ").map { parameter -> String in
            let label = parameter.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return parameter[label.endIndex...].hasPrefix(": ") ? "\(label):" : "_:"
        }
        return "(\(labels.joined()))"
    }
}
