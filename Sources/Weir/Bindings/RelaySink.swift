import WeirRecording

/// The sink through which a signal feeds a part of a binding; it does not hold that part.
final class RelaySink<Value>: Sink<Value> {
    private weak var fed: Node?
    /// The node that publishes the source's errors.
    private weak var failing: Node?
    private let publishesFailure: Bool
    private let onEnd: ((Ending) -> Void)?

    /// - Parameters:
    ///   - node: receives the values; its declaration is also the sink's call site.
    ///   - failing: receives the error, if that is another node.
    init(to node: Node, failing: Node? = nil, _ next: @escaping (Value) -> Void, end: ((Ending) -> Void)? = nil) {
        fed = node
        self.failing = failing
        publishesFailure = failing != nil
        onEnd = end
        super.init(next, isTerminal: false, file: node.file, line: node.line)
    }

    override func end(_ ending: Ending) { onEnd?(ending) }
    override var failureUse: FailureUse { publishesFailure ? .published : onEnd == nil ? .unhandled : .received }
    override var target: Node? { fed?.tracedNode }

    override func passPrivacyOn() {
        fed?.becomePrivate()
        failing?.becomePrivate()
    }
}
