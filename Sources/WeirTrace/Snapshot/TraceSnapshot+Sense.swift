extension TraceSnapshot {
    /// Whether indices are within the arrays, cycles of strong references are closed, and all chains of `holder` end.
    package var makesSense: Bool {
        guard references.allSatisfy({ $0.source < objects.count && $0.target < objects.count }) else { return false }
        return cycles.allSatisfy(closes) && holdersLead && waysEnd
    }

    private func closes(_ cycle: SnapshotCycle) -> Bool {
        guard let last = cycle.references.last, last < references.count else { return false }
        var place = references[Int(last)].target
        for step in cycle.references {
            guard step < references.count else { return false }
            let reference = references[Int(step)]
            guard reference.source == place, reference.ownership == .strong else { return false }
            place = reference.target
        }
        return true
    }

    /// Whether each holder is a strong reference to the object that names it.
    private var holdersLead: Bool {
        objects.indices.allSatisfy { place in
            guard let holder = objects[place].holder else { return true }
            guard holder < references.count else { return false }
            let reference = references[Int(holder)]
            return reference.target == place && reference.ownership == .strong
        }
    }

    /// Whether no chain of holders is endless.
    private var waysEnd: Bool {
        // 0: not yet visited; otherwise the walk that visited it first.
        var walks = [Int](repeating: 0, count: objects.count)
        for start in objects.indices {
            var place = start
            while walks[place] == 0 {
                walks[place] = start + 1
                guard let holder = objects[place].holder else { break }
                place = Int(references[Int(holder)].source)
                if walks[place] == start + 1 { return false }
            }
        }
        return true
    }
}
