extension Plans {
    /// The noncopyable type of a field, which the runtime does not report; nil if it cannot be found.
    ///
    /// The type survives only in the linker's name of the field's type: "get_type_metadata", the generic signature that ends with
    /// an l, the type, "noncopyable". The runtime cannot find noncopyable types by name either, so a reference to its descriptor
    /// replaces the outermost one.
    func noncopyableType(of type: MangledType, in descriptor: TypeDescriptor, arguments: UInt) -> Metadata? {
        guard let symbol = symbols.symbolName(at: type.address) else { return nil }
        let words = symbol.split(separator: " ")
        guard words.count == 3, words[0] == "get_type_metadata", words[2].hasPrefix("noncopyable") else { return nil }
        let name = Array(words[1].utf8)
        if !descriptor.isGeneric {
            return noncopyableType(name[...], near: type, in: descriptor, arguments: arguments)
                ?? noncopyableType(written: words[1], near: type)
        }
        for place in name.indices where name[place] == UInt8(ascii: "l") {
            let rest = name[(place + 1)...]
            if let found = noncopyableType(rest, near: type, in: descriptor, arguments: arguments) { return found }
        }
        return nil
    }

    private func noncopyableType(
        _ name: ArraySlice<UInt8>, near type: MangledType, in descriptor: TypeDescriptor, arguments: UInt
    ) -> Metadata? {
        guard let end = endOfNominal(name) else { return nil }
        let nominal = String(decoding: name[..<end], as: UTF8.self)
        guard let nominalDescriptor = symbols.address(named: "$s\(nominal)Mn", inModuleAt: type.address) else {
            return nil
        }
        // Packs must not reach the runtime, nor any name that was not parsed.
        let rest = Array(name[end...])
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16 + 5 + rest.count + 1, alignment: 16)
        memory.storeBytes(of: nominalDescriptor, as: UInt.self)
        memory.storeBytes(of: 2, toByteOffset: 16, as: UInt8.self)
        memory.storeBytes(of: Int32(-17), toByteOffset: 17, as: Int32.self)
        (memory + 21).copyMemory(from: rest, byteCount: rest.count)
        memory.storeBytes(of: 0, toByteOffset: 21 + rest.count, as: UInt8.self)
        let copy = MangledType(address: UInt(bitPattern: memory) + 16, length: UInt(5 + rest.count))
        guard MangledScanner.tokens(of: copy) != nil else {
            memory.deallocate()
            return nil
        }
        // Never freed: the runtime may keep the name.
        return TypeResolver.resolve(copy, in: descriptor, arguments: arguments)
    }

    /// The end of the names and kinds of a type and its enclosing types; nil if the name begins otherwise.
    private func endOfNominal(_ name: ArraySlice<UInt8>) -> Int? {
        var place = name.startIndex
        while place < name.endIndex {
            switch name[place] {
            case 49...57:
                var length = 0
                while place < name.endIndex, (48...57).contains(name[place]), length < 1 << 16 {
                    length = length * 10 + Int(name[place] - 48)
                    place += 1
                }
                place += length
            case UInt8(ascii: "L") where place + 1 < name.endIndex && name[place + 1] == UInt8(ascii: "L"): place += 2
            case UInt8(ascii: "V"), UInt8(ascii: "O"), UInt8(ascii: "C"): place += 1
            default: return place > name.startIndex ? place : nil
            }
        }
        return place == name.endIndex ? place : nil
    }
}

extension Plans {
    /// The type with this name, which the runtime cannot find by it: a private type in it has a name of its own, and abbreviations refer
    /// to the text before. References to the descriptors replace all its names. Nil if one of them is not in the program, or if it has
    /// other parts than nominal types.
    private func noncopyableType(written mangled: Substring, near type: MangledType) -> Metadata? {
        guard let text = HeapSymbols.demangled("$s\(mangled)D") else { return nil }
        var name = SymbolicName()
        guard append(text[...], to: &name, near: type) else { return nil }
        return TypeResolver.resolve(name.copy())
    }

