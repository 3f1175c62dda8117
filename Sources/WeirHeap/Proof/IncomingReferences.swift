/// The references of objects that may lie on circles, by the object that they lead to.
struct IncomingReferences {
    /// One reference.
    struct Incoming: BitwiseCopyable {
        /// The object that has it.
        let source: Int32
        /// Which of the source's references it is.
        let number: Int32
    }

    private let first: Column<Int>
    private let references: Column<Incoming>

    /// The references of all objects that are unmet in `states`; `counts` says how many of them lead to each object.
    init(_ rows: HeapRows, _ states: Column<Int32>, _ counts: Column<Int32>) throws(NoMemory) {
        // One place further than the rows will begin: filling moves each to its own beginning.
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

    /// The places in `subscript` of the references to `object`: ascending by source, then by number.
    @inline(__always)
    func places(to object: Int32) -> Range<Int> {
        Range(uncheckedBounds: (first[Int(object)], first[Int(object) + 1]))
    }

    @inline(__always)
    subscript(_ place: Int) -> Incoming { references[place] }
}
