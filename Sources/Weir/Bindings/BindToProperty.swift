import WeirRecording

extension Signal {
    /// Writes every value into a property of `target`, until the result is disposed or the signal ends.
    ///
    /// ```swift
    /// model.title.bind(to: label, \.text).disposed(by: bag)
    /// ```
    /// An observable begins with its current value. The target is held weakly: the first value after its release ends the
    /// subscription. A private signal makes the property private if the property is traced or observed; the binding reads the
    /// property to find that out.
    ///
    /// Call this in an actor's isolation, for example that of a `@MainActor` view: the property is written there. Elsewhere the
    /// compiler says that `#isolation` is nil and "not compatible with expected argument type 'any Actor'": mark the method or its
    /// class `@MainActor`, or write the property in a handler: `subscribe { [weak target] in target?.text = $0 }`.
    @inlinable @discardableResult
    public final func bind<Target: AnyObject>(
        to target: Target, _ property: ReferenceWritableKeyPath<Target, Value>,
        isolation: isolated any Actor = #isolation, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let node = BindingNode(Value.self, file: file, line: line)
        let queue = HomeQueue(isolation)
        node.feeds(property, of: target) { queue.run($0) }
        let sink = IsolatedSink<Value>(
            { [weak target] value in
                guard let target else { return link.cut() }
                target[keyPath: property] = value
            }, queue: queue, target: node, owner: nil, onEnd: nil, file: file, line: line,
            operation: IsolatedSink.receive)
        return IsolatedSubscription(link.join(sink, to: withCurrent(file: file, line: line)), sink.queue)
    }

    /// Writes every value into an optional property of `target`; otherwise the same as `bind` to a non-optional property.
    @inlinable @discardableResult
    public final func bind<Target: AnyObject>(
        to target: Target, _ property: ReferenceWritableKeyPath<Target, Value?>,
        isolation: isolated any Actor = #isolation, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let node = BindingNode(Value.self, file: file, line: line)
        let queue = HomeQueue(isolation)
        node.feeds(property, of: target) { queue.run($0) }
        let sink = IsolatedSink<Value>(
            { [weak target] value in
                guard let target else { return link.cut() }
                target[keyPath: property] = value
            }, queue: queue, target: node, owner: nil, onEnd: nil, file: file, line: line,
            operation: IsolatedSink.receive)
        return IsolatedSubscription(link.join(sink, to: withCurrent(file: file, line: line)), sink.queue)
    }

    /// - Precondition: the emitting thread may write the property.
    @inlinable @discardableResult
    package final func bind<Target: AnyObject>(
        unchecked target: Target, _ property: ReferenceWritableKeyPath<Target, Value>, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let node = BindingNode(Value.self, file: file, line: line)
        node.feeds(property, of: target) { $0() }
        let sink = TerminalSink<Value>(
            { [weak target] value in
                guard let target else { return link.cut() }
                target[keyPath: property] = value
            }, target: node, onEnd: nil, file: file, line: line)
        return link.join(sink, to: withCurrent(file: file, line: line))
    }

    /// - Precondition: the emitting thread may write the property.
    @inlinable @discardableResult
    package final func bind<Target: AnyObject>(
        unchecked target: Target, _ property: ReferenceWritableKeyPath<Target, Value?>, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let node = BindingNode(Value.self, file: file, line: line)
        node.feeds(property, of: target) { $0() }
        let sink = TerminalSink<Value>(
            { [weak target] value in
                guard let target else { return link.cut() }
                target[keyPath: property] = value
            }, target: node, onEnd: nil, file: file, line: line)
        return link.join(sink, to: withCurrent(file: file, line: line))
    }
}

/// The node that represents a binding to a property in a trace.
@usableFromInline
final class BindingNode: Node {
    private let type: Any.Type
    /// Makes the fed property private. Set before the first value.
    private var hideFed: (() -> Void)?

    @usableFromInline
    init(_ type: Any.Type, file: StaticString, line: UInt) {
        self.type = type
        super.init(file: file, line: line, privacy: .public)
    }

    /// - Parameter home: runs work in the isolation in which the property may be read.
    @usableFromInline
    func feeds<Target: AnyObject, Fed>(
        _ property: KeyPath<Target, Fed>, of target: Target, at home: @escaping (@escaping () -> Void) -> Void
    ) {
        #if Recording
        hideFed = { [weak target] in
            home {
                guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *), let target else { return }
                // Reads the property: in an optimized program, a key path does not give its name.
                ObservedThread.current.makePrivate { _ = target[keyPath: property] }
            }
        }
        #endif
    }

    override func passPrivacyOn() { hideFed?() }
    override var kind: NodeKind { .binding }
    override var valueType: Any.Type? { type }
}

/// Lets a binding end its own subscription, once its target is gone, without holding the source.
@usableFromInline
final class BindingLink: Sendable {
    private let state = Guarded<(link: Disposable?, isCut: Bool)>((nil, false))

    @usableFromInline
    init() {}

    @usableFromInline
    func join<Value>(_ sink: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let subscription = source.attach(sink)
        let link = subscription.weakened()
        let isCut = state.withState {
            $0.link = link
            return $0.isCut
        }
        if isCut { subscription.dispose() }
        return subscription
    }

    @usableFromInline
    func cut() {
        let link = state.withState { state -> Disposable? in
            defer { state = (nil, true) }
            return state.link
        }
        link?.dispose(.targetReleased)
    }
}
