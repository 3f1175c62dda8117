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

/// Indexes of nodes or subscriptions, as bits, so that a membership test needs no hash.
struct PlaceSet {
    private let words: [UInt64]
    /// How many indexes the words before each word hold.
    private let ranks: [Int32]
    let count: Int

    init(_ places: Set<Int>) {
        var words = [UInt64](repeating: 0, count: (places.max() ?? -1) / 64 + (places.isEmpty ? 0 : 1))
        for place in places { words[place / 64] |= 1 << UInt64(place % 64) }
        var ranks: [Int32] = []
        var count = 0
        for word in words {
            ranks.append(Int32(count))
            count += word.nonzeroBitCount
        }
        (self.words, self.ranks, self.count) = (words, ranks, count)
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    func contains(_ place: Int) -> Bool {
        place >= 0 && place >> 6 < words.count && words[place >> 6] & 1 << UInt64(place & 63) != 0
    }

    /// How many of the indexes are lower than the given one.
    @inline(__always)
    func rank(of place: Int) -> Int {
        let lower: UInt64 = 1 << UInt64(place & 63) &- 1
        return Int(ranks[place >> 6]) + (words[place >> 6] & lower).nonzeroBitCount
    }

    /// The indexes in ascending order.
    var places: [Int] {
        words.indices.flatMap { word in (0..<64).filter { words[word] & 1 << UInt64($0) != 0 }.map { word * 64 + $0 } }
    }
}

/// For each index, which of several sets contain it.
struct PlaceIndex {
    /// The end of each index's range in `members`.
    private var ends: [Int32]
    private(set) var members: [Int32]

    init(_ sets: [Set<Int>], places: Int) {
        ends = .init(repeating: 0, count: places + 1)
        for set in sets { for place in set { ends[place] += 1 } }
        for place in ends.indices.dropFirst() { ends[place] += ends[place - 1] }
        members = .init(repeating: 0, count: Int(ends[places]))
        var begins = ends
        for (member, set) in sets.enumerated() {
            for place in set {
                begins[place] -= 1
                members[Int(begins[place])] = Int32(member)
            }
        }
    }

    /// The range in `members` of the sets that contain an index.
    @inline(__always)
    func entries(of place: Int) -> Range<Int> { (place == 0 ? 0 : Int(ends[place - 1]))..<Int(ends[place]) }
}
