/// The references of a graph, for reading without checks.
struct HeapRows {
    /// The number of objects.
    let count: Int
    /// The index of each object's first reference; one element more than objects.
    let first: UnsafePointer<Int>
    /// The target of each reference.
    let targets: UnsafePointer<Int32>

    /// The number of references.
    var referenceCount: Int { first[count] }

    /// The indexes of the references of `object`.
    @inline(__always)
    func places(of object: Int32) -> Range<Int> {
        Range(uncheckedBounds: (first[Int(object)], first[Int(object) + 1]))
    }
}

extension HeapGraph {
    /// Calls `body` with the references, which must not escape.
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
