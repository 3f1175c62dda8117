/// Names of the items of lists, without their indexes: "screens[0].title" and "screens[7].title" are one, "screens[0…7].title".
struct ItemNames {
    /// A range of indexes for each pair of brackets of a pattern.
    private typealias Ranges = [ClosedRange<UInt64>]

    /// Lists in different groups have ranges of their own.
    private struct Key: Hashable {
        var pattern: String
        var group: NodePlacement.GroupKey?
    }

    private let keys: [Key]
    private var ranges: [Key: Ranges] = [:]

    init(_ names: [String], groups: [NodePlacement.GroupKey?]) {
        var keys: [Key] = []
        for (name, group) in zip(names, groups) {
            let (pattern, indexes) = Self.parts(of: name)
            let key = Key(pattern: pattern, group: group)
            keys.append(key)
            guard !indexes.isEmpty else { continue }
            let known = ranges[key] ?? indexes.map { $0...$0 }
            ranges[key] = zip(known, indexes).map { min($0.lowerBound, $1)...max($0.upperBound, $1) }
        }
        self.keys = keys
    }

    /// What the name at `place` has in common with the other items of its list.
    func pattern(_ place: Int) -> String { keys[place].pattern }

    /// The names with ranges of indexes.
    var shown: [String] {
        keys.map { key in
            guard let ranges = ranges[key] else { return key.pattern }
            var (shown, rest) = ("", key.pattern[...])
            for range in ranges {
                guard let brackets = rest.firstRange(of: "[]") else { break }
                // Not its count: a hostile trace may name the whole range of integers.
                let (low, high) = (range.lowerBound, range.upperBound)
                shown += rest[..<brackets.lowerBound] + (low == high ? "[\(low)]" : "[\(low)…\(high)]")
                rest = rest[brackets.upperBound...]
            }
            return shown + rest
        }
    }

    /// "screens[].title" and 3 of "screens[3].title". A name that already has empty brackets has no indexes.
    private static func parts(of name: String) -> (pattern: String, indexes: [UInt64]) {
        guard name.utf8.contains(UInt8(ascii: "[")), !name.contains("[]") else { return (name, []) }
        var (pattern, indexes, rest) = ("", [UInt64](), name[...])
        while let open = rest.firstIndex(of: "[") {
            let inside = rest[rest.index(after: open)...]
            let digits = inside.prefix { $0.isASCII && $0.isNumber }
            pattern += rest[...open]
            if !digits.isEmpty, digits.endIndex < inside.endIndex, inside[digits.endIndex] == "]",
                let index = UInt64(digits)
            {
                indexes.append(index)
                pattern += "]"
                rest = inside[inside.index(after: digits.endIndex)...]
            } else {
                rest = inside
            }
        }
        return (pattern + rest, indexes)
    }
}
