extension CircleSearch.Circle {
    /// The same for the same circle, wherever it begins.
    var signature: [Int] {
        guard let least = references.indices.min(by: { references[$0] < references[$1] }) else { return [] }
        return Array(references[least...] + references[..<least])
    }

    /// Turns it so that it begins at a root, the first one if it has several; else at an instance that is neither storage
    /// nor internal to Weir, else at any instance, else at any object: again the first one.
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
