/// A fixed number of plain values, one for each object or reference; faster to index than an array.
///
/// Indexes are checked in debug builds only.
final class Column<Value: BitwiseCopyable> {
    /// The first value.
    let values: UnsafeMutablePointer<Value>
    /// How many values there are.
    let count: Int

    /// `count` times the same value.
    init(repeating value: Value, count: Int) {
        values = .allocate(capacity: count)
        values.initialize(repeating: value, count: count)
        self.count = count
    }

    /// Values that must be written before they are read.
    init(unwritten count: Int) {
        values = .allocate(capacity: count)
        self.count = count
    }

    deinit { values.deallocate() }

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
