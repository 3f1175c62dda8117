import CWeirCore
import WeirRecording

extension Trace {
    /// Records the lifetime of `object`, which is not held; its first name stays.
    ///
    /// Snapshots show its holders. The object need not be a model of observables: track a view, a cache, a request. Any thread
    /// may track; objects tracked while nothing was recorded are known to later recordings. Its end is detected like that of an
    /// adopted object: at the latest at the next frame, checkpoint or end of a stimulus. Cost: one lock and, the first time, a
    /// weak reference.
    ///
    /// - Parameter name: the name in reports, instead of its type.
    public static func track(_ object: AnyObject, as name: String? = nil) {
        #if Recording
        Bootstrap.run()
        let (tracked, news) = Registry.shared.track(object, label: name)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        tracked.record(news, log)
        #endif
    }

    /// States that `object` should be released by the next checkpoint, or by the end of the recording if none follows.
    ///
    /// ```swift
    /// func close(_ screen: Screen) {
    ///     Trace.expectReleased(screen)
    ///     navigation.pop()
    ///     Trace.checkpoint("screen closed")
    /// }
    /// ```
    /// If it is not, `weir leaks` reports it, with the path that holds it. This also tracks the object; like `track`, it does not
    /// hold it. Any thread may call it. While nothing is recorded, only ``onLeak(after:_:)`` hears of it.
    public static func expectReleased(_ object: AnyObject) {
        #if Recording
        Bootstrap.run()
        let tracked = Registry.shared.tracked(object)
        if weir_recording() != 0 { tracked.recordExpected(ThreadLog()) }
        ReleaseWatch.shared.expect(tracked)
        #endif
    }
}

extension Trace {
    /// Names the observables of `model` after its properties ('LoginViewModel.username') and records its lifetime.
    ///
    /// It finds nodes in stored properties, including those of superclasses, lazy and optional ones, and the parts of a command
    /// or channel ('LoginViewModel.login.isExecuting'). It also finds nested models, in properties, in structures, in the values
    /// of observables, and in arrays, sets and dictionaries of any of these ('Cart.items[2].price', 'Cart.stock[7].count'). It
    /// follows classes of the adopted model's module, observable classes, and other classes with nodes as properties. A label
    /// contains a dictionary's key if it is a number or a plain case of an enum, otherwise only the key's type:
    /// 'Cart.stock[String].count'. Cycles of models are allowed; weak and unowned references are not followed. No model is held.
    ///
    /// The first name of a node stays, even if its index in an array changes. On the main queue, adopted models are searched
    /// again when unnamed nodes have been defined: at checkpoints and the end of the recording, and in between at the end of
    /// stimuli and at frames, less often while nothing is found. So lazy models, and those that join an array later, get their
    /// names without a further call. On other threads, adopt again.
    ///
    /// Properties are read without any lock: call this where no other thread changes these models, usually on the main queue.
    /// Leave models out that other threads change: actors always are, other classes if they are a ``TraceBoundary``.
    ///
    /// Cost: one reflection of each model; at most 8 levels, 10 000 objects, and 10 000 elements of each collection; the rest is
    /// counted (``modelsNotFollowed``). While nothing is recorded, only this call searches models.
    ///
    /// An observable, signal or command that belongs to no model gets `name` itself: `Trace.adopt(count, as: "count")`.
    /// Without a name, its call site stays its name, and a line on the standard error says so once.
    ///
    /// - Parameter name: replaces the type's name.
    public static func adopt(_ model: AnyObject, as name: String? = nil) {
        #if Recording
        Bootstrap.run()
        AdoptedModels.shared.adopt(model, as: name)
        #endif
    }
}
