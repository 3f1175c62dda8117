/// A pattern of a policy: `*` matches any characters, `**` in a path also for slashes.
package struct NamePattern: Sendable, Hashable {
    /// The text of the pattern.
    package let text: String
    private let parts: [UInt8]

    /// A pattern; every text is one.
    package init(_ text: String) {
        self.text = text
        parts = Array(text.utf8)
    }

    /// Whether the pattern describes the whole name. Cost: the product of both lengths at most.
    package func matches(_ name: String) -> Bool { matches(Array(name.utf8), stopsAtSlash: false) }

    /// Whether the pattern describes the whole path, or a folder that contains it, or, without a slash, the file's name.
    package func matches(path: String) -> Bool {
        let bytes = Array(path.utf8)
        if matches(bytes, stopsAtSlash: true) { return true }
        let slash = UInt8(ascii: "/")
        if !parts.contains(slash), let last = bytes.lastIndex(of: slash) {
            if matches(Array(bytes[(last + 1)...]), stopsAtSlash: true) { return true }
        }
        return bytes.indices.contains { bytes[$0] == slash && matches(Array(bytes[..<$0]), stopsAtSlash: true) }
    }

    private func matches(_ name: [UInt8], stopsAtSlash: Bool) -> Bool {
        let (star, slash) = (UInt8(ascii: "*"), UInt8(ascii: "/"))
        // The states: how many bytes of the pattern are used up, after each byte of the name.
        var states = Set([0])
        func skipStars(_ states: Set<Int>) -> Set<Int> {
            var states = states
            for var place in states {
                while place < parts.count, parts[place] == star {
                    place += 1
                    states.insert(place)
                }
            }
            return states
        }
        states = skipStars(states)
        for byte in name {
            var next: Set<Int> = []
            for place in states where place < parts.count {
                if parts[place] == star {
                    let isDouble =
                        place + 1 < parts.count && parts[place + 1] == star || place > 0 && parts[place - 1] == star
                    if !stopsAtSlash || byte != slash || isDouble { next.insert(place) }
                } else if parts[place] == byte {
                    next.insert(place + 1)
                }
            }
            if next.isEmpty { return false }
            states = skipStars(next)
        }
        return states.contains(parts.count)
    }
}
