/// Asks the runtime for types by their mangled names.
enum TypeResolver {
    /// The type that `name` denotes in a declaration; nil if it cannot be found.
    @inline(never)
    static func resolve(_ name: MangledType, in context: TypeDescriptor? = nil, arguments: UInt = 0) -> Metadata? {
        guard let text = UnsafePointer<UInt8>(bitPattern: name.address) else { return nil }
        return TypeQuestion.about(name) {
            _getTypeByMangledNameInContext(
                text, name.length, genericContext: UnsafeRawPointer(bitPattern: context?.address ?? 0),
                genericArguments: UnsafeRawPointer(bitPattern: arguments)
            ).map(Metadata.init)
        }
    }

    /// A builtin type, for example `Bo`; nil if this runtime has none.
    static func builtin(_ name: StaticString) -> Metadata? {
        resolve(MangledType(address: UInt(bitPattern: name.utf8Start), length: UInt(name.utf8CodeUnitCount)))
    }
}
