/// A stored property that a class or a structure declares itself, read from reflection metadata.
package struct StoredProperty {
    /// Whether the property may be read: its target is alive and stays alive.
    ///
    /// False for weak references, which lead back to the holder of this object. Also false for unowned ones, whose target may be
    /// gone: reading one would end the program.
    package let isStrong: Bool
    private let field: FieldRecord
    private let descriptor: TypeDescriptor
    private let arguments: UInt
    /// The offset in a value of a structure; nil for a property of an object.
    package let offset: Int?

    /// The properties of `type` in the order of their declaration, without inherited ones.
    ///
    /// Nil if they are unknown: the type is neither a class nor a structure of Swift, or has no reflection metadata.
    package static func all(of type: Any.Type) -> [StoredProperty]? {
        let metadata = Metadata(type)
        let descriptor: TypeDescriptor
        let arguments: UInt
        switch metadata.kind {
        case .class:
            guard let found = metadata.classDescriptor else { return nil }
            descriptor = found
            arguments = found.isGeneric ? found.immediateMembers(of: metadata) : 0
        case .structure:
            descriptor = metadata.valueDescriptor
            arguments = metadata.valueArguments
        default: return nil
        }
        return descriptor.fields?.enumerated().map { place, field in
            StoredProperty(
                isStrong: field.type.map { $0.ownership == .strong } ?? true, field: field, descriptor: descriptor,
                arguments: arguments,
                offset: metadata.kind == .structure ? Int(descriptor.fieldOffset(place, of: metadata)) : nil)
        }
    }

    /// The stored name. For a property with a macro or wrapper it begins with '_'.
    package var name: String { field.name }

    /// The type; nil if it cannot be found.
    package var type: Any.Type? {
        field.type.flatMap { TypeResolver.resolve($0, in: descriptor, arguments: arguments) }?.type
    }
}