    /// Appends a type, as the demangler writes it: "Synchronization.Mutex<App.(State in _F33)>".
    private func append(_ text: Substring, to name: inout SymbolicName, near type: MangledType) -> Bool {
        let nominal = text.prefix { $0 != "<" }
        if let known = Self.standardTypes[nominal] {
            name.append(known)
        } else if let descriptor = descriptor(named: nominal, near: type) {
            name.append(descriptor)
        } else {
            return false
        }
        guard nominal.endIndex < text.endIndex else { return true }
        guard let (inside, after) = text[nominal.endIndex...].brackets(), after.isEmpty else { return false }
        name.append("y")
        guard inside.split(outside: ", ").allSatisfy({ append($0, to: &name, near: type) }) else { return false }
        name.append("G")
        return true
    }

    /// The address of the descriptor of a type that is not generic in its enclosing types: "App.Store.(State in _F33)".
    private func descriptor(named name: Substring, near type: MangledType) -> UInt? {
        let parts = name.split(separator: ".")
        guard let module = parts.first, name.first != "(" else { return nil }
        // A type of a library.
        if parts.count == 2, !parts[1].hasPrefix("(") {
            let path = parts.map { "\($0.utf8.count)\($0)" }.joined()
            for kind in ["V", "O", "C"] {
                if let found = symbols.address(named: "$s\(path)\(kind)Mn", inModuleAt: type.address) { return found }
            }
        }
        let all = descriptors.named(in: String(module)) {
            let found = symbols.symbols(
                from: "$s\(module.utf8.count)\(module)", to: "Mn", inModuleAt: type.address)
            return Dictionary(
                found.compactMap { symbol in
                    HeapSymbols.demangled(symbol.name).flatMap { text in
                        text.hasPrefix(Self.descriptorWords)
                            ? (String(text.dropFirst(Self.descriptorWords.count)), symbol.address) : nil
                    }
                }, uniquingKeysWith: { first, _ in first })
        }
        return all[String(name)]
    }

    private static let descriptorWords = "nominal type descriptor for "

    private static let standardTypes: [Substring: String] = [
        "Swift.Int": "Si", "Swift.UInt": "Su", "Swift.String": "SS", "Swift.Bool": "Sb", "Swift.Double": "Sd",
        "Swift.Float": "Sf", "Swift.Array": "Sa", "Swift.Dictionary": "SD", "Swift.Set": "Sh", "Swift.Optional": "Sq",
    ]
}

/// The type descriptors of a module of the program, by their names.
struct DescriptorNames {
    private var known: [String: [String: UInt]] = [:]

    mutating func named(in module: String, _ find: () -> [String: UInt]) -> [String: UInt] {
        if let found = known[module] { return found }
        let found = find()
        known[module] = found
        return found
    }
}

/// A mangled name with references to descriptors.
private struct SymbolicName {
    private var bytes: [UInt8] = []
    /// The references, with the places of their offsets in the bytes.
    private var references: [(place: Int, descriptor: UInt)] = []

    mutating func append(_ text: String) { bytes += text.utf8 }

    mutating func append(_ descriptor: UInt) {
        // An indirect reference; its offset is known only in memory.
        bytes.append(2)
        references.append((bytes.count, descriptor))
        bytes += [0, 0, 0, 0]
    }

    /// A copy in memory, which is never freed: the runtime may keep the name.
    func copy() -> MangledType {
        let table = references.count * 8
        let memory = UnsafeMutableRawPointer.allocate(byteCount: table + bytes.count + 1, alignment: 16)
        (memory + table).copyMemory(from: bytes, byteCount: bytes.count)
        memory.storeBytes(of: 0, toByteOffset: table + bytes.count, as: UInt8.self)
        for (number, reference) in references.enumerated() {
            memory.storeBytes(of: reference.descriptor, toByteOffset: number * 8, as: UInt.self)
            let offset = Int32(number * 8 - (table + reference.place))
            memory.storeBytes(of: offset, toByteOffset: table + reference.place, as: Int32.self)
        }
        return MangledType(address: UInt(bitPattern: memory) + UInt(table), length: UInt(bytes.count))
    }
}
