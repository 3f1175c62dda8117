/// The symbol that tells whether a global or static variable has been initialized. Variables with a constant initial value, such as
/// nil, have none.
struct InitializationToken {
    static let ending = "_Wz"

    private let symbol: String

    init(_ symbol: String) { self.symbol = symbol }

    /// Whether it belongs to the variable with a symbol, in which the variable's type follows the names.
    ///
    /// - Parameter name: the variable's own name.
    func initializes(_ variable: String, named name: String) -> Bool {
        let token = symbol.dropLast(Self.ending.count)
        if variable.hasPrefix(token) { return true }
        guard let names = namesOfPattern, names.contains(name) else { return false }
        // The context precedes the length of the first name. A name may also repeat words of the context: then it is not found.
        guard let start = token.range(ofLast: names[0]) else { return true }
        return variable.hasPrefix(token[..<start].droppingLastDigits)
    }

    /// The names of the variables, if one pattern declares several: "one-time initialization token for (first, second)".
    private var namesOfPattern: [String]? {
        guard symbol.dropLast(Self.ending.count).contains("_"),
            let text = HeapSymbols.demangled(symbol).map({ $0[...] }),
            let start = text.range(ofFirst: "("), let list = text[start...].brackets()?.inside
        else { return nil }
        let names = list.split(outside: ", ").map { String($0.drop { $0 == "(" }.prefix { $0 != " " }) }
        return names.count > 1 ? names : nil
    }
}

extension Substring {
    fileprivate var droppingLastDigits: Substring {
        var text = self
        while text.last?.isNumber == true { text.removeLast() }
        return text
    }
}
