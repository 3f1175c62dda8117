/// State of an operator in one subscription.
///
/// It needs no lock: a source delivers on one thread at a time, and several sources take turns (`SourceLinks`). It never changes
/// while foreign code runs, so a nested delivery finds it consistent.
@usableFromInline
final class OperatorState<State>: @unchecked Sendable {  // One thread at a time reaches it, as stated above.
    @usableFromInline @exclusivity(unchecked) var value: State

    @inlinable
    init(_ value: State) { self.value = value }

    /// Runs `body` with the state; no foreign code may run in it.
    @inlinable @inline(__always)
    func withState<Result>(_ body: (inout State) -> Result) -> Result { body(&value) }
}
