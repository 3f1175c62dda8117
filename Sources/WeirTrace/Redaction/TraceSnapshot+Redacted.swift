extension TraceSnapshot {
    /// The snapshot as if the nodes whose values are removed had been private when it was taken.
    ///
    /// As in `HeapReportBuilder`, objects held by such a node have no size, and the labels of references from and to them are
    /// hidden. A recorder also excludes their bytes from the sizes of other objects. Here they cannot be subtracted, because a
    /// snapshot does not list all objects. So all figures that cover more than one object are set to 0: unknown.
    func redacted(_ plan: RedactionPlan) -> TraceSnapshot {
        var copy = self
        copy.hideHeldObjects(plan)
        for place in copy.objects.indices {
            copy.objects[place].retainedSize = 0
            if case .node(let id) = objects[place].identity {
                copy.objects[place].label = objects[place].label.map { plan.label($0, of: id) }
            } else {
                copy.objects[place].label = objects[place].label.map { plan.keys.removed(from: $0) }
            }
        }
        for place in copy.cycles.indices {
            copy.cycles[place].componentBytes = 0
            copy.cycles[place].retainedSize = 0
        }
        (copy.walkedObjects, copy.walkedReferences, copy.walkedBytes) = (0, 0, 0)
        return copy
    }

    /// Marks private nodes and the objects that they hold, and hides the labels of references from and to these objects.
    private mutating func hideHeldObjects(_ plan: RedactionPlan) {
        var next: [Int] = []
        for place in objects.indices {
            guard case .node(let id) = objects[place].identity, plan.hides(id) else { continue }
            objects[place].isPrivate = true
            next.append(place)
        }
        var references: [Int: [SnapshotReference]] = [:]
        for reference in self.references { references[Int(reference.source), default: []].append(reference) }
        var isHeld = objects.map { $0.isPrivate && $0.identity == .none }
        next += isHeld.indices.filter { isHeld[$0] }
        while let holder = next.popLast() {
            for reference in references[holder] ?? [] {
                let target = Int(reference.target)
                // Excludes Weir's own objects, such as subscribers, and objects that the trace itself identifies.
                let object = objects[target]
                if isHeld[target] || object.identity != .none || object.isInternal || object.kind == .closure {
                    continue
                }
                isHeld[target] = true
                next.append(target)
            }
        }
        for place in objects.indices where isHeld[place] {
            objects[place].isPrivate = true
            objects[place].size = 0
        }
        for place in self.references.indices {
            let reference = self.references[place]
            guard isHeld[Int(reference.source)] || isHeld[Int(reference.target)] else { continue }
            self.references[place].label = "[\(TraceFormat.removedKey)]"
        }
    }
}
