/// The object or reference that a cycle must pass through.
struct CycleSeed {
    /// The object on the cycle.
    var object: Int32
    /// The reference of that object on the cycle, which belongs to a closure whose only capture is the target; nil for any.
    var reference: Int?
}

/// All seeds, in the order of the objects.
struct CycleSeeds {
    let graph: HeapGraph
    let rows: HeapRows
    let components: CyclicComponents
    let summaries: [ComponentSummary]

    init(
        _ graph: HeapGraph, _ rows: HeapRows, _ components: CyclicComponents, _ summaries: [ComponentSummary]
    ) {
        self.graph = graph
        self.rows = rows
        self.components = components
        self.summaries = summaries
    }

    /// Calls `body` with each seed and its component.
    func forEach(_ body: (CycleSeed, Int32) -> Void) {
        var closures = graph.closureReferences[...]
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            let places = rows.places(of: object)
            while let place = closures.first, place < places.upperBound {
                closures.removeFirst()
                guard component >= 0, graph.isClosure(place, inside: components, component) else { continue }
                body(CycleSeed(object: object, reference: place), component)
            }
            guard component >= 0, isSeed(graph.traits[Int(object)], summaries[Int(component)]) else { continue }
            body(CycleSeed(object: object), component)
        }
    }

    private func isSeed(_ traits: HeapGraph.Traits, _ summary: ComponentSummary) -> Bool {
        if summary.hasClosures { return traits.contains(.isClosure) }
        return !summary.hasInstances || traits.isInstanceInSource
    }
}

extension HeapGraph {
    /// Whether the closure reference at `place` stays inside `component` and does not lead to a context.
    ///
    /// A context is an object of its own and represents the closure.
    func isClosure(_ place: Int, inside components: CyclicComponents, _ component: Int32) -> Bool {
        let target = targets[place]
        return components.component(of: target) == component && !traits[Int(target)].contains(.isClosure)
    }
}

extension HeapGraph.Traits {
    /// An instance that the source names, not the storage of a collection.
    var isInstanceInSource: Bool { contains(.isInstance) && !contains(.isStorage) }
}
