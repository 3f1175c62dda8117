import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the language's runtime says of the case of an enum, as it does for mirrors.
///
/// Nothing of the program runs for it. A program that is built without reflection metadata, or linked with the standard
/// library in one file, does not say.
struct EnumCase {
    /// UTF-8; lives as long as the program.
    let name: UnsafeBufferPointer<UInt8>
    let hasPayload: Bool

    /// Those that a thread has come by: of a case with a payload the runtime takes a microsecond.
    struct Cache {
        fileprivate var cases: [Place: EnumCase] = [:]
        fileprivate static let mostCases = 1000
    }

    /// What two values of the same case have in common.
    fileprivate struct Place: Hashable {
        let type: UnsafeRawPointer
        let tag: UInt32
    }

    /// Nil: no enum, or nothing is known of it. Cost: 40 ns, and a microsecond for each case once.
    static func of<Value>(_ value: Value, _ cache: inout Cache) -> EnumCase? {
        let type = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
        guard TypeKind(type) == .enumeration else { return nil }
        return withUnsafePointer(to: value) { value in
            let place = tag(of: value, type).map { Place(type: type, tag: $0) }
            if let place, let found = cache.cases[place] { return found }
            guard let found = found(value, type) else { return nil }
            if let place, cache.cases.count < Cache.mostCases { cache.cases[place] = found }
            return found
        }
    }

    /// Of the error's own type.
    static func of(error: any Error, _ cache: inout Cache) -> EnumCase? {
        func typed<Failure: Error>(_ error: Failure) -> EnumCase? { of(error, &cache) }
        return typed(error)
    }

    /// Asks the runtime. Precondition: the type is an enum, and not `Optional`.
    static func found(_ value: UnsafeRawPointer, _ type: UnsafeRawPointer) -> EnumCase? {
        functions?.enumCase(value, type)
    }

    // MARK: What the runtime knows

    private struct Functions {
        private typealias Name = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UnsafePointer<CChar>?
        private typealias Count = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Int
        private let name: Name
        private let payloadCount: Count

        init?() {
            guard let name = weir_exported_address("swift_EnumCaseName"),
                let count = weir_exported_address("swift_reflectionMirror_count")
            else { return nil }
            self.name = unsafeBitCast(name, to: Name.self)
            payloadCount = unsafeBitCast(count, to: Count.self)
        }

        /// Longest name, in bytes; the case of a longer one is not told.
        private static let longestName = 128

        func enumCase(_ value: UnsafeRawPointer, _ type: UnsafeRawPointer) -> EnumCase? {
            guard let name = name(value, type) else { return nil }
            let count = strnlen(name, Self.longestName + 1)
            guard count > 0, count <= Self.longestName else { return nil }
            let bytes = UnsafeBufferPointer(
                start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: count)
            return EnumCase(name: bytes, hasPayload: payloadCount(value, type, type) > 0)
        }
    }

    private static let functions = Functions()

    // MARK: Which case, without its name

    private enum Trial { case first(Int), second(AnyObject), third, fourth }

    /// Whether types tell the number of a case where they are expected to.
    private static let tellsTags: Bool = {
        let type = unsafeBitCast(Trial.self as Any.Type, to: UnsafeRawPointer.self)
        let values = [Trial.third, .fourth, .first(-1), .first(1)]
        let optional = unsafeBitCast(Int?.self as Any.Type, to: UnsafeRawPointer.self)
        return values.map { value in withUnsafePointer(to: value) { readTag(of: $0, type) } } == [2, 3, 0, 0]
            && [1, nil].map { value in withUnsafePointer(to: value) { readTag(of: $0, optional) } } == [0, 1]
    }()

    /// The number of the case of an enum or optional; nil: the type does not tell.
    static func tag(of value: UnsafeRawPointer, _ type: UnsafeRawPointer) -> UInt32? {
        tellsTags ? readTag(of: value, type) : nil
    }

    /// Asks the type's table of functions on its values, which stands before its metadata.
    private static func readTag(of value: UnsafeRawPointer, _ type: UnsafeRawPointer) -> UInt32? {
        #if _ptrauth(_arm64e)
            return nil
        #else
            typealias Tag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
            let word = MemoryLayout<UInt>.size
            let table = (type - word).load(as: UnsafeRawPointer.self)
            // Behind eight functions and two sizes; then come those of enums alone.
            guard table.load(fromByteOffset: 10 * word, as: UInt32.self) & 0x20_0000 != 0 else { return nil }
            return table.load(fromByteOffset: 11 * word, as: Tag.self)(value, type)
        #endif
    }
}
