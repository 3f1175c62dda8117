/// A two-way binding: what the view sends goes into an observable, what changes there goes to the view, without echo.
///
/// ```swift
/// let phone = Observable("186")
/// lazy var phoneField = Channel(phone)
///
/// model.phoneField.bind(to: field, \.text, changes: field.edited)
/// ```
/// The view's side delivers its current value to each new subscriber, and then every value that differs from what the view
/// has, be it the view's own doing or not: a model that corrects what was typed corrects the field. A channel is for one
/// view; another view of the same observable gets a channel of its own.
///
/// **Ownership.** The channel's sides hold the observable, which does not hold them.
///
/// **Threads.** Both sides may send from any thread. When they do so at the same time, the view ends up showing what the
/// observable holds.
public struct Channel<Value: Equatable & SendableMetatype>: Composite {
    /// The model's side: delivers what the view sends; what is sent to it goes to the view.
    public let model: ChannelTerminal<Value>
    /// The view's side: delivers what the model holds, first the current value; what is sent to it goes to the model.
    public let view: ChannelTerminal<Value>

    /// A channel between `observable` and a view.
    public init(_ observable: Observable<Value>, file: StaticString = #fileID, line: UInt = #line) {
        let model = ModelTerminal(observable, file: file, line: line)
        self.model = model
        view = ViewTerminal(model, file: file, line: line)
    }

    /// A channel between an observable property of `model` and a view; holds the observable, not the model.
    public init<Model: AnyObject, Property: Observable<Value>>(
        _ model: Model, _ property: KeyPath<Model, Property>, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(model[keyPath: property], file: file, line: line)
    }

    /// A channel of its own value, which the model's side sets by sending.
    public init(
        _ initial: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(Observable(initial, privacy: privacy, file: file, line: line), file: file, line: line)
    }

    /// Shows the channel's value in a property of `control`, and sends what `changes` says that its user made of it.
    ///
    /// The control is not held. What sends should not send what is merely shown.
    @discardableResult
    public func bind<Control: AnyObject>(
        to control: Control, _ property: ReferenceWritableKeyPath<Control, Value>, changes: Signal<Value>,
        isolation: isolated any Actor = #isolation, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        join(view.bind(to: control, property, isolation: isolation, file: file, line: line), changes, file, line)
    }

    /// - Precondition: whoever emits may write the property.
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
