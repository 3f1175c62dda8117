/// The function with which a program reads a property of a class.
///
/// Each key path has such a function; its symbol contains the property's name and type. All of them have the same calling
/// convention, so a property can be read without its key path. An optimised program may lack the symbol: it merges the functions
/// of properties with equal types. For some types the property's own getter is then called instead.
package struct PropertyGetter {
    /// The getters of a class, and the names of the other properties that code of the program uses.
    package struct Found {
        package fileprivate(set) var getters: [PropertyGetter] = []
        package fileprivate(set) var unreadable: [String] = []
    }

    /// The name in the source.
    package let name: String
    /// Calls the function with an object of the class, and drops the value.
    private let call: (AnyObject) -> Void

    /// The getters of those stored properties that the class itself declares under another name, with '_' before it, as the macro
    /// `@Observable` does; only those whose type is that of the stored property.
    ///
    /// None if the module has no symbols, if the class is generic, or if no code of the program uses its properties.
    package static func all(of type: AnyClass, _ symbols: HeapSymbols) -> Found {
        guard let descriptor = Metadata(type).classDescriptor, !descriptor.isGeneric,
            let stored = StoredProperty.all(of: type),
            // Unlike names that the runtime makes, this one also identifies private types.
            let symbol = symbols.symbolName(at: descriptor.address), symbol.hasPrefix("$s"), symbol.hasSuffix("Mn"),
            let owner = HeapSymbols.demangled(String(symbol.dropLast(2)))
        else { return Found() }
        let prefix = String(symbol.dropLast(2))
        func functions(_ suffix: String, _ form: SymbolForm) -> [String: SymbolForm.Function] {
            guard HeapSymbols.canCallByAddress else { return [:] }
            return form.functions(symbols.symbols(from: prefix, to: suffix, inModuleAt: descriptor.address))
        }
        let ofKeyPaths = functions("TK", .keyPathGetter(of: owner))
        lazy var own = functions("vg", .getter(of: owner))
        lazy var names = SymbolForm.names(
            of: owner, in: symbols.symbols(from: prefix, to: "", inModuleAt: descriptor.address))
        var found = Found()
        for property in stored where property.name.hasPrefix("_") && property.name != "_$observationRegistrar" {
            let name = String(property.name.dropFirst())
            guard let type = property.type,
                let typeName = _mangledTypeName(type).flatMap({ HeapSymbols.demangled("$s" + $0) }).map(withoutFiles)
            else { continue }
            // Reading with another type would damage memory.
            func address(in functions: [String: SymbolForm.Function]) -> UInt? {
                functions[name].flatMap { withoutFiles($0.type) == typeName ? $0.address : nil }
            }
            let call =
                address(in: ofKeyPaths).map { calling($0, type) } ?? address(in: own).flatMap { callingOwn($0, type) }
            if let call {
                found.getters.append(PropertyGetter(name: name, call: call))
            } else if names.contains(name) {
                found.unreadable.append(name)
            }
        }
        return found
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

    /// Reads the property of `object`, which is of the class, and drops the value.
    package func read(_ object: AnyObject) { call(object) }

    /// Calls the getter of a key path.
    private static func calling(_ address: UInt, _ type: Any.Type) -> (AnyObject) -> Void {
        func typed<Value>(_: Value.Type) -> (AnyObject) -> Void {
            let getter = Call<Value>(address).getter
            return { object in withExtendedLifetime(getter(object)) {} }
        }
        return _openExistential(type, do: typed)
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

    /// Calls the property's own getter: a function whose context is the object, and which returns the value in registers.
    ///
    /// The compiler may have removed the returned value, if no code uses it. So no word of it is used here, not even to release the
    /// value: only types without references, and `String`, whose text then stays in memory once for each class.
    private static func callingOwn(_ address: UInt, _ type: Any.Type) -> ((AnyObject) -> Void)? {
        guard directlyReturned.contains(where: { $0 == type }) else { return nil }
        return { object in
            let context = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
            unsafeBitCast((address, context), to: (() -> Void).self)()
        }
    }

    private static let directlyReturned: [Any.Type] = [
        Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
        UInt32.self,
        UInt64.self, Double.self, Float.self, String.self, Bool?.self, Int?.self, Double?.self, String?.self,
    ]
}

/// The form of the demangled symbol of a property's function: the name stands between the owner and a separator, then the type.
private struct SymbolForm {
    typealias Function = (type: String, address: UInt)

    let start: String
    let separator: String
    let end: String

    static func keyPathGetter(of owner: String) -> SymbolForm {
        SymbolForm(start: "key path getter for \(owner).", separator: " : ", end: " : \(owner)")
    }

    static func getter(of owner: String) -> SymbolForm {
        SymbolForm(start: "\(owner).", separator: ".getter : ", end: "")
    }

    /// The functions of this form, by the names of their properties.
    func functions(_ symbols: [(name: String, address: UInt)]) -> [String: Function] {
        var found: [String: Function] = [:]
        for symbol in symbols {
            guard let text = HeapSymbols.demangled(symbol.name), text.hasPrefix(start), text.hasSuffix(end) else {
                continue
            }
            let rest = text.dropFirst(start.count).dropLast(end.count)
            guard let middle = rest.range(ofFirst: separator) else { continue }
            found[Self.name(rest[..<middle])] = (String(rest[middle...].dropFirst(separator.count)), symbol.address)
        }
        return found
    }

    /// The names that follow the owner's in any symbol.
    static func names(of owner: String, in symbols: [(name: String, address: UInt)]) -> Set<String> {
        let start = "\(owner)."
        var found: Set<String> = []
        for symbol in symbols {
            guard let text = HeapSymbols.demangled(symbol.name).map({ Substring($0) }),
                let place = text.range(ofFirst: start)
            else { continue }
            let rest = text[place...].dropFirst(start.count)
            found.insert(name(rest.hasPrefix("(") ? rest : rest.prefix { !".: ".contains($0) }))
        }
        return found
    }

    /// The name without the file of a private property: "(name in _0F3A)".
    private static func name(_ text: Substring) -> String {
        guard text.hasPrefix("("), let end = text.range(ofFirst: " in ") else { return String(text) }
        return String(text[..<end].dropFirst())
    }
}
