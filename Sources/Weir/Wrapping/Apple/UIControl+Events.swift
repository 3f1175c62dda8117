#if canImport(UIKit) && !os(watchOS)
import UIKit

// No CI compiles this file: there is no UIKit where Weir is built and tested.
extension NSObjectProtocol where Self: UIControl {
    /// The events of a control, such as `.touchUpInside`, recorded under `name`.
    ///
    /// ```swift
    /// button.events(.touchUpInside, "tap Login").subscribe { [weak model] in model?.login.execute() }
    /// ```
    /// Cold: each subscriber is a target of the control, until its subscription or the control ends; nothing here holds the
    /// control. Events are delivered on the main thread. Subscribe there; on another thread the subscription begins a moment
    /// later.
    ///
    /// - Parameter name: the name in traces; nil: the line of the call.
    public func events(
        _ events: UIControl.Event, _ name: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Void> {
        Signal(named: name, privacy: .public, file: file, line: line) { [weak self] subscriber in
            self?.fires(for: events) { _ in subscriber.next(()) }
        }
    }

    /// A property of a control at each of `events`: the text of a field on `.editingChanged`.
    ///
    /// ```swift
    /// field.values(of: \.text, on: .editingChanged, "typed name").bind(to: model.name)
    /// ```
    /// Otherwise the same as ``events(_:_:file:line:)``. The text of a field for passwords is `.private`.
    public func values<Value>(
        of keyPath: KeyPath<Self, Value>, on events: UIControl.Event, _ name: String? = nil,
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal(named: name, privacy: privacy, file: file, line: line) { [weak self] subscriber in
            self?.fires(for: events) { control in subscriber.next(control[keyPath: keyPath]) }
        }
    }

    private nonisolated func fires(
        for events: UIControl.Event, _ handler: @escaping @MainActor (Self) -> Void
    ) -> Disposable {
        let target = ControlTarget()
        onMainThread { [weak self] in
            target.handler = { [weak self] in if let self { handler(self) } }
            self?.addTarget(target, action: #selector(ControlTarget.fire), for: events)
        }
        return Disposable(heldBy: self, target) { [weak self] target in
            onMainThread { [weak self] in
                target.handler = {}
                self?.removeTarget(target, action: nil, for: .allEvents)
            }
        }
    }
}

@MainActor
private final class ControlTarget: NSObject {
    var handler: () -> Void = {}
    nonisolated override init() { super.init() }
    @objc func fire() { handler() }
}
#endif
