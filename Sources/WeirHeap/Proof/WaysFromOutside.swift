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
