/// An array in its own memory that is refilled for each turn; access to its elements counts no references.
///
/// Indexes are checked in debug builds only. Elements must be trivial: removing them releases nothing.
final class ScratchArray<Element> {
    @exclusivity(unchecked) private(set) var base: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var capacity = 0

    init() { base = .allocate(capacity: 0) }

    deinit { base.deallocate() }

    @inline(__always) var isEmpty: Bool { count == 0 }
    @inline(__always) var indices: Range<Int> { 0..<count }
    @inline(__always) var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    @inline(__always)
    subscript(place: Int) -> Element {
        _read {
            assert(indices.contains(place))
            yield base[place]
        }
        _modify {
            assert(indices.contains(place))
            yield &base[place]
        }
    }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { grow(to: max(2, 2 * capacity)) }
        (base + count).initialize(to: element)
        count &+= 1
    }

    /// The last element; the array must not be empty.
    @inline(__always) var last: Element {
        _read { yield self[count &- 1] }
        _modify { yield &self[count &- 1] }
    }

    @inline(__always)
    func removeLast() { count &-= 1 }

    /// Removes all elements and frees the memory.
    func free() {
        base.deallocate()
        base = .allocate(capacity: 0)
        (count, capacity) = (0, 0)
    }

    /// Removes all elements and keeps the memory.
    @inline(__always)
    func removeAll() { count = 0 }

    /// Replaces the elements by `count` copies of one.
    @inline(__always)
    func fill(_ element: Element, count: Int) {
        if count > capacity { grow(to: max(count, 2 * capacity)) }
        base.initialize(repeating: element, count: count)
        self.count = count
    }

    private func grow(to size: Int) {
        let former = base
        base = .allocate(capacity: size)
        base.moveInitialize(from: former, count: count)
        former.deallocate()
        capacity = size
    }
}
