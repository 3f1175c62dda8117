extension HeapWalker {
    /// What a walk and its proof found, in numbers.
    package struct Proven {
        /// Objects and references that were walked.
        package var objects = 0, references = 0
        /// Objects to which nothing outside leads.
        package var garbage = 0
        /// Circles that a report would tell.
        package var circles = 0

        /// Nothing was found yet.
        package init() {}
    }

    /// Walks from `roots` and proves, but names and tells nothing: what a report costs beyond its own length.
    package func prove(from roots: [HeapRoot], options: Options = Options()) -> Proven {
        guard HeapWalker.unknownLayout.isEmpty else { return Proven() }
        let graph = walk(from: roots.map(\.address), options).graph
        var proven = Proven()
        proven.objects = graph.count
        proven.references = graph.targets.count
        do {
            // Roots without duplicates are the first objects.
            let proof = try HeapProof(
                graph: graph, pins: [:], handlerRoots: [], wanted: roots.indices.map { Int32(truncatingIfNeeded: $0) },
                rootCount: roots.count, circleLimit: options.circleLimit)
            proven.garbage = (0..<Int32(truncatingIfNeeded: graph.count)).lazy.filter { proof.isGarbage($0) }.count
            proven.circles = proof.circles.count
        } catch {
            // Nothing is proven where there is no memory for it.
        }
        return proven
    }
}
