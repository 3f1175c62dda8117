extension Signal {
    /// A cold signal that traces know by `name`, if it has one and nobody has adopted it.
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
