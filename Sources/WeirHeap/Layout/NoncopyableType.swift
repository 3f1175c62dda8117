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
