/// A function, an accessor or a variable in a demangled name, without its types: "LoginModel.change(name:)".
struct SymbolEntity {
    /// Its name with those of the types around it.
    var path: String
    /// The module that it was written in.
    var module: String?

    /// Reads "Login.LoginModel.change(name: Swift.String) -> ()" and all its relatives.
    init(_ text: Substring) {
        var rest = text, words = ""
        for (start, words_) in Self.introductions where rest.hasPrefix(start) {
            rest = rest.dropFirst(start.count)
            words += words_
        }
        if rest.hasPrefix("static ") {
            rest = rest.dropFirst(7)
            words += "static "
        }
        var names: [String] = []
        while let name = Self.component(&rest, module: &module) {
            names.append(name)
            guard rest.first == "." else { break }
            rest = rest.dropFirst()
        }
        if module == nil {
            module = names.first
            if names.count > 1 { names.removeFirst() }
        } else if names.count > 1 {
            names.removeFirst()  // The module of the type that is extended.
        }
        if names.isEmpty { names = [String(text)] }
        let isAccessor = names.count > 1 && Self.accessors[names[names.count - 1]] != nil
        if isAccessor, let accessor = names.popLast().flatMap({ Self.accessors[$0] }), !accessor.isEmpty {
            names.append(accessor)
        }
        if names.last == "__allocating_init" { names[names.count - 1] = "init" }
        path = words + names.joined(separator: ".") + (isAccessor ? "" : Self.labels(rest) ?? "")
    }

    /// "helper(x:)" for "helper #1 (x: Swift.Int) -> ()", a function inside of a function; nil: it is none.
    static func localFunction(_ text: Substring) -> String? {
        guard let place = text.range(ofFirst: " #") else { return nil }
        let name = text[..<place]
        let rest = text[place...].dropFirst(2).drop { $0.isNumber }
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), rest.hasPrefix(" ") else {
            return nil
        }
        return name + (labels(rest.dropFirst().drop { $0 != "(" }) ?? "()")
    }

    private static let introductions = [
        ("variable initialization expression of ", ""), ("property wrapper backing initializer of ", ""),
        ("property wrapped field init accessor of ", ""), ("one-time initialization function for ", ""),
        ("default argument ", "default argument "),
    ]

    /// The names of accessors, as the source writes them; what is read needs no word.
    private static let accessors = [
        "getter": "", "read": "", "read2": "", "unsafeAddressor": "", "unsafeMutableAddressor": "",
        "setter": "set", "modify": "modify", "modify2": "modify", "willset": "willSet", "didset": "didSet",
        "init": "init",
    ].filter { $0.key != "init" }

    /// The next name of a path: "LoginModel", "(secret in _5A1B)", "(extension in Login):Swift.Array<A>".
    private static func component(_ rest: inout Substring, module: inout String?) -> String? {
        if rest.hasPrefix("("), let (inside, after) = rest.brackets() {
            if inside.hasPrefix("extension in ") {
                module = String(inside.dropFirst("extension in ".count))
                rest = after.hasPrefix(":") ? after.dropFirst() : after
                return component(&rest, module: &module)
            }
            guard let end = inside.range(ofFirst: " in ") else { return nil }
            rest = after
            skipArguments(&rest)
            return String(inside[..<end])
        }
        let name = rest.name()
        guard !name.isEmpty else { return nil }
        rest = rest[name.endIndex...]
        skipArguments(&rest)
        return String(name)
    }

    private static func skipArguments(_ rest: inout Substring) {
        if rest.hasPrefix("<"), let (_, after) = rest.brackets() { rest = after }
    }

    /// "(_:name:)" for "(Swift.Int, name: Swift.String) -> ()"; nil: nothing is called.
    private static func labels(_ text: Substring) -> String? {
        guard text.hasPrefix("("), let (inside, _) = text.brackets() else { return nil }
        let labels = inside.split(outside: ", ").map { parameter -> String in
            let label = parameter.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return parameter[label.endIndex...].hasPrefix(": ") ? "\(label):" : "_:"
        }
        return "(\(labels.joined()))"
    }
}
