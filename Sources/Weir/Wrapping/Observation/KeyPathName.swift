#if Recording
import WeirRecording

/// The names of key paths in the source: 'name', 'child.name'.
///
/// The standard library names the properties of an observable class if the system does. On Linux it gives the address of the
/// function that the key path reads with, which has no name in an optimized program. But next to it the key path holds the
/// identity by which it equals another one of the same property: its own getter, or the entry in the class's table, whose symbol
/// contains the name. A stripped program has none.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum KeyPathName {
    /// The known facts about the steps of a key path.
    struct Steps {
        /// The name in the source, with '[…]' for an unknown index; nil: unknown.
        var name: String?
        /// The numbers, from 0, of steps that end the program if their value is missing: indices, unwrapped optionals, and steps
        /// that may be either.
        var uncertain: [Int] = []
        /// Whether those are only indices of arrays and unwrapped optionals.
        var isStandard = true
        /// Whether the key path holds indices or keys, which may be objects of the program.
        var hasArguments = false
    }

    nonisolated(unsafe) private static var known: [AnyKeyPath: Steps] = [:]
    nonisolated(unsafe) private static var knownParts: [AnyKeyPath: [String]] = [:]
    private static let lock = SystemLock()
    /// Used inside the lock.
    nonisolated(unsafe) private static let symbols = HeapSymbols()

    /// The name; nil: unknown.
    static func of(_ keyPath: AnyKeyPath) -> String? { steps(of: keyPath).name }

    static func steps(of keyPath: AnyKeyPath) -> Steps {
        if let found = lock.withLock({ known[keyPath] }) { return found }
        let description = RuntimeNames.description(of: keyPath)
        return lock.withLock {
            let steps = steps(in: Substring(description), of: keyPath)
            // The table keeps its key paths permanently, and with them any objects that they hold.
            if !steps.hasArguments { known[keyPath] = steps }
            return steps
        }
    }

    /// From "\Model.<computed 0x55d1 (String)>", or "\Model.name".
    private static func steps(in description: Substring, of keyPath: AnyKeyPath) -> Steps {
        let root = RuntimeNames.name(of: type(of: keyPath).rootType)
        var rest = description.dropFirst(description.hasPrefix("\\") ? 1 : 0)
        guard rest.hasPrefix(root) else { return Steps(uncertain: [.max], isStandard: false, hasArguments: true) }
        rest = rest.dropFirst(root.count)
        var (name, isNamed, isStandard, holdsArguments) = ("", true, true, false)
        var (number, uncertain): (Int, [Int]) = (-1, [])
        /// The type of the last part that has one.
        var type = ""
        while let next = rest.first {
            if rest.hasPrefix("<computed 0x") {
                let digits = rest.dropFirst("<computed 0x".count).prefix { $0.isHexDigit }
                guard let address = UInt(digits, radix: 16), let after = end(ofAngles: rest) else {
                    return Steps(uncertain: uncertain + [.max], isStandard: false, hasArguments: true)
                }
                let collection = type
                type = String(rest[..<after].drop { $0 != "(" }.dropFirst().dropLast(2))
                let isArrayElement = rest.hasPrefix(arrayElement)
                let isDictionaryValue = rest.hasPrefix(dictionaryValue)
                let isIndex = isArrayElement || isDictionaryValue || isElement(type, of: collection)
                let hasArguments = hasArguments(readAt: address, in: keyPath) != false
                holdsArguments = holdsArguments || isIndex || hasArguments
                let property = isIndex ? nil : property(readAt: address, in: keyPath)
                if let property, property != "subscript" {
                    name += property
                } else if isIndex || property != nil || hasArguments {
                    name = name.dropLast(name.hasSuffix(".") ? 1 : 0) + unknownIndex
                    // A dictionary has nil for a missing key; the behaviour of a subscript of the program is unknown.
                    if !isDictionaryValue { uncertain.append(number) }
                    isStandard = isStandard && (isArrayElement || isDictionaryValue)
                } else {
                    isNamed = false
                }
                rest = rest[after...]
            } else {
                if next == "." { number += 1 } else { type = "" }
                if next == "!" { uncertain.append(number) }
                name.append(next)
                rest.removeFirst()
            }
        }
        name = String(name.drop { $0 == "." })
        // Its type already says that the whole is optional.
        if name.hasSuffix("?") { name.removeLast() }
        isNamed = isNamed && !name.isEmpty && !name.contains("<")
        return Steps(
            name: isNamed ? name : nil, uncertain: uncertain, isStandard: isStandard, hasArguments: holdsArguments)
    }

    /// How descriptions write the steps of the standard library's subscripts: by the address of the getter, for any contents.
    private static let arrayElement = step(of: \[Int].[0])
    private static let dictionaryValue = step(of: \[Int: Int].[0])

    /// "<computed 0x55d1 " for a key path with one computed step.
    private static func step(of keyPath: AnyKeyPath) -> String {
        let step = RuntimeNames.description(of: keyPath).drop { $0 != "." }.dropFirst().prefix { $0 != "(" }
        // Never the beginning of another step, even if descriptions have another form.
        return step.hasPrefix("<computed 0x") ? String(step) : "no step"
    }

    /// For 'selected?.note.text': 'note' and 'text'.
    static func namesAfterOptional(of keyPath: AnyKeyPath) -> [String] {
        guard let name = of(keyPath) else { return [] }
        return name.drop { $0 != "?" }.split { ".?![]…".contains($0) }.map(String.init)
    }

    /// The text for an index that a key path does not reveal.
    static let unknownIndex = "[…]"

    /// Whether a part of type `type`, after one of type `collection`, is an element of that collection.
    private static func isElement(_ type: String, of collection: String) -> Bool {
        if collection == "Array<\(type)>" { return true }
        let value = type.hasPrefix("Optional<") ? type.dropFirst("Optional<".count).dropLast() : Substring(type)
        return collection.hasPrefix("Dictionary<") && collection.hasSuffix(", \(value)>")
    }

    /// Whether it leads through a property to a part of that property's value.
    static func isCompound(_ keyPath: AnyKeyPath) -> Bool { parts(of: keyPath).count > 1 }

    /// Whether its value may be missing: possibly an element of an array, or an unwrapped optional.
    static func mayTrap(_ keyPath: AnyKeyPath) -> Bool {
        let parts = parts(of: keyPath)
        return parts.dropFirst().contains { $0.hasPrefix("<computed") } || !steps(of: keyPath).uncertain.isEmpty
    }

    private static func parts(of keyPath: AnyKeyPath) -> [String] {
        if let found = lock.withLock({ knownParts[keyPath] }) { return found }
        let found = splitParts(of: keyPath)
        lock.withLock { knownParts[keyPath] = found }
        return found
    }

    /// The parts between the dots.
    private static func splitParts(of keyPath: AnyKeyPath) -> [String] {
        var depth = 0
        var parts: [String] = []
        let root = RuntimeNames.name(of: type(of: keyPath).rootType)
        for character in RuntimeNames.description(of: keyPath).drop(while: { $0 == "\\" }).dropFirst(root.count) {
            switch character {
            case "." where depth == 0: parts.append("")
            case "<", "(": depth += 1
            case ">", ")": depth -= 1
            default: break
            }
            if character != "." || depth > 0, !parts.isEmpty { parts[parts.count - 1].append(character) }
        }
        return parts
    }

    private static func end(ofAngles text: Substring) -> Substring.Index? {
        var depth = 0
        var last: Character = " "
        for index in text.indices {
            switch text[index] {
            case "<": depth += 1
            // Except that of an arrow.
            case ">" where last != "-":
                depth -= 1
                if depth == 0 { return text.index(after: index) }
            default: break
            }
            last = text[index]
        }
        return nil
    }

    private static func property(readAt getter: UInt, in keyPath: AnyKeyPath) -> String? {
        component(readAt: getter, in: keyPath).flatMap { component in
            property(ofGetter: component.identity)
                ?? implementation(ofMethod: component.identity).flatMap(property(ofGetter:))
        }
    }

    /// Whether the step that reads at `getter` is a subscript, or a property of a generic type; nil: unknown.
    private static func hasArguments(readAt getter: UInt, in keyPath: AnyKeyPath) -> Bool? {
        knowsArguments ? component(readAt: getter, in: keyPath)?.hasArguments : nil
    }

    /// Whether key paths distinguish subscripts from properties in the expected way.
    private static let knowsArguments: Bool = {
        func hasArguments(_ keyPath: AnyKeyPath) -> Bool? {
            let digits = step(of: keyPath).drop { $0 != "x" }.dropFirst().prefix { $0.isHexDigit }
            return UInt(digits, radix: 16).flatMap { component(readAt: $0, in: keyPath)?.hasArguments }
        }
        return hasArguments(\[Int].[0]) == true && hasArguments(\[Int: Int].[0]) == true
            && hasArguments(\[Int].first) == false
    }()

    private static func property(ofGetter address: UInt) -> String? {
        guard let text = symbols.symbolName(at: address).flatMap(HeapSymbols.demangled),
            let name = SymbolName(demangled: text).text?.split(separator: ".").last, !name.contains("(")
        else { return nil }
        return String(name)
    }

    /// Follows an entry of a class's table: flags, then the relative address of the function.
    private static func implementation(ofMethod descriptor: UInt) -> UInt? {
        guard descriptor % 4 == 0, symbols.isInModule(descriptor),
            let place = UnsafeRawPointer(bitPattern: descriptor + 4)
        else { return nil }
        return descriptor &+ 4 &+ UInt(bitPattern: Int(place.load(as: Int32.self)))
    }

    /// For the step that reads at `getter`: the identity of its property, and whether it is a subscript.
    ///
    /// An object's two words and the name for key-value coding are followed by the number of remaining bytes, in the lower 24
    /// bits. A computed step has flags first, then the identity, the getter, the setter if there is one, and the size of the
    /// arguments.
    private static func component(
        readAt getter: UInt, in keyPath: AnyKeyPath
    ) -> (identity: UInt, hasArguments: Bool)? {
        withExtendedLifetime(keyPath) {
            let word = MemoryLayout<UInt>.size
            let start = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque()) + 3 * word
            let count = Int(start.load(as: UInt32.self) & 0xff_ffff) / word
            let words = UnsafeBufferPointer(start: (start + word).assumingMemoryBound(to: UInt.self), count: count)
            return words.indices.dropFirst(2).first { words[$0] == getter }
                .map { place in
                    let flags = words[place - 2]
                    let size = place + (flags & 0x40_0000 != 0 ? 2 : 1)
                    let hasArguments = flags & 0x8_0000 != 0 && size < count && words[size] != 0
                    return (words[place - 1], hasArguments)
                }
        }
    }
}
#endif
