#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// There is no memory for what a proof needs beside the graph.
struct NoMemory: Error {}

/// How often columns still get memory, where a test lets it run out.
final class MemoryAllowance: @unchecked Sendable {
    @TaskLocal static var current: MemoryAllowance?

    private var columns: Int

    init(columns: Int) { self.columns = columns }

    /// Whether there is any left.
    func take() -> Bool {
        columns -= 1
        return columns >= 0
    }
}

/// A fixed number of plain values, one for each object or reference; faster to index than an array.
///
/// Indexes are checked in debug builds only. A walk in the app itself must not end the app where memory has run out, so
/// what needs a column throws.
final class Column<Value: BitwiseCopyable> {
    /// The first value.
    let values: UnsafeMutablePointer<Value>
    /// How many values there are.
    let count: Int

    /// `count` times the same value.
    convenience init(repeating value: Value, count: Int) throws(NoMemory) {
        try self.init(unwritten: count)
        values.initialize(repeating: value, count: count)
    }

    /// Values whose bytes are zero. Costs nothing for those that are never touched.
    init(zeroed count: Int) throws(NoMemory) {
        values = try Self.memory(count) { calloc(max(count, 1), MemoryLayout<Value>.stride) }
        self.count = count
    }

    /// Values that must be written before they are read.
    init(unwritten count: Int) throws(NoMemory) {
        values = try Self.memory(count) { malloc(max(count, 1) * MemoryLayout<Value>.stride) }
        self.count = count
    }

    deinit { free(values) }

    private static func memory(
        _ count: Int, _ allocate: () -> UnsafeMutableRawPointer?
    ) throws(NoMemory) -> UnsafeMutablePointer<Value> {
        guard MemoryAllowance.current?.take() ?? true, let memory = allocate() else { throw NoMemory() }
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
