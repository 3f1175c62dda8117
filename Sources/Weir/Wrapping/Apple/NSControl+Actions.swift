#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit

// No CI compiles this file: there is no AppKit where Weir is built and tested.
extension NSObjectProtocol where Self: NSControl {
    /// The actions of a control, recorded under `name`.
    ///
    /// ```swift
    /// button.actions("click Login").subscribe { [weak model] in model?.login.execute() }
    /// ```
    /// Cold: each subscriber replaces the control's target and action, and calls these after itself. Ends with its
    /// subscription or the control; nothing here holds the control. Actions are delivered on the main thread. Subscribe
    /// there; on another thread the subscription begins a moment later. A target that is set later replaces the subscribers.
    ///
    /// - Parameter name: the name in traces; nil: the line of the call.
    public func actions(
        _ name: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Void> {
        Signal(named: name, privacy: .public, file: file, line: line) { [weak self] subscriber in
            self?.acts { _ in subscriber.next(()) }
        }
    }

    /// A property of a control at each of its actions: `field.values(of: \.stringValue, "name")`.
    ///
    /// Otherwise the same as ``actions(_:file:line:)``. The text of a field for passwords is `.private`.
    public func values<Value>(
        of keyPath: KeyPath<Self, Value>, _ name: String? = nil, privacy: TracePrivacy = .public,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal(named: name, privacy: privacy, file: file, line: line) { [weak self] subscriber in
            self?.acts { control in subscriber.next(control[keyPath: keyPath]) }
        }
    }

    private nonisolated func acts(_ handler: @escaping @MainActor (Self) -> Void) -> Disposable {
        let target = ActionTarget()
        onMainThread { [weak self] in
            guard let self else { return }
            target.handler = { [weak self] in if let self { handler(self) } }
            target.take(over: self)
        }
        return Disposable(heldBy: self, target) { [weak self] target in
            onMainThread { [weak self] in
                target.handler = nil
                if let self { target.restore(self) }
            }
        }
    }
}

/// The target of a control, which passes actions on to the previous target.
@MainActor
private final class ActionTarget: NSObject {
    /// Nil: it only passes actions on.
    var handler: (() -> Void)?
    private var action: Selector?
    private weak var target: AnyObject?
    private var hasTarget = false
    /// The target, if it is an `ActionTarget`; possibly nothing else holds it.
    private var former: ActionTarget?

    nonisolated override init() { super.init() }

    func take(over control: NSControl) {
        (target, action, hasTarget) = (control.target, control.action, control.target != nil)
        former = target as? ActionTarget
        control.target = self
        control.action = #selector(fire)
    }

    /// Later targets pass actions on to this one, which then stays.
    func restore(_ control: NSControl) {
        guard control.target === self else { return }
        control.target = target
        control.action = action
        if let former, former.handler == nil { former.restore(control) }
    }

    @objc func fire(_ sender: Any?) {
        handler?()
        // A released target receives nothing; no target at all means the first responder that implements the action.
        if let action, target != nil || !hasTarget { _ = NSApp.sendAction(action, to: target, from: sender) }
    }
}
#endif
