/// Removes keys and indices from names: "Vault.byCard[5500].amount" becomes "Vault.byCard[private].amount".
///
/// A key is part of the value of its collection. If that value is removed, the key is removed from every name that leads
/// through the collection, including the names of nodes whose values stay.
package struct HiddenKeys: Sendable {
    /// The paths of the collections, without keys: "Vault.byCard", "Vault.byCard[].items"; nil: all.
    private var collections: Set<String>?

    /// All keys.
    package static let all = HiddenKeys(collections: nil)

    /// The keys of the collections that these names belong to or lead through.
    package init(of labels: some Sequence<String>) {
        var found: Set<String> = []
        for label in labels {
            var path = ""
            for part in Self.parts(of: label) {
                path += part.name
                found.insert(path)
                path += part.key == nil ? "" : "[]"
            }
            found.insert(path)
        }
        collections = found
    }

    private init(collections: Set<String>?) { self.collections = collections }

    /// A name without the keys to remove; the name of a node whose values are removed loses all keys.
    package func removed(from label: String, isOfHiddenNode: Bool = false) -> String {
        guard label.utf8.contains(UInt8(ascii: "[")) else { return label }
        var (result, path, isInside, isChanged) = ("", "", false, false)
        for part in Self.parts(of: label) {
            result += part.name
            path += part.name
            guard let key = part.key else { break }
            // A key directly after a key leads into the same value.
            isInside = isInside && part.name.isEmpty
            isInside = isInside || isOfHiddenNode || collections?.contains(path) ?? true
            isChanged = isChanged || isInside
            result += isInside ? "[\(TraceFormat.removedKey)]" : "[\(key)]"
            path += "[]"
        }
        // An unclosed bracket is kept.
        return isChanged ? result : label
    }

    /// A part of a name, and the key that follows it, if any.
    private struct Part {
        var name: Substring
        var key: Substring?
    }

    private static func parts(of label: String) -> [Part] {
        var parts: [Part] = []
        var rest = label[...]
        while let open = rest.firstIndex(of: "[") {
            let end = keyEnd(in: rest[open...])
            let key = rest[rest.index(after: open)..<end]
            parts.append(Part(name: rest[..<open], key: key))
            rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
        }
        parts.append(Part(name: rest, key: nil))
        return parts
    }

    /// The closing bracket for the bracket at the beginning.
    ///
    /// A key may contain brackets. So only brackets before a dot, another bracket or the end count, and of superfluous ones
    /// the last.
    private static func keyEnd(in text: Substring) -> String.Index {
        var depth = 0
        var end: String.Index?
        for place in text.indices {
            switch text[place] {
            case "[": depth += 1
            case "]":
                depth -= 1
                let next = text.index(after: place)
                let isLast = next == text.endIndex || text[next] == "." || text[next] == "["
                if depth <= 0, isLast, end == nil { end = place }
                // More brackets are closed than opened, so it is unclear which one closes the key.
                if depth < 0 { end = place }
            default: break
            }
        }
        return end ?? text.endIndex
    }
}
