extension TraceSnapshot {
    /// The snapshot, or as much of it as fits into a number of objects and encoded bytes.
    ///
    /// Objects in cycles come first, then tracked objects with the paths that hold them, then all other objects with their
    /// paths. Omitted objects are counted.
    package func bounded(objects limit: Int = SnapshotLimits.objects, bytes: Int = SnapshotLimits.bytes)
        -> TraceSnapshot
    {
        bytes == .max ? limited(to: limit) : bounded(limit, bytes).snapshot
    }

    /// The encoded snapshot, or as much of it as fits; see `bounded`.
    package func encoded(bytes: Int) -> [UInt8] { bounded(SnapshotLimits.objects, bytes).encoded }

    private func bounded(_ limit: Int, _ bytes: Int) -> (snapshot: TraceSnapshot, encoded: [UInt8]) {
        var limit = limit
        while true {
            let kept = limited(to: limit)
            let encoded = kept.encoded
            if limit <= 0 || encoded.count <= bytes { return (kept, encoded) }
            limit = min(limit, kept.objects.count) / 2
        }
    }

    private func limited(to limit: Int) -> TraceSnapshot {
        let limit = max(0, limit)
        if objects.count <= limit, references.count <= SnapshotLimits.references,
            cycles.count <= SnapshotLimits.cycles, limitations.count <= SnapshotLimits.limitations,
            cycles.reduce(0, { $0 + $1.references.count }) <= SnapshotLimits.stepsOfCycles
        {
            return self
        }
        var choice = Choice(self, limit: limit)
        choice.take()
        return choice.result
    }

    /// The choice of the objects to keep.
    private struct Choice {
        let whole: TraceSnapshot
        var room: Int
        var isKept: [Bool]

        init(_ whole: TraceSnapshot, limit: Int) {
            self.whole = whole
            room = limit
            isKept = Array(repeating: false, count: whole.objects.count)
        }

        mutating func take() {
            for cycle in whole.cycles {
                keep(cycle.references.map { Int(whole.references[Int($0)].source) })
            }
            for place in whole.objects.indices {
                if case .object = whole.objects[place].identity { keep(way(to: place)) }
            }
            for place in whole.objects.indices where whole.objects[place].identity != .none { keep(way(to: place)) }
            for place in whole.objects.indices { keep(way(to: place)) }
        }

        /// Keeps all of `places`, or none of those that are not yet kept.
        private mutating func keep(_ places: [Int]) {
            if room == 0 { return }
            var new: [Int] = []
            for place in places where !isKept[place] {
                isKept[place] = true
                new.append(place)
            }
            if new.count <= room { return room -= new.count }
            for place in new { isKept[place] = false }
        }

        /// The object and its chain of holders, up to the first object that is already kept.
        private func way(to place: Int) -> [Int] {
            var way: [Int] = []
            var next: Int? = place
            // A path longer than the remaining room does not fit, or is endless.
            while let place = next, !isKept[place], way.count <= room {
                way.append(place)
                next = whole.objects[place].holder.map { Int(whole.references[Int($0)].source) }
            }
            return way
        }

        var result: TraceSnapshot {
            var kept = whole
            var places: [UInt32?] = []
            kept.objects = []
            for (place, object) in whole.objects.enumerated() {
                places.append(isKept[place] ? UInt32(kept.objects.count) : nil)
                if isKept[place] { kept.objects.append(object) }
            }
            kept.references = []
            var steps = [UInt32?](repeating: nil, count: whole.references.count)
            for (place, reference) in whole.references.enumerated() {
                guard let source = places[Int(reference.source)], let target = places[Int(reference.target)],
                    kept.references.count < SnapshotLimits.references
                else { continue }
                steps[place] = UInt32(kept.references.count)
                var moved = reference
                (moved.source, moved.target) = (source, target)
                kept.references.append(moved)
            }
            for place in kept.objects.indices {
                kept.objects[place].holder = kept.objects[place].holder.flatMap { steps[Int($0)] }
            }
            keepCycles(&kept, steps)
            kept.limitations = Array(whole.limitations.prefix(SnapshotLimits.limitations))
            kept.omittedObjects &+= UInt64(whole.objects.count - kept.objects.count)
            return kept
        }

        private func keepCycles(_ kept: inout TraceSnapshot, _ places: [UInt32?]) {
            kept.cycles = []
            var room = SnapshotLimits.stepsOfCycles
            for cycle in whole.cycles {
                let references = cycle.references.compactMap { places[Int($0)] }
                guard references.count == cycle.references.count, references.count <= room,
                    kept.cycles.count < SnapshotLimits.cycles
                else { continue }
                room -= references.count
                var moved = cycle
                moved.references = references
                kept.cycles.append(moved)
            }
            kept.omittedCycles &+= UInt64(whole.cycles.count - kept.cycles.count)
        }
    }
}

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
