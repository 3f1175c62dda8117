import WeirTrace

/// Where a signal feeds a part of a binding; the part is not held.
final class RelaySink<Value>: Sink<Value> {
    private weak var fed: Node?
    private let onEnd: ((Ending) -> Void)?

    /// - Parameter node: what the values go to, and where it was made.
    init(to node: Node, _ next: @escaping (Value) -> Void, end: ((Ending) -> Void)? = nil) {
        fed = node
        onEnd = end
        super.init(next, isTerminal: false, file: node.file, line: node.line)
    }

    override func end(_ ending: Ending) { onEnd?(ending) }
    override var hearsFailure: Bool { onEnd != nil }
    override var target: Node? { fed?.tracedNode }
}
