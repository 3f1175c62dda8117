import WeirRecording

/// Computes the difference between two arrays.
///
/// Finds the shortest edit script (Myers, 'An O(ND) Difference Algorithm and Its Variations', 1986) for the elements between the
/// common beginning and the common end. If the script needs more than `most` insertions and removals, it replaces all of these
/// elements. So the cost is at most O((old.count + new.count) · most), and O(old.count + new.count) for a single edit.
struct ArrayDifference<Element: Equatable> {
    private typealias Change = CollectionDifference<Element>.Change

    static var most: Int { 256 }

    private let old: [Element]
    private let new: [Element]
    private var start = 0
    private var oldEnd: Int
    private var newEnd: Int

    private init(from old: [Element], to new: [Element]) {
        (self.old, self.new) = (old, new)
        (oldEnd, newEnd) = (old.count, new.count)
        while start < min(oldEnd, newEnd), old[start] == new[start] { start += 1 }
        while start < min(oldEnd, newEnd), old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
    }

    static func between(_ old: [Element], _ new: [Element]) -> CollectionDifference<Element> {
        let search = ArrayDifference(from: old, to: new)
        let changes = search.shortestScript() ?? search.replacement()
        guard let difference = CollectionDifference(changes) else {
            preconditionFailure("the changes found between two arrays contradict each other")
        }
        return difference
    }

    private func removal(_ index: Int) -> Change { .remove(offset: index, element: old[index], associatedWith: nil) }
    private func insertion(_ index: Int) -> Change { .insert(offset: index, element: new[index], associatedWith: nil) }

    private func replacement() -> [Change] { (start..<oldEnd).map(removal) + (start..<newEnd).map(insertion) }

    /// Returns nil if more than `most` changes are needed.
    ///
    /// `reach[k]` is how far in `old` a script of `depth` changes can get on diagonal k (position in old - position in new).
    private func shortestScript() -> [Change]? {
        let (oldCount, newCount) = (oldEnd - start, newEnd - start)
        if oldCount == 0 || newCount == 0 { return replacement() }
        let limit = min(oldCount + newCount, Self.most)
        var reach = [Int](repeating: 0, count: 2 * limit + 3)
        let middle = limit + 1
        var history: [ArraySlice<Int>] = []
        for depth in 0...limit {
            for diagonal in stride(from: -depth, through: depth, by: 2) {
                let isInsertion = Self.isInsertion(diagonal, depth) { reach[middle + $0] }
                var x = depth == 0 ? 0 : isInsertion ? reach[middle + diagonal + 1] : reach[middle + diagonal - 1] + 1
                while x < oldCount, x - diagonal < newCount, old[start + x] == new[start + x - diagonal] { x += 1 }
                reach[middle + diagonal] = x
                if x >= oldCount && x - diagonal >= newCount { return script(history, middle, depth, diagonal) }
            }
            history.append(reach[(middle - depth)...(middle + depth)])
        }
        return nil
    }

    private static func isInsertion(_ diagonal: Int, _ depth: Int, _ reach: (Int) -> Int) -> Bool {
        diagonal == -depth || diagonal != depth && reach(diagonal - 1) < reach(diagonal + 1)
    }

    /// Walks back from the end, one change for each depth.
    private func script(_ history: [ArraySlice<Int>], _ middle: Int, _ depth: Int, _ last: Int) -> [Change] {
        var changes: [Change] = []
        var diagonal = last
        for before in stride(from: depth - 1, through: 0, by: -1) {
            let reach = history[before]
            if Self.isInsertion(diagonal, before + 1, { reach[middle + $0] }) {
                diagonal += 1
                changes.append(insertion(start + reach[middle + diagonal] - diagonal))
            } else {
                diagonal -= 1
                changes.append(removal(start + reach[middle + diagonal]))
            }
        }
        return changes
    }
}

/// A change of an array: its new elements, and the difference from its former elements.
public struct ArrayChange<Element: Equatable & SendableMetatype> {
    /// The array after the change.
    public let elements: [Element]
    /// The difference to apply to the array before the change.
    public let difference: CollectionDifference<Element>
}

extension ArrayChange: Sendable where Element: Sendable {}
extension ArrayChange: Equatable {}

/// Traces hold the number of elements, not the elements.
extension ArrayChange: TraceValueConvertible {
    /// For instance '3 elements, 1 change'.
    public var traceDescription: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return "\(count(elements.count, "element")), \(count(difference.count, "change"))"
    }
}
