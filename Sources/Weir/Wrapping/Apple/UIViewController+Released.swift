#if canImport(UIKit) && !os(watchOS)
import ObjectiveC
import UIKit

// No CI compiles this file: there is no UIKit where Weir is built and tested.
extension Trace {
    /// Expects each view controller of a class to be released once it was dismissed, or has left its container.
    ///
    /// ```swift
    /// Trace.expectReleased(whenDismissed: UIViewController.self)   // all of them; once, at launch
    /// Trace.onLeak { leak in print(leak) }
    /// ```
    /// It replaces the implementation of `viewDidDisappear(_:)` of `UIViewController` by one that calls the original and then
    /// `Trace.expectReleased(_:)`, if the controller is being dismissed or is moving from its parent. A controller that
    /// the app keeps and presents again on purpose is reported too: name the classes that must not be kept.
    ///
    /// - Parameter type: the class; its subclasses are included.
    @MainActor
    public static func expectReleased(whenDismissed type: UIViewController.Type = UIViewController.self) {
        DismissedControllers.types.append(type)
        _ = DismissedControllers.observed
    }
}

@MainActor
private enum DismissedControllers {
    static var types: [UIViewController.Type] = []

    /// Replaces the implementation, once.
    static let observed: Void = {
        let selector = #selector(UIViewController.viewDidDisappear(_:))
        guard let method = class_getInstanceMethod(UIViewController.self, selector) else { return }
        typealias Original = @convention(c) (UIViewController, Selector, Bool) -> Void
        let original = unsafeBitCast(method_getImplementation(method), to: Original.self)
        let replacement: @convention(block) (UIViewController, Bool) -> Void = { controller, isAnimated in
            original(controller, selector, isAnimated)
            MainActor.assumeIsolated { disappeared(controller) }
        }
        method_setImplementation(method, imp_implementationWithBlock(replacement))
    }()

    private static func disappeared(_ controller: UIViewController) {
        guard controller.isBeingDismissed || controller.isMovingFromParent || isOfDismissed(controller),
            types.contains(where: { controller.isKind(of: $0) })
        else { return }
        Trace.expectReleased(controller)
    }

    /// Whether the container that the controller is in is being dismissed.
    private static func isOfDismissed(_ controller: UIViewController) -> Bool {
        var parent = controller.parent
        while let current = parent {
            if current.isBeingDismissed { return true }
            parent = current.parent
        }
        return false
    }
}
#endif
