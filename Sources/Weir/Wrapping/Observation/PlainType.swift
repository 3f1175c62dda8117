#if Recording
/// Types whose values hold no object: numbers and other trivial types, text, and optionals and arrays of these.
enum PlainType {
    static func contains(_ type: Any.Type) -> Bool {
        if type == String.self { return true }
        if let wrapper = type as? any PlainWrapper.Type { return wrapper.isPlain }
        func isTrivial<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) }
        return _openExistential(type, do: isTrivial)
    }
}

private protocol PlainWrapper {
    static var isPlain: Bool { get }
}

extension Optional: PlainWrapper {
    static var isPlain: Bool { PlainType.contains(Wrapped.self) }
}

extension Array: PlainWrapper {
    static var isPlain: Bool { PlainType.contains(Element.self) }
}
#endif
