import CWeir
import WeirTrace

extension ObservableArray {
    /// What changes from now on; with `initial` first the whole array, as a change from an empty one.
    ///
    /// Each subscriber's changes follow from one another: applying their differences to the array that was there when it
    /// subscribed gives the array that is there now. What changes while a subscriber handles a change comes after that.
    /// Cost: a comparison of the former with the new array for each subscriber, O(n) for a single edit. When more than
    /// 256 elements were inserted or removed at once, the difference may be longer than it had to be.
    public func changes(
        initial: Bool = false, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<ArrayChange<Element>> {
        let changes = ArrayChanges<Element>(array: self, isInitial: initial) { $0 }
        return Operator(.changes, changes, to: self, file: file, line: line)
    }

    /// The differences of `changes()`.
    public func differences(
        initial: Bool = false, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<CollectionDifference<Element>> {
        changes(initial: initial, file: file, line: line).map(file: file, line: line) { $0.difference }
    }
}

extension ObservableArray where Element: Hashable {
    /// What changes from now on, with moves: a removal and an insertion of the same element are associated.
    ///
    /// As for elements that are not `Hashable`.
    public func changes(
        initial: Bool = false, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<ArrayChange<Element>> {
        let changes = ArrayChanges<Element>(array: self, isInitial: initial) { $0.inferringMoves() }
        return Operator(.changes, changes, to: self, file: file, line: line)
    }

    /// The differences of `changes()`, with moves.
    public func differences(
        initial: Bool = false, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<CollectionDifference<Element>> {
        changes(initial: initial, file: file, line: line).map(file: file, line: line) { $0.difference }
    }
}

private struct ArrayChanges<Element: Equatable & SendableMetatype>: Operation {
    /// Weak, because a subscription must not hold its source.
    weak var array: ObservableArray<Element>?
    let isInitial: Bool
    let finish: (CollectionDifference<Element>) -> CollectionDifference<Element>

    func attach(_ downstream: Sink<ArrayChange<Element>>, to source: Signal<[Element]>) -> Disposable {
        let known = isInitial ? [] : array?.value ?? []
        let listener = ArrayListener(array, known: known, finish, downstream)
        let subscription = source.attach(InputSink(feeding: downstream) { listener.arrayChanged(to: $0) })
        listener.catchUp(isInitial: isInitial)
        return subscription
    }
}

/// What one subscriber knows of an array.
private final class ArrayListener<Element: Equatable & SendableMetatype> {
    private struct Progress {
        var known: [Element]
        var isBusy = false
        var isOutdated = false
    }

    private let progress: Guarded<Progress>
    private weak var array: ObservableArray<Element>?
    private let finish: (CollectionDifference<Element>) -> CollectionDifference<Element>
    private let downstream: Sink<ArrayChange<Element>>

    init(
        _ array: ObservableArray<Element>?, known: [Element],
        _ finish: @escaping (CollectionDifference<Element>) -> CollectionDifference<Element>,
        _ downstream: Sink<ArrayChange<Element>>
    ) {
        progress = Guarded(Progress(known: known))
        self.array = array
        self.finish = finish
        self.downstream = downstream
    }

    /// Tells the subscriber, unless it is being told already: then it hears this afterwards.
    func arrayChanged(to delivered: [Element], isInitial: Bool = false) {
        var isFirst = isInitial
        let isMine = progress.withState { progress in
            defer { progress.isBusy = true }
            progress.isOutdated = progress.isBusy
            return !progress.isBusy
        }
        guard isMine else { return }
        repeat {
            // The array now: when threads edit at the same time, the last delivery need not be that of the last edit.
            tell(array?.value ?? delivered, evenIfEqual: isFirst)
            isFirst = false
        } while hasMore()
    }

    /// Tells what is there already, or has changed while subscribing.
    func catchUp(isInitial: Bool) {
        guard let now = array?.value else { return }
        if isInitial || now != progress.withState({ $0.known }) { arrayChanged(to: now, isInitial: isInitial) }
    }

    private func tell(_ elements: [Element], evenIfEqual: Bool) {
        let known = progress.withState { $0.known }
        if elements == known && !evenIfEqual { return downstream.suppress(.equal) }
        progress.withState { $0.known = elements }
        let difference = finish(ArrayDifference.between(known, elements))
        downstream.emit(ArrayChange(elements: elements, difference: difference))
    }

    private func hasMore() -> Bool {
        progress.withState { progress in
            defer { progress.isOutdated = false }
            progress.isBusy = progress.isOutdated
            return progress.isOutdated
        }
    }
}
