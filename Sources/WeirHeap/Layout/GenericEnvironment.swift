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
