import CWeirCore
import WeirRecording

/// An observable array whose subscribers can receive its changes as differences.
///
/// ```swift
/// let rows = ObservableArray(["Palace", "Wall"])
/// rows.changes().subscribe { table.apply($0.difference) }
/// rows.append("Temple")
/// ```
/// It is an `Observable<[Element]>`: subscribe to it for whole arrays, or combine it with other observables. An edit that changes
/// nothing goes no further. In a `batch { … }` all edits become one change.
///
/// **Threads.** Edits are atomic: if several threads edit at the same time, no edit is lost.
///
/// **Isolation.** `==` of the elements may run on any thread. In a module that is isolated to the main actor by default, declare
/// their type as `nonisolated struct Row: Equatable`; otherwise, its conformance belongs to the main actor, and the compiler
/// refuses the array.
///
/// Cost of an edit: one copy of the array; use `update` to make many edits at once.
public final class ObservableArray<Element: Equatable & SendableMetatype>: Observable<[Element]> {
    /// An array that holds `elements`.
    ///
    /// - Parameter privacy: `.private` keeps even the number of elements out of every trace.
    public override init(
        _ elements: [Element] = [], privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        super.init(elements, privacy: privacy, file: file, line: line)
        recordCreated()
    }

    override var kind: NodeKind { .array }

    /// The element at `index`; writing an equal one changes nothing.
    ///
    /// `array[0] += 1` reads, then writes; if other threads edit too, use `update`.
    public subscript(index: Int) -> Element {
        get { value[index] }
        set { update { $0[index] = newValue } }
    }

    // MARK: Editing

    /// Makes all edits in `body` one change.
    ///
    /// `body` runs again if another thread has edited the array, so it should have no other effects. If it throws, the array
    /// stays unchanged.
    public func update<Result>(_ body: (inout [Element]) throws -> Result) rethrows -> Result { try modify(body) }

    /// Adds an element at the end.
    public func append(_ element: Element) { update { $0.append(element) } }

    /// Adds elements at the end.
    public func append(contentsOf elements: some Sequence<Element>) {
        // The edit may run again, but some sequences can be read only once.
        let elements = Array(elements)
        update { $0.append(contentsOf: elements) }
    }

    /// Inserts an element before the one at `index`, or at the end.
    public func insert(_ element: Element, at index: Int) { update { $0.insert(element, at: index) } }

    /// Removes the element at `index`.
    @discardableResult
    public func remove(at index: Int) -> Element { update { $0.remove(at: index) } }

    /// Removes every element for which `shouldBeRemoved` returns true.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try update { try $0.removeAll(where: shouldBeRemoved) }
    }

    /// Removes everything.
    public func removeAll() { update { $0.removeAll() } }

    /// Replaces the elements in `range` with `elements`.
    public func replace(_ range: Range<Int>, with elements: some Collection<Element>) {
        update { $0.replaceSubrange(range, with: elements) }
    }

    /// Removes an element and inserts it so that its index is `destination` afterwards.
    public func move(from source: Int, to destination: Int) {
        update { $0.insert($0.remove(at: source), at: destination) }
    }
}

extension ObservableArray: @unchecked Sendable where Element: Sendable {}  // Adds no state to `Observable`.

extension ObservableArray {
    /// Delivers the changes from now on; with `initial`, first the whole array as a change from an empty one.
    ///
    /// Each subscriber's changes are consecutive: applying their differences to the array at the time of subscription gives the
    /// current array. A change made while a subscriber handles another one is delivered afterwards. Cost: one comparison of the
    /// former with the new array for each subscriber, O(n) for a single edit. If more than 256 elements are inserted or removed
    /// at once, the difference may be longer than necessary.
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
    /// Delivers the changes from now on, with moves: a removal and an insertion of the same element are associated.
    ///
    /// Otherwise the same as for elements that are not `Hashable`.
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

/// The state of an array as one subscriber knows it.
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

    /// Notifies the subscriber, unless a notification is in progress: that one then delivers this change too.
    func arrayChanged(to delivered: [Element], isInitial: Bool = false) {
        var isFirst = isInitial
        let isMine = progress.withState { progress in
            defer { progress.isBusy = true }
            progress.isOutdated = progress.isBusy
            return !progress.isBusy
        }
        guard isMine else { return }
        repeat {
            // Reads the current array: if threads edit at the same time, the last delivery need not be that of the last edit.
            report(array?.value ?? delivered, evenIfEqual: isFirst)
            isFirst = false
        } while hasMore()
    }

    /// Delivers the initial array, or a change made while subscribing.
    func catchUp(isInitial: Bool) {
        guard let now = array?.value else { return }
        if isInitial || now != progress.withState({ $0.known }) { arrayChanged(to: now, isInitial: isInitial) }
    }

    private func report(_ elements: [Element], evenIfEqual: Bool) {
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
