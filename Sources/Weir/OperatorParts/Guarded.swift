import CWeirCore

/// State of an operator that several threads may access.
@usableFromInline
final class Guarded<State>: @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) var gate = weir_gate()
    @usableFromInline @exclusivity(unchecked) var state: State

    @inlinable
    init(_ state: State) { self.state = state }

    /// Runs `body` exclusively. It must not run foreign code: no transform, no `==` of a user's type, no delivery, and no release
    /// of a user's object (return a replaced object, so that it is released outside).
    @inlinable @inline(__always)
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        HeldGate.inside(&gate) { body(&state) }
    }
}
