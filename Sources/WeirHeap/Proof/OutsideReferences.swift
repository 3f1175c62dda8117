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
