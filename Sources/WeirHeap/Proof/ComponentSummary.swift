/// Facts about a whole cyclic component.
struct ComponentSummary {
    /// The object with the lowest number.
    var firstObject: Int32
    /// The number of objects, and their bytes.
    var objects = 0, bytes = 0
    /// Whether no path from outside leads to it. Paths lead to all of its objects or to none.
    var isGarbage: Bool
    /// Whether it has closures, or instances that the source names.
    var hasClosures = false, hasInstances = false

    /// One summary for each component.
    static func all(
        _ graph: HeapGraph, _ rows: HeapRows, _ components: CyclicComponents, _ ways: WaysFromOutside
    ) -> [ComponentSummary] {
        guard components.count > 0 else { return [] }
        let none = ComponentSummary(firstObject: -1, isGarbage: true)
        var summaries = Array(repeating: none, count: components.count)
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            guard component >= 0 else { continue }
            let traits = graph.traits[Int(object)]
            summaries.withUnsafeMutableBufferPointer { summaries in
                if summaries[Int(component)].objects == 0 {
                    summaries[Int(component)].firstObject = object
                    summaries[Int(component)].isGarbage = ways.holders[object] == WaysFromOutside.isGarbage
                }
                summaries[Int(component)].objects &+= 1
                summaries[Int(component)].bytes &+= Int(graph.sizes[Int(object)])
                if traits.contains(.isClosure) { summaries[Int(component)].hasClosures = true }
                if traits.isInstanceInSource { summaries[Int(component)].hasInstances = true }
            }
        }
        var closures = graph.closureReferences[...]
        guard !closures.isEmpty else { return summaries }
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            while let place = closures.first, place < rows.places(of: object).upperBound {
                closures.removeFirst()
                guard component >= 0, graph.isClosure(place, inside: components, component) else { continue }
                summaries[Int(component)].hasClosures = true
            }
        }
        return summaries
    }
}
