import WeirRecording

/// The result of an operator with several sources.
///
/// Cost: two allocations to make, in addition to the list of sources.
@usableFromInline
final class Junction<Value>: Signal<Value> {
    private let sources: [Node]
    private let join: (JunctionSources, Sink<Value>) -> Disposable

    /// - Parameters:
    ///   - sources: the signals from which it takes values or times.
    ///   - isPrivate: nil: private if one of the sources is.
    ///   - join: subscribes a sink to the sources, as `Operation.attach` does; holds none of them.
    @usableFromInline
    init(
        _ kind: NodeKind, of sources: [Node], isPrivate: Bool? = nil, file: StaticString, line: UInt,
        join: @escaping (JunctionSources, Sink<Value>) -> Disposable
    ) {
        self.sources = sources
        self.join = join
        super.init(
            kind, isPrivate: isPrivate ?? sources.contains(where: \.isPrivate), file: file, line: line,
            start: Self.start)
    }

    /// The same operator, applied to other sources.
    private init(
        _ sources: [Node], like node: OperatorNode, join: @escaping (JunctionSources, Sink<Value>) -> Disposable
    ) {
        self.sources = sources
        self.join = join
        super.init(node, start: Self.start)
    }

    private static func start(_ signal: Signal<Value>, _ downstream: Sink<Value>) -> Disposable {
        let me = unsafeDowncast(signal, to: Junction<Value>.self)
        return me.join(JunctionSources(nodes: me.sources), downstream)
    }

    override func forLater(_ others: LaterSignals) -> () -> Signal<Value>? {
        let later = sources.map { $0.nodeForLater(others) }
        return { [join, node = sharedIdentity] in
            var sources: [Node] = []
            for source in later {
                guard let source = source() else { return nil }
                sources.append(source)
            }
            return Junction(sources, like: node, join: join)
        }
    }

    override var inputs: [Node] { sources }
}

extension Junction: @unchecked Sendable where Value: Sendable {}  // Adds constants to `Signal`.

/// The sources with which a junction was made, in that order.
@usableFromInline
struct JunctionSources {
    @usableFromInline let nodes: [Node]

    init(nodes: [Node]) { self.nodes = nodes }

    /// The source at `index`, which must have been a signal of that type.
    @inlinable
    subscript<Value>(index: Int) -> Signal<Value> { unsafeDowncast(nodes[index], to: Signal<Value>.self) }
}
