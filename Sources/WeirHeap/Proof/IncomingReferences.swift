/// The references inside of cyclic components, by the object that they lead to.
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
    /// How many references each component has inside of it.
    let countByComponent: Column<Int>

    init(_ rows: HeapRows, _ components: CyclicComponents) {
        first = Column(repeating: 0, count: rows.count + 2)
        countByComponent = Column(repeating: 0, count: components.count)
        let objects = 0..<Int32(truncatingIfNeeded: rows.count)
        for source in objects {
            let component = components.component(of: source)
            guard component >= 0 else { continue }
            for place in rows.places(of: source) where components.component(of: rows.targets[place]) == component {
                first[Int(rows.targets[place]) + 2] += 1
                countByComponent[component] += 1
            }
        }
        // One place further than the rows will begin: filling moves each to its own beginning.
        for object in 0..<rows.count { first[object + 2] += first[object + 1] }
        references = Column(unwritten: first[rows.count + 1])
        for source in objects {
            let component = components.component(of: source)
            guard component >= 0 else { continue }
            let places = rows.places(of: source)
            for place in places where components.component(of: rows.targets[place]) == component {
                let target = Int(rows.targets[place])
                let number = Int32(truncatingIfNeeded: place - places.lowerBound)
                references[first[target + 1]] = Incoming(source: source, number: number)
                first[target + 1] += 1
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
