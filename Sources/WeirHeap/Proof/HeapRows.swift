/// The references of a graph, to be read without checks.
struct HeapRows {
    /// How many objects there are.
    let count: Int
    /// Where the references of each object begin; one more than objects.
    let first: UnsafePointer<Int>
    /// The objects that they lead to.
    let targets: UnsafePointer<Int32>

    /// How many references there are.
    var referenceCount: Int { first[count] }

    /// The places of the references of `object`.
    @inline(__always)
    func places(of object: Int32) -> Range<Int> {
        Range(uncheckedBounds: (first[Int(object)], first[Int(object) + 1]))
    }
}

extension HeapGraph {
    /// Calls `body` with the references, which must not be kept.
    func withRows<Result>(_ body: (HeapRows) throws -> Result) rethrows -> Result {
        try firstReference.withUnsafeBufferPointer { first in
            try targets.withUnsafeBufferPointer { targets in
                let noTarget = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
                defer { noTarget.deallocate() }
                guard let first = first.baseAddress else {
                    let noReference = UnsafeMutablePointer<Int>.allocate(capacity: 1)
                    defer { noReference.deallocate() }
                    noReference.initialize(to: 0)
                    return try body(HeapRows(count: 0, first: noReference, targets: noTarget))
                }
                return try body(
                    HeapRows(count: count, first: first, targets: targets.baseAddress ?? UnsafePointer(noTarget)))
            }
        }
    }
}
