import CWeir
import WeirTrace

extension Trace {
    /// Names the observables of `model` after its properties ('LoginViewModel.username') and records its lifetime.
    ///
    /// Finds nodes in stored properties: those of superclasses, lazy and optional ones too. The model is not held. A node
    /// that two models share keeps the name that its first owner gave. To be called again when properties were made later.
    /// Cost: one reflection of the model.
    ///
    /// - Parameter name: instead of the type's name.
    public static func adopt(_ model: AnyObject, as name: String? = nil) {
        let typeName = String(describing: type(of: model))
        var nodes: [(node: Node, label: String)] = []
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            for child in current.children {
                guard let property = child.label, let node = node(in: child.value) else { continue }
                nodes.append((node, "\(name ?? typeName).\(propertyName(property))"))
            }
            mirror = current.superclassMirror
        }
        let (object, isNew) = Registry.shared.track(model, typeName: typeName, label: name)
        let adopted = Registry.shared.adopt(nodes, by: object)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        if isNew { object.recordTracked(log) }
        for node in adopted { _ = node.redefine(log, again: true) }
    }

    private static func node(in value: Any) -> Node? {
        if let node = value as? Node { return node }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let some = mirror.children.first else { return nil }
        return some.value as? Node
    }

    /// The name as it stands in the source: lazy properties and property wrappers store under another one.
    private static func propertyName(_ stored: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if stored.hasPrefix(lazy) { return String(stored.dropFirst(lazy.count)) }
        if stored.hasPrefix("_") { return String(stored.dropFirst()) }
        return stored
    }
}
