extension Trace {
    /// Names the observables of `model` after its properties ('LoginViewModel.username') and records its lifetime.
    ///
    /// Finds nodes in stored properties: those of superclasses, lazy and optional ones too; of a command or channel, the
    /// parts as well ('LoginViewModel.login.isExecuting'). Nested models are found too, in properties, in structures, in the
    /// values of observables, and in arrays, sets and dictionaries of any of these ('Cart.items[2].price', 'Cart.stock[7].count'):
    /// classes of the adopted model's module, observable ones, and those of others that have nodes for properties. Of a dictionary's keys,
    /// numbers and plain cases of enums are written, of others only the type: 'Cart.stock[String].count'. Circles of models are
    /// no harm; weak and unowned references are not followed. No model is held.
    ///
    /// The first name that a node is given stays, also when its place in an array changes. On the main queue, models that were
    /// adopted there are looked through again when nodes without a name have come up: at checkpoints and the end of the recording,
    /// and in between at the end of stimuli and at frames, less often while that finds nothing. So lazy models, and those
    /// that join an array, get their names without a further call. Elsewhere, adopt again.
    ///
    /// Properties are read without any lock: call it where nothing else changes these models, mostly on the main queue. What
    /// other threads change may be left out: actors always are, other classes if they are a ``TraceBoundary``.
    ///
    /// Cost: one reflection of each model; of at most 8 levels, 10 000 objects, and 10 000 elements of each collection; what is
    /// beyond is counted (``modelsNotFollowed``). While nothing is recorded, models are looked through by this call alone.
    ///
    /// - Parameter name: instead of the type's name.
    public static func adopt(_ model: AnyObject, as name: String? = nil) {
        Bootstrap.run()
        AdoptedModels.shared.adopt(model, as: name)
    }
}
