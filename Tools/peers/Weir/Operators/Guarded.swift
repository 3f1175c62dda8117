import CWeir

/// State of an operator, which several threads may reach.
@usableFromInline
final class Guarded<State>: @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) var gate = weir_gate()
    @usableFromInline @exclusivity(unchecked) var state: State

    @inlinable
    init(_ state: State) { self.state = state }

    /// Runs `body` alone. No foreign code may run in it: no transform, no `==` of a user's type, no delivery, and no
    /// release of a user's object (give what is replaced out as the result, so that it is released outside).
    @inlinable @inline(__always)
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return body(&state)
    }
}
