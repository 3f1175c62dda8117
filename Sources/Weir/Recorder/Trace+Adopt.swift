import CWeir
import WeirTrace

extension Trace {
    /// Names the observables of `model` after its properties ('LoginViewModel.username') and records its lifetime.
    ///
    /// Finds nodes in stored properties: those of superclasses, lazy and optional ones too; of a command or channel, the
    /// parts as well ('LoginViewModel.login.isExecuting'). The model is not held. A node that two models share keeps the
    /// name that its first owner gave. To be called again when properties were made later.
    /// Cost: one reflection of the model.
    ///
    /// - Parameter name: instead of the type's name.
    public static func adopt(_ model: AnyObject, as name: String? = nil) {
        let typeName = String(describing: type(of: model))
        var nodes: [(node: Node, label: String)] = []
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            for child in current.children {
                guard let property = child.label else { continue }
                let label = "\(name ?? typeName).\(propertyName(property))"
                for (part, node) in parts(of: child.value) { nodes.append((node.tracedNode, label + part)) }
            }
            mirror = current.superclassMirror
        }
        let (object, news) = Registry.shared.track(model, label: name)
        let adopted = Registry.shared.adopt(nodes, by: object)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        object.record(news, log)
        for node in adopted { _ = node.redefine(log, again: true) }
    }

    /// The nodes in a property, and what each adds to its name.
    private static func parts(of value: Any) -> [(name: String, node: Node)] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.map { parts(of: $0.value) } ?? [] }
        let whole = (value as? Node).map { [(name: "", node: $0)] } ?? []
        return whole + ((value as? any Composite)?.parts.map { (name: ".\($0.name)", node: $0.node) } ?? [])
    }

    /// The name as it stands in the source: lazy properties and property wrappers store under another one.
    private static func propertyName(_ stored: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if stored.hasPrefix(lazy) { return String(stored.dropFirst(lazy.count)) }
        if stored.hasPrefix("_") { return String(stored.dropFirst()) }
        return stored
    }
}
