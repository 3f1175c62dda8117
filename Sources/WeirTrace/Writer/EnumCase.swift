import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The case of an enum, as the Swift runtime reports it for mirrors.
///
/// Finding it runs no code of the program. It is unavailable in programs built without reflection metadata, or with a
/// statically linked standard library.
struct EnumCase {
    /// UTF-8; valid for the lifetime of the program.
    let name: UnsafeBufferPointer<UInt8>
    let hasPayload: Bool

    /// The cases that a thread has encountered: the runtime takes a microsecond for a case with a payload.
    struct Cache {
        fileprivate var cases: [Place: EnumCase] = [:]
        fileprivate static let mostCases = 1000
    }

    /// The key of a case: its type and its tag.
    fileprivate struct Place: Hashable {
        let type: UnsafeRawPointer
        let tag: UInt32
    }

    /// The case of a value; nil: not an enum, or its case is unknown. Cost: 40 ns, plus a microsecond once per case.
    static func of<Value>(_ value: Value, _ cache: inout Cache) -> EnumCase? {
        let type = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
        guard TypeKind(type) == .enumeration else { return nil }
        return withUnsafePointer(to: value) { value in
            let place = CaseTag(of: type).map { Place(type: type, tag: $0(value)) }
            if let place, let found = cache.cases[place] { return found }
            guard let found = found(value, type) else { return nil }
            if let place, cache.cases.count < Cache.mostCases { cache.cases[place] = found }
            return found
        }
    }

    /// The case of an error, by its dynamic type; of an error that is no enum, the name of that type.
    static func of(error: any Error, _ cache: inout Cache) -> EnumCase? {
        func typed<Failure: Error>(_ error: Failure) -> EnumCase? {
            let type = unsafeBitCast(Failure.self as Any.Type, to: UnsafeRawPointer.self)
            if TypeKind(type) == .enumeration { return of(error, &cache) }
            let place = Place(type: type, tag: .max)
            if let found = cache.cases[place] { return found }
            guard cache.cases.count < Cache.mostCases, let found = named(Failure.self) else { return nil }
            cache.cases[place] = found
            return found
        }
        return typed(error)
    }

    /// The name of a type in place of a case. Allocates it for the lifetime of the program.
    static func named(_ type: Any.Type) -> EnumCase? {
        let name = Array(RuntimeNames.name(of: type).utf8)
        guard !name.isEmpty, name.count <= longestName else { return nil }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count)
        _ = bytes.initialize(from: name)
        return EnumCase(name: UnsafeBufferPointer(bytes), hasPayload: true)
    }

    /// The longest name in bytes; cases with longer names are not reported.
    private static let longestName = 128

    /// Queries the runtime. Precondition: the type is an enum other than `Optional`.
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

        func enumCase(_ value: UnsafeRawPointer, _ type: UnsafeRawPointer) -> EnumCase? {
            guard let name = name(value, type) else { return nil }
            let count = strnlen(name, EnumCase.longestName + 1)
            guard count > 0, count <= EnumCase.longestName else { return nil }
            let bytes = UnsafeBufferPointer(
                start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: count)
            return EnumCase(name: bytes, hasPayload: payloadCount(value, type, type) > 0)
        }
    }

    private static let functions = Functions()
}
