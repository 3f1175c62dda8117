import CWeir

/// The symbol that tells whether a global or static variable has been initialized. Variables with a constant initial value, such as
/// nil, have none.
struct InitializationToken {
    static let ending = "_Wz"

    /// Its name up to the ending: the names of the variable's context and of the variable. If one pattern declares several variables,
    /// "_" and the name of the next one follow.
    private let name: Substring

    /// - Parameter symbol: the symbol, with its ending.
    init(_ symbol: String) { name = symbol.dropLast(Self.ending.count) }

    /// Whether it belongs to the variable with this symbol, in which the variable's type follows the name.
    func initializes(_ variable: String) -> Bool {
        if variable.hasPrefix(name) { return true }
        // Names begin with their length.
        let context = variable.commonPrefix(with: name).droppingLastDigits
        return name.dropFirst(context.count).split(separator: "_").contains {
            variable.dropFirst(context.count).hasPrefix($0)
        }
    }
}

extension String {
    fileprivate func commonPrefix(with other: Substring) -> Substring {
        prefix(zip(utf8, other.utf8).prefix { $0 == $1 }.count)
    }
}

extension Substring {
    fileprivate var droppingLastDigits: Substring {
        var text = self
        while text.last?.isNumber == true { text.removeLast() }
        return text
    }
}
