/// A two-way binding: values that the view sends go into an observable, and its changes go to the view, without echo.
///
/// ```swift
/// let phone = Observable("186")
/// lazy var phoneField = Channel(phone)
///
/// model.phoneField.bind(to: field, \.text, changes: field.edited)
/// ```
/// The view's side delivers its current value to each new subscriber, and then every value that differs from the one in the view,
/// regardless of who changed it: a model that corrects typed text corrects the field. A channel is for one view; another view of
/// the same observable needs its own channel.
///
/// **Ownership.** The channel's sides hold the observable; the observable does not hold them.
///
/// **Threads.** Both sides may send from any thread. If they send at the same time, the view finally shows the value of the
/// observable.
public struct Channel<Value: Equatable & SendableMetatype>: Composite {
    /// The model's side: delivers values that the view sends; values sent to it go to the view.
    public let model: ChannelTerminal<Value>
    /// The view's side: delivers the current value, then each changed value of the model; values sent to it go to the model.
    public let view: ChannelTerminal<Value>

    /// A channel between `observable` and a view.
    public init(_ observable: Observable<Value>, file: StaticString = #fileID, line: UInt = #line) {
        let model = ModelTerminal(observable, file: file, line: line)
        self.model = model
        view = ViewTerminal(model, file: file, line: line)
    }

    /// A channel between an observable property of `model` and a view; it holds the observable, not the model.
    public init<Model: AnyObject, Property: Observable<Value>>(
        _ model: Model, _ property: KeyPath<Model, Property>, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(model[keyPath: property], file: file, line: line)
    }

    /// A channel with a value of its own, which the model's side sets by sending.
    public init(
        _ initial: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(Observable(initial, privacy: privacy, file: file, line: line), file: file, line: line)
    }

    /// Shows the channel's value in a property of `control`, and sends the user's changes, which `changes` delivers.
    ///
    /// The control is not held. `changes` should not deliver values that the control merely shows.
    @discardableResult
    public func bind<Control: AnyObject>(
        to control: Control, _ property: ReferenceWritableKeyPath<Control, Value>, changes: Signal<Value>,
        isolation: isolated any Actor = #isolation, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        join(view.bind(to: control, property, isolation: isolation, file: file, line: line), changes, file, line)
    }

    /// - Precondition: the emitting thread may write the property.
    @discardableResult
    package func bind<Control: AnyObject>(
        unchecked control: Control, _ property: ReferenceWritableKeyPath<Control, Value>, changes: Signal<Value>,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        join(view.bind(unchecked: control, property, file: file, line: line), changes, file, line)
    }

    private func join(
        _ shown: Disposable, _ changes: Signal<Value>, _ file: StaticString, _ line: UInt
    ) -> Disposable {
        let sent = changes.attach(RelaySink(to: model) { [view] in view.send($0) })
        return Disposable {
            shown.dispose()
            sent.dispose()
        }
    }

    var parts: [(name: String, node: Node)] { [("model", model), ("view", view)] }
}

extension Channel: Sendable where Value: Sendable {}
