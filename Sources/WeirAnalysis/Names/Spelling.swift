/// Finds the words that a misspelt word may mean.
package enum Spelling {
    /// How many insertions, deletions, substitutions and swaps of neighbours turn one word into the other.
    ///
    /// Optimal string alignment distance: no letter is edited twice. Cost: the product of both lengths.
    package static func distance(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
        let (source, target) = (Array(one), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for row in 0..<source.count {
            var current = [row + 1]
            current.reserveCapacity(target.count + 1)
            for column in 0..<target.count {
                let substitution = last[column] + (source[row] == target[column] ? 0 : 1)
                var best = min(substitution, last[column + 1] + 1, current[column] + 1)
                let swapped =
                    row > 0 && column > 0 && source[row] == target[column - 1]
                    && source[row - 1] == target[column]
                if swapped { best = min(best, beforeLast[column - 1] + 1) }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[target.count]
    }

    /// The candidates nearest to `word`, best first, without those too far away.
    ///
    /// Too far is more than a third of the longer word, but one edit is always near. Letter case is ignored.
    package static func nearest(to word: String, among candidates: some Sequence<String>, limit: Int = 3)
        -> [String]
    {
        let wanted = word.prefix(longestWord).lowercased()
        var near: [(distance: Int, candidate: String)] = []
        for candidate in candidates {
            let folded = candidate.prefix(longestWord).lowercased()
            let allowed = max(1, max(wanted.count, folded.count) / 3)
            guard abs(wanted.count - folded.count) <= allowed else { continue }
            let distance = distance(wanted, folded)
            if distance <= allowed { near.append((distance, candidate)) }
        }
        near.sort { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
        return near.prefix(limit).map(\.candidate)
    }

    // Names in a trace may be of any length; nobody mistypes beyond this.
    private static let longestWord = 120
}
