/// Removes keys and indices from names: "Vault.byCard[5500].amount" becomes "Vault.byCard[private].amount".
///
/// A key is a part of the value of the collection that it leads into. So where that is removed, the key goes from every name
/// that leads through the collection, also from those of nodes that stay.
package struct HiddenKeys: Sendable {
    /// The paths of the collections, without keys: "Vault.byCard", "Vault.byCard[].items"; nil: all.
    private var collections: Set<String>?

    /// All keys.
    package static let all = HiddenKeys(collections: nil)

    /// The keys of the collections that these names are of, or lead through.
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

    /// A name without the keys that are to be removed; of a node whose values are removed, without any.
    package func removed(from label: String, isOfHiddenNode: Bool = false) -> String {
        guard label.utf8.contains(UInt8(ascii: "[")) else { return label }
        var (result, path, isInside, isChanged) = ("", "", false, false)
        for part in Self.parts(of: label) {
            result += part.name
            path += part.name
            guard let key = part.key else { break }
            // A key behind a key leads into the same value.
            isInside = isInside && part.name.isEmpty
            isInside = isInside || isOfHiddenNode || collections?.contains(path) ?? true
            isChanged = isChanged || isInside
            result += isInside ? "[\(TraceFormat.removedKey)]" : "[\(key)]"
            path += "[]"
        }
        // A bracket that is not closed stays so.
        return isChanged ? result : label
    }

    /// A piece of a name, and the key behind it, if there is one.
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

    /// Where the bracket at the beginning is closed. A key may hold brackets of its own, so only one before a dot, another
    /// bracket or the end counts, and of too many the last one.
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
                // More are closed than opened: which one closes the key is unknown.
                if depth < 0 { end = place }
            default: break
            }
        }
        return end ?? text.endIndex
    }
}
