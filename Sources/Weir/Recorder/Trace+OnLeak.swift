import Dispatch

extension Trace {
    /// Calls `handler` with each object that should have been released and is still alive some seconds later.
    ///
    /// ```swift
    /// Trace.onLeak { leak in print(leak) }         // once, at launch; or show it in the app
    /// …
    /// Trace.expectReleased(screen)                 // when the screen is closed
    /// ```
    /// The leak describes what holds the object: the path from outside, or the cycle. Objects are named by
    /// ``expectReleased(_:)``, or by a class, ``expectReleased(whenDetached:isAttached:)``. Objects that were named while there
    /// was no handler are not watched. It works whether or not anything is recorded; a recording also holds the expectation, for
    /// `weir leaks`. The handler is called on the main queue, once for each expectation; a program that does not serve its main
    /// queue never hears of a leak. No object is held, except during a walk; then it is released on the main queue.
    ///
    /// Cost: none while no object is awaited; for each object a timer. Only if an object is still alive, the heap is walked: on
    /// Linux a forked child searches all of it (about a second for each GB) while the program continues; a background queue
    /// waits for the child. Objects that are due at the same moment share one walk, of at most 32 of them. Elsewhere nothing is
    /// walked, because other threads may change the heap: the leak has a name and no path.
    ///
    /// - Parameters:
    ///   - delay: the time that an object may take to be released, such as the duration of an animation.
    ///   - handler: replaces an earlier one; nil: nothing is watched any more.
    public static func onLeak(
        after delay: DispatchTimeInterval = .seconds(3), _ handler: (@MainActor @Sendable (TraceLeak) -> Void)?
    ) {
        #if Recording
        Bootstrap.run()
        ReleaseWatch.shared.set(handler, after: delay)
        #endif
    }

    /// Expects each object of a class to be released once it is detached: it was attached, and is no longer.
    ///
    /// ```swift
    /// Trace.expectReleased(whenDetached: Screen.self) { $0.parent != nil }
    /// Trace.expectReleased(whenDetached: Row.self) { row in list.rows.contains { $0 === row } }
    /// ```
    /// It applies to the objects that Weir knows: adopted models with the models that adoption found in them, and tracked
    /// objects. Four times a second, while there is a recording or an ``onLeak(after:_:)`` handler, the main queue asks
    /// `isAttached` about each of them. An object is detached if it was attached when asked, and was not the next two times. Cost:
    /// each time, the main thread also reads the type of every other known object: some milliseconds for 100,000. The closure is
    /// held permanently.
    ///
    /// - Parameters:
    ///   - type: the class; its subclasses are included.
    ///   - isAttached: whether the object is still in use: it has a parent, or is an element of a collection.
    public static func expectReleased<Object: AnyObject>(
        whenDetached type: Object.Type, isAttached: @escaping @MainActor (Object) -> Bool
    ) {
        #if Recording
        Bootstrap.run()
        ReleaseWatch.shared.add(DetachedClass(isAttached))
        #endif
    }
}
