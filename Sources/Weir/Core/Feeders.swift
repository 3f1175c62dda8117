import WeirRecording

/// The sources bound to an observable; its value follows theirs in the same turn, so it takes their height.
///
/// The sources are not held.
final class Feeders: @unchecked Sendable {  // The lock guards all of its state.
    private struct Source {
        weak var node: Node?
    }

    private let lock = SystemLock()
    private var sources: [ObjectIdentifier: [Source]] = [:]
    private var known: (shape: UInt64, height: Int32) = (0, 0)

    /// - Parameter binding: identifies the binding until it ends.
    func add(_ signal: Node, of binding: AnyObject) {
        var roots: [Node] = []
        var visited: Set<ObjectIdentifier> = []
        signal.collectRoots(&roots, &visited)
        lock.withLock { sources[ObjectIdentifier(binding)] = roots.map { Source(node: $0) } }
        GraphShape.change()
    }

    func remove(_ binding: AnyObject) {
        let former = lock.withLock { sources.removeValue(forKey: ObjectIdentifier(binding)) }
        if former != nil { GraphShape.change() }
    }

    /// The height of the highest source; a path back to this observable does not count.
    var height: Int32 {
        let shape = GraphShape.version
        let (isKnown, height, nodes) = lock.withLock { () -> (Bool, Int32, [Node]) in
            if known.shape == shape { return (true, known.height, []) }
            // Preliminary value: ends a path back to this observable.
            known = (shape, 0)
            return (false, 0, sources.values.joined().compactMap(\.node))
        }
        if isKnown { return height }
        let found = nodes.map(\.height).max() ?? 0
        lock.withLock { known = (shape, found) }
        return found
    }
}

extension Node {
    /// The hot signals from which this signal takes its values, or the signal itself.
    fileprivate func collectRoots(_ roots: inout [Node], _ visited: inout Set<ObjectIdentifier>) {
        guard visited.insert(ObjectIdentifier(self)).inserted else { return }
        let inputs = isHot ? [] : inputs
        if inputs.isEmpty { return roots.append(self) }
        for input in inputs { input.collectRoots(&roots, &visited) }
    }
}
