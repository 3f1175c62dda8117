import WeirTrace

/// Where a signal feeds a part of a binding; the part is not held.
final class RelaySink<Value>: Sink<Value> {
    private weak var fed: Node?
    /// The node that publishes the source's errors.
    private weak var failing: Node?
    private let onEnd: ((Ending) -> Void)?

    /// - Parameters:
    ///   - node: what the values go to, and where it was made.
    ///   - failing: what the error goes to, if that is another.
    init(to node: Node, failing: Node? = nil, _ next: @escaping (Value) -> Void, end: ((Ending) -> Void)? = nil) {
        fed = node
        self.failing = failing
        onEnd = end
        super.init(next, isTerminal: false, file: node.file, line: node.line)
    }

    override func end(_ ending: Ending) { onEnd?(ending) }
    override var hearsFailure: Bool { onEnd != nil }
    override var target: Node? { fed?.tracedNode }

    override func passPrivacyOn() {
        fed?.becomePrivate()
        failing?.becomePrivate()
    }
}
