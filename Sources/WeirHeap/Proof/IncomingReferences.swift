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
