import CWeirCore

/// An entry in a subject's list of subscribers.
///
/// Not generic, so that unspecialised code knows its size.
@usableFromInline
struct Slot {
    /// Nil: disposed. Atomic, because a delivery reads it outside of the gate.
    @usableFromInline var pointer: UnsafeMutableRawPointer?
    @usableFromInline let key: UInt64

    init<Value>(sink: Sink<Value>, key: UInt64) {
        pointer = Unmanaged.passRetained(sink).toOpaque()
        self.key = key
    }

    /// The sink, if it has not been disposed; alive at least until the current delivery is over.
    @inlinable @inline(__always)
    static func sink<Value>(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Sink<Value>>? {
        guard let pointer = weir_load_pointer(&slot.pointee.pointer) else { return nil }
        let sink = Unmanaged<Sink<Value>>.fromOpaque(pointer)
        return sink._withUnsafeGuaranteedRef({ weir_load_bool(&$0.isActive) }) ? sink : nil
    }
}
