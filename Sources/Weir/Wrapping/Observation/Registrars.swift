#if Recording
import Observation
import WeirRecording

/// The registrars that an observable model stores: one for each of its classes that has the macro.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
enum Registrars {
    /// The registrars of the model, that of the most derived class first; no other property is read.
    static func all(of model: AnyObject) -> [ObservationRegistrar] {
        var found: [ObservationRegistrar] = []
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            mirror = current.superclassMirror
            let properties = StoredProperty.all(of: current.subjectType) ?? []
            guard let place = properties.firstIndex(where: { $0.name == "_$observationRegistrar" }),
                properties.count == current.children.count,
                let child = current.children.dropFirst(place).first?.value
            else { continue }
            if let registrar = child as? ObservationRegistrar { found.append(registrar) }
        }
        return found
    }

    /// Reports a read of a property to the model's registrars, without reading the property.
    static func access(_ keyPath: AnyKeyPath, of model: AnyObject) {
        let registrars = all(of: model)
        func valued<Value>(_: Value.Type) {
            func rooted<Root: Observation.Observable>(_: Root.Type) {
                guard let model = model as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return }
                // A class and each of its superclasses have their own registrar; for the others this has no effect.
                for registrar in registrars { registrar.access(model, keyPath: keyPath) }
            }
            if let root = type(of: keyPath).rootType as? any Observation.Observable.Type { rooted(root) }
        }
        _openExistential(type(of: keyPath).valueType, do: valued)
    }

    /// The identity of the registrar in an access list.
    static func identity(of registrar: ObservationRegistrar) -> ObjectIdentifier? {
        guard let buffer = Mirror(reflecting: registrar).descendant("extent", "context", "state", "buffer") else {
            return nil
        }
        return ObjectIdentifier(buffer as AnyObject)
    }
}
#endif
