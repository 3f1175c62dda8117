import CWeir

/// Indices in the order of their keys; indices with equal keys keep their previous order.
///
/// It is fast in builds without optimization, too: C code sorts by a number, and only equal numbers need longer comparisons.
struct SnapshotOrder {
    private(set) var places: [Int]
    /// By index: the number of elements before all that are equal to it.
    private(set) var ranks: [UInt64]
    /// The ranges of `places` with equal elements.
    private(set) var ties: [Range<Int>] = []
    /// The indices of elements that have equals.
    var tied: [Int] { ties.flatMap { places[$0] } }

    init(_ keys: [UInt64]) {
        var pairs: [weir_pair] = []
        pairs.reserveCapacity(keys.count)
        for place in keys.indices { pairs.append(weir_pair(key: keys[place], value: UInt64(place))) }
        weir_sort_pairs(&pairs, pairs.count)
        places = pairs.map { Int($0.value) }
        ranks = Array(repeating: 0, count: keys.count)
        ties = number(places.indices) { pairs[$0].key == pairs[$1].key }
    }

    /// Orders equal elements by further keys, which are compared one after the other.
    mutating func refine(_ keys: (_ place: Int) -> [UInt64]) {
        let known = ties
        ties = []
        for tie in known {
            let members = Array(places[tie])
            let keys = members.map(keys)
            // Usually the first keys are all different.
            var order = SnapshotOrder(keys.map { $0.first ?? 0 })
            order.sortTies(by: keys)
            for (offset, member) in order.places.enumerated() { places[tie.lowerBound + offset] = members[member] }
            ties += number(tie) { keys[order.places[$0 - tie.lowerBound]] == keys[order.places[$1 - tie.lowerBound]] }
        }
    }

    private mutating func sortTies(by keys: [[UInt64]]) {
        for tie in ties {
            places[tie].sort { one, other in
                keys[one] == keys[other] ? one < other : keys[one].lexicographicallyPrecedes(keys[other])
            }
        }
    }

    /// Assigns ranks within `range`; returns the ranges of equal elements.
    private mutating func number(_ range: Range<Int>, _ areAlike: (_ index: Int, _ next: Int) -> Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var first = range.lowerBound
        for index in range {
            if index > first, !areAlike(index - 1, index) { first = index }
            ranks[places[index]] = UInt64(first)
            if index == first + 1 { found.append(first..<index + 1) }
            if index > first + 1 { found[found.count - 1] = first..<index + 1 }
        }
        return found
    }

    /// By previous index: the new index.
    var moves: [UInt32] {
        var moves = [UInt32](repeating: 0, count: places.count)
        for index in places.indices { moves[places[index]] = UInt32(index) }
        return moves
    }
}
