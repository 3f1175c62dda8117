extension TraceSnapshot {
    /// Whether places are of the arrays, circles of strong references close, and the ways that `holder` tells end.
    package var makesSense: Bool {
        guard references.allSatisfy({ $0.source < objects.count && $0.target < objects.count }) else { return false }
        return circles.allSatisfy(closes) && holdersLead && waysEnd
    }

    private func closes(_ circle: SnapshotCircle) -> Bool {
        guard let last = circle.references.last, last < references.count else { return false }
        var place = references[Int(last)].target
        for step in circle.references {
            guard step < references.count else { return false }
            let reference = references[Int(step)]
            guard reference.source == place, reference.ownership == .strong else { return false }
            place = reference.target
        }
        return true
    }

    /// Each holder is a strong reference to the object that names it.
    private var holdersLead: Bool {
        objects.indices.allSatisfy { place in
            guard let holder = objects[place].holder else { return true }
            guard holder < references.count else { return false }
            let reference = references[Int(holder)]
            return reference.target == place && reference.ownership == .strong
        }
    }

    /// No way from holder to holder is endless.
    private var waysEnd: Bool {
        // 0: not yet walked; otherwise the walk on which it was met first.
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
