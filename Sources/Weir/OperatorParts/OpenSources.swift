/// Counts the sources of an operator that can still emit; the operator ends after the last of them.
///
/// A source that fails ends it at once. If a source was released, and so never completed, the operator does not complete either:
/// it ends as released.
@usableFromInline
final class OpenSources<Output>: Sendable {
    @usableFromInline let links: SourceLinks<Output>
    private let state: OperatorState<(count: Int, lastKey: Int, isReleased: Bool)>

    /// - Parameter count: the initial number of sources; their keys start at 0.
    @usableFromInline
    init(_ count: Int, of links: SourceLinks<Output>) {
        self.links = links
        state = OperatorState((count, count - 1, false))
    }

    /// Adds a source; returns its key.
    @usableFromInline
    func open() -> Int {
        state.withState {
            $0.count += 1
            $0.lastKey += 1
            return $0.lastKey
        }
    }

    @usableFromInline
    func close(_ key: Int, _ ending: Ending) {
        if case .failed = ending { return links.finish(ending) }
        links.cut(key)
        let last = state.withState { state -> Ending? in
            state.count -= 1
            if ending.isReleased { state.isReleased = true }
            guard state.count == 0 else { return nil }
            return state.isReleased ? .released : .completed
        }
        if let last { links.finish(last) }
    }
}
