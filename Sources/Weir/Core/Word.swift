import CWeirCore

/// Values of one machine word: a thread may read one while another thread replaces it, and sees one or the other.
@usableFromInline
enum Word {
    /// Whether `Value` is a plain word. Constant if the caller is specialised.
    @inlinable @inline(__always)
    static func holds<Value>(_: Value.Type) -> Bool {
        _isPOD(Value.self) && MemoryLayout<Value>.size == 8 && MemoryLayout<Value>.alignment == 8
    }

    /// Precondition: `holds(Value.self)`, as for `store`.
    @inlinable @inline(__always)
    static func load<Value>(_ place: UnsafePointer<Value>) -> Value {
        unsafeBitCast(weir_load_u64(UnsafeRawPointer(place).assumingMemoryBound(to: UInt64.self)), to: Value.self)
    }

    @inlinable @inline(__always)
    static func store<Value>(_ value: Value, at place: UnsafeMutablePointer<Value>) {
        weir_store_u64(
            UnsafeMutableRawPointer(place).assumingMemoryBound(to: UInt64.self), unsafeBitCast(value, to: UInt64.self))
    }
}
