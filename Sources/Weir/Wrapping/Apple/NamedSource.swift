extension Signal {
    /// A cold signal with the label `name` in traces, if it has one and has not been adopted.
    package convenience init(
        named name: String?, privacy: TracePrivacy, file: StaticString, line: UInt,
        _ produce: @escaping (Subscriber<Value>) -> Disposable?
    ) {
        let node = NamedNode(
            name, type: Value.self, isPrivate: privacy == .private, file: file.utf8Start, line: UInt32(clamping: line))
        self.init(node) { _, sink in
            let production = Production(sink)
            return production.token(produce(Subscriber(production: production)))
        }
    }
}

/// The node of a source that the program has named.
private final class NamedNode: OperatorNode {
    private let name: String?

    init(_ name: String?, type: Any.Type, isPrivate: Bool, file: UnsafePointer<UInt8>, line: UInt32) {
        self.name = name
        super.init(.source, type: type, isPrivate: isPrivate, file: file, line: line)
    }

    override var givenLabel: String? { name }
}
