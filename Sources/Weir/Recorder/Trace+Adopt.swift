import CWeir
import WeirTrace

extension Trace {
    /// Names the observables of `model` after its properties ('LoginViewModel.username') and records its lifetime.
    ///
    /// Finds nodes in stored properties: those of superclasses, lazy and optional ones too; of a command or channel, the
    /// parts as well ('LoginViewModel.login.isExecuting'). Nested models are found too, one by one and in arrays, sets and
    /// dictionaries ('Cart.items[2].price', 'Cart.stock["tea"].count'): what is a class of the program, not of the system, and
    /// has nodes is adopted with a path for a name. Circles of models are no harm. Nothing is looked for inside of structs and of the
    /// values of observables.
    ///
    /// No model is held. A node that two models share keeps the name that its first owner gave. A weak reference is followed too:
    /// adopt a parent before its child, or it is named after that. To be called again when properties, or children, were made
    /// later: what has a name keeps it. To be called where the properties of all these models may be read, mostly on the main thread.
    ///
    /// Cost: one reflection of each model; of at most 8 levels, 10 000 objects, and 1000 elements of each collection.
    ///
    /// - Parameter name: instead of the type's name.
    public static func adopt(_ model: AnyObject, as name: String? = nil) {
        let log = ThreadLog()
        for family in ModelWalk(from: model, name: name ?? String(describing: type(of: model))).models {
            let isRoot = family.model === model
            guard isRoot || !family.nodes.isEmpty else { continue }
            let (object, news) = Registry.shared.track(family.model, label: isRoot ? name : nil)
            let adopted = Registry.shared.adopt(family.nodes, by: object)
            guard weir_recording() != 0, log.isReady(weir_recording()) else { continue }
            object.record(news, log)
            for node in adopted { _ = node.redefine(log, again: true) }
        }
    }
}
