extension Signal {
    /// A cold signal with the label `name` in traces, if it has one and has not been adopted.
    package convenience init(
        named name: String?, privacy: TracePrivacy, file: StaticString, line: UInt,
        _ produce: @escaping (Subscriber<Value>) -> Disposable?
    ) {
        let node = OperatorNode(
            .source, type: Value.self, isPrivate: privacy == .private, label: name, file: file.utf8Start,
            line: UInt32(clamping: line))
        self.init(node) { _, sink in
            let production = Production(sink)
            return production.token(produce(Subscriber(production: production)))
        }
    }
}
