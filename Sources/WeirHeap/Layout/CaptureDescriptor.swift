/// The compiler's description of the captures of a closure.
struct CaptureDescriptor {
    let address: UInt

    /// The descriptor of contexts with this metadata; nil if there is none.
    init?(ofContext metadata: Metadata) {
        let address = Memory.word(metadata.address &+ 16)
        if address < Memory.leastAddress { return nil }
        self.address = address
    }

    /// The number of distinct captures.
    var captureCount: UInt { min(UInt(Memory.half(address)), 1 << 16) }
    /// The number of sources for generic arguments.
    var sourceCount: UInt { min(UInt(Memory.half(address &+ 4)), 1 << 16) }
    /// The number of words at the start of the context that hold metadata and witness tables.
    var bindingCount: UInt { min(UInt(Memory.half(address &+ 8)), 1 << 16) }

    /// The type of the capture at `place`; nil if the compiler left it out.
    func capture(_ place: UInt) -> MangledType? {
        MangledType(at: Memory.relative(address &+ 12 &+ place &* 4))
    }

    /// A generic parameter, and the source of its argument.
    func source(_ place: UInt) -> (parameter: MangledType, text: MangledType)? {
        let record = address &+ 12 &+ captureCount &* 4 &+ place &* 8
        guard let parameter = MangledType(at: Memory.relative(record)),
            let text = MangledType(at: Memory.relative(record &+ 4))
        else { return nil }
        return (parameter, text)
    }

    /// The number of arguments with which the closure is called: sources count them before the captures.
    ///
    /// The descriptor does not give it. It is the least number by which each source leads to a capture that mentions its parameter.
    var argumentCount: Int {
        let sources = (0..<sourceCount).compactMap(source)
        let captures = (0..<captureCount).map { capture($0).flatMap(MangledScanner.tokens) ?? [] }
        func fits(_ count: Int) -> Bool {
            sources.allSatisfy { parameter, text in
                guard let number = MetadataSource.capture(of: text) else { return true }
                guard let wanted = MangledScanner.tokens(of: parameter)?.first else { return false }
                return captures.indices.contains(number - count)
                    && captures[number - count].contains {
                        $0.kind == .generic && ($0.depth, $0.index) == (wanted.depth, wanted.index)
                    }
            }
        }
        return (0..<32).first(where: fits) ?? 0
    }

    /// Whether the bindings alone determine the types of the captures.
    var needsBindingsOnly: Bool {
        for place in 0..<sourceCount {
            if let source = source(place), source.text.byte(0) != UInt8(ascii: "B") { return false }
        }
        return true
    }
}

/// Finds the metadata that a source names.
///
/// `B1` is the second binding, `R0` the class of the first capture, `M0` the metadata in the first capture, and `G1R0_` the
/// second generic argument of `R0`.
struct MetadataSource {
    private let text: MangledType
    private var place: UInt = 0
    var context: UInt = 0
    var firstBinding: UInt = 0
    /// The offsets of the captures laid out so far.
    var captures: [UInt] = []
    var argumentCount = 0

    init(_ text: MangledType) { self.text = text }

    /// The metadata; nil if it is missing or not available yet.
    mutating func metadata(_ memory: MemoryMap) -> Metadata? {
        place = 0
        guard let metadata = next(memory, depth: 0), memory.isType(metadata.address) else { return nil }
        return metadata
    }

    private mutating func number() -> Int? {
        var value = 0
        let start = place
        while case 48...57 = text.byte(place), value < 1 << 16 {
            value = value * 10 + Int(text.byte(place) - 48)
            place &+= 1
        }
        return place > start && value < 1 << 16 ? value : nil
    }

    /// The number after R or M, which counts the closure's arguments and then its captures; nil: the source names no capture.
    static func capture(of text: MangledType) -> Int? {
        var source = MetadataSource(text)
        while source.place < text.length {
            let letter = text.byte(source.place)
            source.place &+= 1
            if letter == UInt8(ascii: "R") || letter == UInt8(ascii: "M") { return source.number() }
        }
        return nil
    }

    /// The number of the binding that the text after `start` names; nil if it is a path through something else.
    static func binding(of text: MangledType, from start: UInt) -> Int? {
        guard text.byte(start) == UInt8(ascii: "B") else { return nil }
        var source = MetadataSource(text)
        source.place = start &+ 1
        guard let number = source.number(), source.place == text.length else { return nil }
        return number
    }

