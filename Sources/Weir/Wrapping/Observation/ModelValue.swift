#if Recording
import WeirRecording

/// Decides which types of values may contain observable models.
enum ModelValue {
    static func mayHoldModels(_ type: Any.Type) -> Bool {
        if PlainType.contains(type) { return false }
        if let collection = type as? any ModelCollection.Type { return mayBeModel(collection.element) }
        if let optional = type as? any OptionalModel.Type { return mayHoldModels(optional.wrapped) }
        return true
    }

    /// Whether values of the type consist only of models.
    static func isModels(_ type: Any.Type) -> Bool {
        if let collection = type as? any ModelCollection.Type { return isModels(collection.element) }
        if let optional = type as? any OptionalModel.Type { return isModels(optional.wrapped) }
        return type is AnyClass
    }

    /// Whether an element may be a model: structures in collections are not searched.
    private static func mayBeModel(_ type: Any.Type) -> Bool {
        if let optional = type as? any OptionalModel.Type { return mayBeModel(optional.wrapped) }
        return type is AnyClass || StoredProperty.all(of: type) == nil && !PlainType.contains(type)
    }
}

/// A collection that may contain models.
protocol ModelCollection {
    static var element: Any.Type { get }
    /// The elements or values in the order of the collection; nil: they are not of a class.
    var objects: [ObjectIdentifier]? { get }
}

extension Array: ModelCollection {
    static var element: Any.Type { Element.self }
    var objects: [ObjectIdentifier]? { ModelValue.objects(self) }
}

extension Set: ModelCollection {
    static var element: Any.Type { Element.self }
    var objects: [ObjectIdentifier]? { ModelValue.objects(self) }
}

extension Dictionary: ModelCollection {
    static var element: Any.Type { Value.self }
    var objects: [ObjectIdentifier]? { ModelValue.objects(values) }
}

extension ModelValue {
    fileprivate static func objects<Elements: Collection>(_ elements: Elements) -> [ObjectIdentifier]? {
        guard Elements.Element.self is AnyClass else { return nil }
        return elements.map { ObjectIdentifier(unsafeBitCast($0, to: AnyObject.self)) }
    }
}

protocol OptionalModel {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalModel { static var wrapped: Any.Type { Wrapped.self } }
#endif
