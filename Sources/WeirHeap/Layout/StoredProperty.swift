/// A stored property that a class or a structure declares itself, as reflection metadata tells it.
package struct StoredProperty {
    /// Whether it may be read: what it refers to is alive, and stays so.
    ///
    /// Not of weak ones, which lead back to who holds this object, and not of unowned ones, whose target may be gone: to
    /// read one is the end of the program.
    package let isStrong: Bool
    private let field: FieldRecord
    private let descriptor: TypeDescriptor
    private let arguments: UInt
    /// Where it lies in a value of a structure; nil: in an object.
    package let offset: Int?

    /// The properties of `type` in the order of their declaration, without inherited ones.
    ///
    /// Nil: they are not known, as the type is neither a class nor a structure of Swift, or has no reflection metadata.
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

    /// Its name as it is stored: that of a property with a macro or wrapper begins with '_'.
    package var name: String { field.name }

    /// Its type; nil: it cannot be found.
    package var type: Any.Type? {
        field.type.flatMap { TypeResolver.resolve($0, in: descriptor, arguments: arguments) }?.type
    }
}