    private func offset(_ number: Int) -> UInt? {
        captures.indices.contains(number - argumentCount) ? captures[number - argumentCount] : nil
    }

    private mutating func next(_ memory: MemoryMap, depth: Int) -> Metadata? {
        guard depth < 16 else { return nil }
        let letter = text.byte(place)
        place &+= 1
        guard let number = number() else { return nil }
        func metadata(at address: UInt) -> Metadata? {
            guard memory.isReadable(address, 8) else { return nil }
            let word = Memory.word(address)
            return word < Memory.leastAddress ? nil : Metadata(word)
        }
        switch UnicodeScalar(letter) {
        case "B": return metadata(at: context &+ firstBinding &+ UInt(number) &* 8)
        case "R":
            guard let object = offset(number).flatMap({ metadata(at: context &+ $0) }) else { return nil }
            return metadata(at: object.address)
        case "M": return offset(number).flatMap { metadata(at: context &+ $0) }
        case "G":
            guard let base = next(memory, depth: depth + 1), memory.isType(base.address) else { return nil }
            if text.byte(place) == UInt8(ascii: "_") { place &+= 1 }
            return base.genericArgument(number)
        default: return nil
        }
    }
}

/// The known generic arguments of a closure, by depth and index.
struct GenericEnvironment: Hashable {
    private(set) var levels: [[UInt]] = []

    /// An environment without known arguments.
    init() {}

    /// The argument for the parameter at `depth` and `index`; nil if it is unknown.
    subscript(depth: Int, index: Int) -> Metadata? {
        get {
            guard depth < levels.count, index < levels[depth].count, levels[depth][index] != 0 else { return nil }
            return Metadata(levels[depth][index])
        }
        set {
            // No program nests this deeply: the name is damaged.
            guard depth < 64, index < 256 else { return }
            while levels.count <= depth { levels.append([]) }
            while levels[depth].count <= index { levels[depth].append(0) }
            levels[depth][index] = newValue?.address ?? 0
        }
    }

    /// Whether `name` contains no generic parameter but those whose arguments are known.
    private func knowsParameters(of name: MangledType) -> Bool {
        guard let tokens = MangledScanner.tokens(of: name) else { return !name.mentionsGenerics }
        return tokens.allSatisfy { $0.kind != .generic || self[$0.depth, $0.index] != nil }
    }

    /// The type that `name` denotes with these arguments; nil if it cannot be found.
    ///
    /// The environment is built by hand, without requirements: the runtime looks up conformances itself. It ends the process over
    /// a parameter without argument and over a pack, so it is not asked about names that may contain one.
    @inline(never)
    func resolve(_ name: MangledType) -> Metadata? {
        guard knowsParameters(of: name) else { return nil }
        if levels.isEmpty { return TypeResolver.resolve(name) }
        guard let text = UnsafePointer<UInt8>(bitPattern: name.address) else { return nil }
        let parameters = levels.reduce(0) { $0 + $1.count }
        // The number of levels and of requirements, the parameters up to each level, then a flag for each parameter.
        let size = 4 + levels.count * 2 + parameters
        let home = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { home.deallocate() }
        home.storeBytes(of: UInt32(levels.count), as: UInt32.self)
        var total: UInt16 = 0
        for (place, level) in levels.enumerated() {
            total += UInt16(level.count)
            home.storeBytes(of: total, toByteOffset: 4 + place * 2, as: UInt16.self)
        }
        let typeParameterWithArgument: UInt8 = 0x80
        for place in 0..<parameters {
            home.storeBytes(of: typeParameterWithArgument, toByteOffset: 4 + levels.count * 2 + place, as: UInt8.self)
        }
        let void = Metadata(Void.self).address
        return levels.flatMap(\.self).map { $0 == 0 ? void : $0 }.withUnsafeBufferPointer { arguments in
            guard let start = arguments.baseAddress else { return TypeResolver.resolve(name) }
            return TypeQuestion.about(name) {
                _getTypeByMangledNameInEnvironment(
                    text, name.length, genericEnvironment: home, genericArguments: UnsafeRawPointer(start)
                ).map(Metadata.init)
            }
        }
    }
}
