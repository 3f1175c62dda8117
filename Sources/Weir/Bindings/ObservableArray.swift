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
    public func append(contentsOf elements: some Sequence<Element>) { update { $0.append(contentsOf: elements) } }

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
