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
