/// The function with which a key path reads a property of a class.
///
/// Each key path in a program has such a function; its symbol contains the property's name and type. All of them have the same
/// calling convention, so a property can be read without its key path.
package struct PropertyGetter {
    /// The name in the source.
    package let name: String
    private let address: UInt

    /// The getters of those stored properties that the class itself declares under another name, with '_' before it, as the macro
    /// `@Observable` does; only those whose type is that of the stored property.
    ///
    /// None if the module has no symbols, if the class is generic, or if no code of the program uses key paths of it.
    package static func all(of type: AnyClass, _ symbols: HeapSymbols) -> [PropertyGetter] {
        guard let descriptor = Metadata(type).classDescriptor, !descriptor.isGeneric,
            let stored = StoredProperty.all(of: type),
            // Unlike names that the runtime makes, this one also identifies private types.
            let symbol = symbols.symbolName(at: descriptor.address), symbol.hasPrefix("$s"), symbol.hasSuffix("Mn"),
            let owner = HeapSymbols.demangled(String(symbol.dropLast(2)))
        else { return [] }
        let start = "key path getter for \(owner)."
        var found: [String: (type: String, address: UInt)] = [:]
        for symbol in symbols.symbols(from: String(symbol.dropLast(2)), to: "TK", inModuleAt: descriptor.address) {
            guard let text = HeapSymbols.demangled(symbol.name), text.hasPrefix(start) else { continue }
            let rest = text.dropFirst(start.count)
            guard let colon = rest.range(ofFirst: " : "), rest.hasSuffix(" : \(owner)") else { continue }
            var name = rest[..<colon]
            // "(name in _0F3A)" for a private property.
            if name.hasPrefix("("), let end = name.range(ofFirst: " in ") { name = name[..<end].dropFirst() }
            let type = rest[colon...].dropFirst(3).dropLast(3 + owner.count)
            found[String(name)] = (String(type), symbol.address)
        }
        return stored.compactMap { property in
            guard property.name.hasPrefix("_"), let type = property.type,
                let getter = found[String(property.name.dropFirst())],
                // Reading with another type would damage memory.
                _mangledTypeName(type).flatMap({ HeapSymbols.demangled("$s" + $0) }).map(withoutFiles)
                    == withoutFiles(getter.type)
            else { return nil }
            return PropertyGetter(name: String(property.name.dropFirst()), type: type, address: getter.address)
        }
    }

    /// The name of a type without the files of private types, which the runtime does not know: "(Line in _0F3A)",
    /// "(unknown context at $4f8).Line".
    private static func withoutFiles(_ type: String) -> String {
        var rest = Substring(type)
        var result = ""
        while let start = rest.range(ofFirst: "(") {
            result += rest[..<start]
            rest = rest[start...]
            if rest.hasPrefix("(unknown context at $"), let end = rest.range(ofFirst: ").") {
                rest = rest[end...].dropFirst(2)
            } else if let end = rest.firstIndex(of: ")"), let middle = rest[..<end].range(ofFirst: " in _"),
                rest[rest.index(after: start)..<middle].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            {
                result += rest[rest.index(after: start)..<middle]
                rest = rest[end...].dropFirst()
            } else {
                result += "("
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private let type: Any.Type

    private init(name: String, type: Any.Type, address: UInt) {
        self.name = name
        self.type = type
        self.address = address
    }

    /// Reads the property of `object`, which is of the class, and drops the value.
    package func read(_ object: AnyObject) {
        func typed<Value>(_: Value.Type) {
            withExtendedLifetime(Call<Value>(address).getter(object)) {}
        }
        _openExistential(type, do: typed)
    }

    /// A function value is the address of its code and of its context. The getter expects the address of the object's reference,
    /// returns the value in memory, and needs no context: so does a function of a type that the code here does not know.
    private struct Call<Value> {
        let getter: (AnyObject) -> Value

        init(_ address: UInt) {
            func converted<Root>(_: Root.Type) -> (Root) -> Value {
                unsafeBitCast((address, UInt(0)), to: ((Root) -> Value).self)
            }
            getter = converted(AnyObject.self)
        }
    }
}
