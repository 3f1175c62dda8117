import CWeirCore

/// Shows that this thread is inside a gate, which it must leave.
///
/// A function that takes it as a `consuming` parameter leaves the gate, whatever else it does. A debug build stops if a gate is not
/// left. Inside, no foreign code may run: no handler, no `==` of a user's type, no release of a user's object.
///
/// Gates are passed as pointers: the thread sanitizer takes an `inout` argument for an access to the gate without protection.
@frozen @usableFromInline
struct HeldGate: ~Copyable {
    /// Whether the gate is biased to this thread: then no other thread has ever entered it.
    @usableFromInline let isBiased: Bool

    /// Enters `gate`.
    @inlinable @inline(__always)
    init(_ gate: UnsafeMutablePointer<weir_gate>) { isBiased = weir_gate_enter(gate) }

    /// In a gate that this thread has entered and stayed in.
    init(stayedIn: Void) { isBiased = true }

    @usableFromInline
    deinit { assertionFailure("a gate was not left") }

    @inlinable @inline(__always)
    consuming func leave(_ gate: UnsafeMutablePointer<weir_gate>) {
        weir_gate_leave(gate, isBiased)
        discard self
    }

    /// Stays in the gate, which is biased to this thread.
    consuming func stay() {
        assert(isBiased)
        discard self
    }

    /// Runs `body` inside `gate`.
    @inlinable @inline(__always)
    static func inside<Result>(
        _ gate: UnsafeMutablePointer<weir_gate>, _ body: () throws -> Result
    ) rethrows -> Result {
        let biased = weir_gate_enter(gate)
        defer { weir_gate_leave(gate, biased) }
        return try body()
    }
}
