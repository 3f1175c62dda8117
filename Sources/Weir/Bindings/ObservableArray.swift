import CWeir
import WeirTrace

/// An observable array whose subscribers can hear what changed in it.
///
/// ```swift
/// let rows = ObservableArray(["Palace", "Wall"])
/// rows.changes().subscribe { table.apply($0.difference) }
/// rows.append("Temple")
/// ```
/// It is an `Observable<[Element]>`: whoever wants whole arrays subscribes to it, and it can be combined with others. Edits
/// that change nothing go no further. In a `batch { … }` all edits become one change.
///
/// **Threads.** Edits are atomic: when several threads edit at the same time, none is lost.
///
/// Cost of an edit: one copy of the array; use `update` for many edits at once.
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
    /// `array[0] += 1` reads, then writes; where other threads edit too, use `update`.
    public subscript(index: Int) -> Element {
        get { value[index] }
        set { update { $0[index] = newValue } }
    }

    // MARK: Editing

    /// Makes one change of all edits in `body`.
    ///
    /// `body` runs again when another thread has edited in the meantime, so it should do nothing else; what it throws
    /// leaves the array as it was.
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

    /// Removes every element for which `shouldBeRemoved` says true.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try update { try $0.removeAll(where: shouldBeRemoved) }
    }

    /// Removes everything.
    public func removeAll() { update { $0.removeAll() } }

    /// Puts `elements` where the elements in `range` are.
    public func replace(_ range: Range<Int>, with elements: some Collection<Element>) {
        update { $0.replaceSubrange(range, with: elements) }
    }

    /// Takes an element out and inserts it, so that it stands at the index `destination` afterwards.
    public func move(from source: Int, to destination: Int) {
        update { $0.insert($0.remove(at: source), at: destination) }
    }
}

extension ObservableArray: @unchecked Sendable where Element: Sendable {}  // Adds no state to `Observable`.
