import WeirHeap
import WeirTrace

/// What key paths are called in the source: 'name', 'child.name'.
///
/// The standard library names the properties of an observable class where the system does; on Linux it gives the address of
/// the key path's getter, whose symbol says the name in debug builds. In a stripped program, and mostly in an optimized one, there
/// is none.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum KeyPathName {
    nonisolated(unsafe) private static var known: [AnyKeyPath: String?] = [:]
    private static let lock = SystemLock()
    /// Used inside the lock.
    nonisolated(unsafe) private static let symbols = HeapSymbols()

    /// The name; nil: none is known.
    static func of(_ keyPath: AnyKeyPath) -> String? {
        if let found = lock.withLock({ known[keyPath] }) { return found }
        let description = String(describing: keyPath)
        return lock.withLock {
            let name = name(in: Substring(description), root: "\(type(of: keyPath).rootType)")
            known[keyPath] = .some(name)
            return name
        }
    }

    /// From "\Model.<computed 0x55d1 (String)>", or "\Model.name".
    private static func name(in description: Substring, root: String) -> String? {
        var rest = description.dropFirst(description.hasPrefix("\\") ? 1 : 0)
        guard rest.hasPrefix(root) else { return nil }
        rest = rest.dropFirst(root.count)
        var name = ""
        while let next = rest.first {
            if rest.hasPrefix("<computed 0x") {
                let digits = rest.dropFirst("<computed 0x".count).prefix { $0.isHexDigit }
                guard let address = UInt(digits, radix: 16), let property = property(readAt: address),
                    let after = end(ofAngles: rest)
                else { return nil }
                name += property
                rest = rest[after...]
            } else {
                name.append(next)
                rest.removeFirst()
            }
        }
        name = String(name.drop { $0 == "." })
        return name.isEmpty || name.contains("<") ? nil : name
    }

    private static func end(ofAngles text: Substring) -> Substring.Index? {
        var depth = 0
        var last: Character = " "
        for index in text.indices {
            switch text[index] {
            case "<": depth += 1
            // Not that of an arrow.
            case ">" where last != "-":
                depth -= 1
                if depth == 0 { return text.index(after: index) }
            default: break
            }
            last = text[index]
        }
        return nil
    }

    private static func property(readAt address: UInt) -> String? {
        symbols.symbolName(at: address).flatMap(HeapSymbols.demangled).flatMap { property(inGetter: Substring($0)) }
    }

    /// "name" in "key path getter for App.(LoginModel in _5A1C).name : Swift.String : App.(LoginModel in _5A1C)".
    ///
    /// And in "key path getter for App.LoginModel.(name in _5A1C) : Swift.String : App.LoginModel".
    static func property(inGetter symbol: Substring) -> String? {
        let words = "key path getter for "
        var start = symbol.startIndex
        while start < symbol.endIndex, !symbol[start...].hasPrefix(words) { symbol.formIndex(after: &start) }
        guard start < symbol.endIndex else { return nil }
        var depth = 0
        var name = ""
        /// What stands in the last parentheses.
        var inner = ""
        let path = symbol[start...].dropFirst(words.count)
        for (index, character) in zip(path.indices, path) {
            switch character {
            case "(", "<", "[":
                depth += 1
                if depth == 1 { inner = "" }
            case ")", ">", "]": depth -= 1
            case "." where depth == 0: (name, inner) = ("", "")
            case " " where depth == 0 && path[index...].hasPrefix(" : "):
                if !name.isEmpty { return name }
                return inner.contains(" ") ? String(inner.prefix { $0 != " " }) : nil
            default:
                if depth == 0 { name.append(character) }
                if depth == 1 { inner.append(character) }
            }
        }
        return nil
    }
}
