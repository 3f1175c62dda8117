#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A fixed number of plain values, one for each object or reference; faster to index than an array.
///
/// Indexes are checked in debug builds only.
final class Column<Value: BitwiseCopyable> {
    /// The first value.
    let values: UnsafeMutablePointer<Value>
    /// How many values there are.
    let count: Int

    /// `count` times the same value.
    convenience init(repeating value: Value, count: Int) {
        self.init(unwritten: count)
        values.initialize(repeating: value, count: count)
    }

    /// Values whose bytes are zero. Costs nothing for those that are never touched.
    init(zeroed count: Int) {
        values = Self.memory(calloc(max(count, 1), MemoryLayout<Value>.stride), count)
        self.count = count
    }

    /// Values that must be written before they are read.
    init(unwritten count: Int) {
        values = Self.memory(malloc(max(count, 1) * MemoryLayout<Value>.stride), count)
        self.count = count
    }

    deinit { free(values) }

    private static func memory(_ memory: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutablePointer<Value> {
        guard let memory else { fatalError("no memory for \(count) values of a heap walk") }
        return memory.bindMemory(to: Value.self, capacity: count)
    }

    @inline(__always)
    subscript(_ place: Int) -> Value {
        get {
            assert(place >= 0 && place < count)
            return values[place]
        }
        set {
            assert(place >= 0 && place < count)
            values[place] = newValue
        }
    }

    @inline(__always)
    subscript(_ place: Int32) -> Value {
        get { self[Int(place)] }
        set { self[Int(place)] = newValue }
    }
}
