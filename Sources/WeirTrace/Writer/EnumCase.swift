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

    private typealias Name =
        @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UnsafePointer<CChar>?
    private typealias PayloadCount =
        @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Int

    private static let functions: (name: Name, payloadCount: PayloadCount)? = {
        guard let name = weir_exported_address("swift_EnumCaseName"),
            let count = weir_exported_address("swift_reflectionMirror_count")
        else { return nil }
        return (unsafeBitCast(name, to: Name.self), unsafeBitCast(count, to: PayloadCount.self))
    }()

    /// Longest name, in bytes; the case of a longer one is not told.
    private static let longestName = 128

    /// Nil: no enum, or nothing is known of it. Cost: 20 ns, of a case with a payload 1 µs.
    init?<Value>(of value: Value) {
        let metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == Self.kindOfEnums, let functions = Self.functions else { return nil }
        let found = withUnsafePointer(to: value) { value -> EnumCase? in
            guard let name = functions.name(value, metadata) else { return nil }
            let count = strnlen(name, Self.longestName + 1)
            guard count > 0, count <= Self.longestName else { return nil }
            return name.withMemoryRebound(to: UInt8.self, capacity: count) {
                EnumCase(
                    name: UnsafeBufferPointer(start: $0, count: count),
                    hasPayload: functions.payloadCount(value, metadata, metadata) > 0)
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// Of the error's own type.
    init?(ofError error: any Error) {
        func typed<Failure: Error>(_ error: Failure) -> EnumCase? { EnumCase(of: error) }
        guard let found = typed(error) else { return nil }
        self = found
    }

    private init(name: UnsafeBufferPointer<UInt8>, hasPayload: Bool) {
        (self.name, self.hasPayload) = (name, hasPayload)
    }

    /// What stands first in the metadata of an enum that is not `Optional`.
    private static let kindOfEnums: UInt = 0x201
}
