extension CycleSearch.Cycle {
    /// Equal for all rotations of the same cycle.
    var signature: [Int] {
        guard let least = references.indices.min(by: { references[$0] < references[$1] }) else { return [] }
        return Array(references[least...] + references[..<least])
    }

    /// Rotates the cycle so that it begins at its first root.
    ///
    /// Without a root, it begins at the first instance that is not storage, if possible one that is not internal to Weir; else at
    /// the first object.
    mutating func begin(in graph: HeapGraph, rootCount: Int) {
        func rank(_ object: Int32) -> (Int, Int32) {
            let traits = graph.traits[Int(object)]
            if object < rootCount { return (0, object) }
            guard traits.isInstanceInSource else { return (3, object) }
            return (traits.contains(.isInternal) ? 2 : 1, object)
        }
        guard let first = objects.indices.min(by: { rank(objects[$0]) < rank(objects[$1]) }) else { return }
        objects = Array(objects[first...] + objects[..<first])
        references = Array(references[first...] + references[..<first])
    }
}
