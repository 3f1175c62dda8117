extension HeapWalker {
    /// The results of a walk and its proof, in numbers.
    package struct Proven {
        /// The number of walked objects and references.
        package var objects = 0, references = 0
        /// The number of objects that nothing outside leads to.
        package var garbage = 0
        /// The number of cycles that a report would contain.
        package var cycles = 0

        /// An empty result.
        package init() {}
    }

    /// Walks from `roots` and proves, without names and without a report: the cost of a report apart from its length.
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
                rootCount: roots.count, cycleLimit: options.cycleLimit)
            proven.garbage = (0..<Int32(truncatingIfNeeded: graph.count)).lazy.filter { proof.isGarbage($0) }.count
            proven.cycles = proof.cycles.count
        } catch {
            // Without memory for the proof, nothing is proven.
        }
        return proven
    }
}
