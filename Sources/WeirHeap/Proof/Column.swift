#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// There is not enough memory for the data that a proof needs besides the graph.
struct NoMemory: Error {}

/// Limits how many columns get memory, so that a test can let it run out.
final class MemoryAllowance: @unchecked Sendable {
    @TaskLocal static var current: MemoryAllowance?

    private var columns: Int

    init(columns: Int) { self.columns = columns }

    /// Counts one column. Returns whether there is memory for it.
    func take() -> Bool {
        columns -= 1
        return columns >= 0
    }
}

/// A fixed number of plain values, one per object or reference; faster to index than an array.
///
/// Indexes are checked in debug builds only. Initializers throw when memory runs out, because a walk in the app itself must not
/// end the app.
final class Column<Value: BitwiseCopyable> {
    /// The first value.
    let values: UnsafeMutablePointer<Value>
    /// The number of values.
    let count: Int

    /// `count` copies of the same value.
    convenience init(repeating value: Value, count: Int) throws(NoMemory) {
        try self.init(unwritten: count)
        values.initialize(repeating: value, count: count)
    }

    /// Values whose bytes are zero. Values that are never touched cost nothing.
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
