/// A shortest path to each object from one with references from outside. Objects without a path are garbage.
struct WaysFromOutside {
    /// In place of a holder: references from outside lead here.
    static let isOutside: Int32 = -1
    /// In place of a holder: no path leads here.
    static let isGarbage: Int32 = -2

    /// The object before each one on its path.
    let holders: Column<Int32>

    /// Finds shortest paths. Among equally short ones, it prefers those that begin at objects other than `wanted`.
    ///
    /// 'It is held from outside' is the least useful answer about a wanted object.
    init(_ rows: HeapRows, outside: Column<Int32>, wanted: [Int32]) throws(NoMemory) {
        holders = try Column(repeating: Self.isGarbage, count: rows.count)
        let queue = try Column<Int32>(unwritten: rows.count)
        var end = 0
        var last: [Int32] = []
        for object in wanted where outside[object] > 0 && holders[object] == Self.isGarbage {
            holders[object] = Self.isOutside
            last.append(object)
        }
        var inconsistent: [Int32] = []
        for object in 0..<Int32(truncatingIfNeeded: rows.count)
        where outside[object] != 0 && holders[object] == Self.isGarbage {
            holders[object] = Self.isOutside
            if outside[object] < 0 {
                inconsistent.append(object)
            } else {
                queue[end] = object
                end += 1
            }
        }
        for object in last + inconsistent {
            queue[end] = object
            end += 1
        }
        spread(rows, queue, end)
    }

    /// Finds paths that avoid the `barred` objects.
    init(_ rows: HeapRows, outside: Column<Int32>, barred: [Int32]) throws(NoMemory) {
        holders = try Column(repeating: Self.isGarbage, count: rows.count)
        let queue = try Column<Int32>(unwritten: rows.count)
        var end = 0
        for object in barred { holders[object] = Self.isOutside }
        for object in 0..<Int32(truncatingIfNeeded: rows.count)
        where outside[object] != 0 && holders[object] == Self.isGarbage {
            holders[object] = Self.isOutside
            queue[end] = object
            end += 1
        }
        spread(rows, queue, end)
        for object in barred { holders[object] = Self.isGarbage }
    }

    /// Searches breadth first from the objects in `queue`.
    private func spread(_ rows: HeapRows, _ queue: Column<Int32>, _ sources: Int) {
        var (next, end) = (0, sources)
        while next < end {
            let object = queue[next]
            next += 1
            for place in rows.places(of: object) {
                let target = rows.targets[place]
                guard holders[target] == Self.isGarbage else { continue }
                holders[target] = object
                queue[end] = target
                end += 1
            }
        }
    }
}

/// The references of objects that may be on cycles, by target.
struct IncomingReferences {
    /// One reference.
    struct Incoming: BitwiseCopyable {
        /// The object that has the reference.
        let source: Int32
        /// The index among the source's references.
        let number: Int32
    }

    private let first: Column<Int>
    private let references: Column<Incoming>

    /// The references of all objects that are unmet in `states`. `counts` has the number that lead to each object.
    init(_ rows: HeapRows, _ states: Column<Int32>, _ counts: Column<Int32>) throws(NoMemory) {
        // Each start is stored one index too far: filling the rows moves it to its final index.
        first = try Column(unwritten: rows.count + 2)
        first[0] = 0
        first[1] = 0
        for object in 0..<rows.count { first[object + 2] = first[object + 1] + Int(counts[object]) }
        references = try Column(unwritten: first[rows.count + 1])
        for source in 0..<Int32(truncatingIfNeeded: rows.count) where states[source] == ComponentNumbering.unmet {
            let places = rows.places(of: source)
            for place in places {
                let target = Int(rows.targets[place])
                let number = Int32(truncatingIfNeeded: place &- places.lowerBound)
                references[first[target + 1]] = Incoming(source: source, number: number)
                first[target + 1] &+= 1
            }
        }
    }

    /// The indexes for `subscript` of the references to `object`: ascending by source, then by number.
    @inline(__always)
    func places(to object: Int32) -> Range<Int> {
        Range(uncheckedBounds: (first[Int(object)], first[Int(object) + 1]))
    }

    @inline(__always)
    subscript(_ place: Int) -> Incoming { references[place] }
}

/// The number of strong references to each object that the walk did not find: its strong count minus found ones and pins.
///
/// Source: trial deletion as in Bacon and Rajan, 'Concurrent cycle collection in reference counted systems', 2001.
struct OutsideReferences {
    /// The number of references found to each object.
    let found: Column<Int32>
    /// The number of references from outside to each object.
    ///
    /// `Int32.max`: the object is immortal. Negative: more references were found than it counts.
    let counts: Column<Int32>
    /// Objects with more found references than they count, ascending. They are treated as held.
    let inconsistent: [Int32]

    init(of graph: HeapGraph, _ rows: HeapRows, pins: [Int32: Int]) throws(NoMemory) {
        let found = try Column<Int32>(zeroed: rows.count)
        for place in 0..<rows.referenceCount { found[rows.targets[place]] &+= 1 }
        let counts = try Column<Int32>(unwritten: rows.count)
        graph.strongCounts.withUnsafeBufferPointer { strongCounts in
            for object in 0..<rows.count {
                let strong = strongCounts[object]
                counts[object] = strong == .max ? .max : strong &- found[object]
            }
        }
        for (object, pins) in pins where counts[object] != .max {
            let (rest, overflow) = Int(counts[object]).subtractingReportingOverflow(pins)
            counts[object] = overflow ? .min : Int32(clamping: rest)
        }
        inconsistent = (0..<Int32(truncatingIfNeeded: rows.count)).filter { counts[$0] < 0 }
        self.found = found
        self.counts = counts
    }
}
