#if canImport(ObjectiveC)
import Foundation
import ObjectiveC

// No CI compiles this file: there is no Objective-C where Weir is built and tested.
extension Disposable {
    /// Ends `part`, which lives as long as `object`, unless it is ended earlier.
    ///
    /// If only the disposable held it, the feeding part would outlive `object`, because subscribers hold the disposable.
    convenience init<Part: AnyObject>(heldBy object: AnyObject, _ part: Part, _ end: @escaping (Part) -> Void) {
        let key = UnsafeRawPointer(Unmanaged.passUnretained(part).toOpaque())
        objc_setAssociatedObject(object, key, part, .OBJC_ASSOCIATION_RETAIN)
        self.init(plain: { [weak object, weak part] in
            guard let object, let part else { return }
            end(part)
            objc_setAssociatedObject(object, key, nil, .OBJC_ASSOCIATION_RETAIN)
        })
    }
}

/// Runs `body` on the main thread: at once if this is the main thread.
func onMainThread(_ body: @escaping @MainActor @Sendable () -> Void) {
    if Thread.isMainThread { MainActor.assumeIsolated(body) } else { DispatchQueue.main.async(execute: body) }
}
#endif
