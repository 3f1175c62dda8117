import WeirTrace

/// The fields in which two descriptions of one structure differ, as `String(describing:)` writes them.
///
/// `AppState(user: User(name: "Maruko"), isLoading: false)` and the same with "Momoko" differ in `user.name`.
struct DescribedChanges: Equatable {
    /// A field with its text before and after; nil: an element that was added or removed.
    struct Change: Equatable {
        /// "user.name", "items[2].title".
        let path: String
        let before: String?
        let after: String?

        /// Whether the trace holds only fingerprints of the field: "#0f1e2d3c", of a long text "#0f1e2d3c…".
        var isOfFingerprints: Bool {
            [before, after].allSatisfy { text in text?.wholeMatch(of: /#[0-9a-f]{8}…?/) != nil }
        }
    }

    private(set) var changes: [Change] = []
    private static let deepest = 32

    /// Nil if these are no structures of one type whose fields can be compared. A cut text lacks its last fields.
    init?(from before: TraceValue, to after: TraceValue) {
        guard let before = before.structure.map(Self.cleaned), let after = after.structure.map(Self.cleaned) else {
            return nil
        }
        compare(before[...], after[...], "", 0)
        if changes.isEmpty || changes.contains(where: \.path.isEmpty) { return nil }
    }

    /// Removes what `String(describing:)` writes of a private type's context, an address that differs from run to run.
    static func cleaned(_ description: String) -> String {
        guard description.contains("(unknown context at $") else { return description }
        return description.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    private mutating func compare(_ before: Substring, _ after: Substring, _ path: String, _ depth: Int) {
        if before == after { return }
        guard depth < Self.deepest, let old = Parts(before), let new = Parts(after), old.name == new.name,
            old.isList == new.isList,
            old.parts.map(\.label) == new.parts.map(\.label)
                || old.isCut || new.isCut || old.isList
        else { return changes.append(Change(path: path, before: String(before), after: String(after))) }
        if old.isList, old.parts.count != new.parts.count { return compareLists(old, new, path) }
        for (place, (one, other)) in zip(old.parts, new.parts).enumerated() {
            guard one.label == other.label else { return }
            let step =
                old.isList ? "[\(place)]" : one.label.isEmpty ? "" : path.isEmpty ? String(one.label) : ".\(one.label)"
            compare(one.text, other.text, path + step, depth + 1)
        }
    }

    /// The elements that were added or removed between equal beginnings and ends; else both lists.
    private mutating func compareLists(_ old: Parts, _ new: Parts, _ path: String) {
        let (before, after) = (old.parts.map(\.text), new.parts.map(\.text))
        let shorter = min(before.count, after.count)
        let start = zip(before, after).prefix { $0 == $1 }.count
        let end = min(shorter - start, zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count)
        guard !path.isEmpty, start + end == shorter, !old.isCut, !new.isCut else {
            return changes.append(Change(path: path, before: old.text, after: new.text))
        }
        for (place, element) in before[start..<(before.count - end)].enumerated() {
            changes.append(Change(path: "\(path)[\(start + place)]", before: String(element), after: nil))
        }
        for (place, element) in after[start..<(after.count - end)].enumerated() {
            changes.append(Change(path: "\(path)[\(start + place)]", before: nil, after: String(element)))
        }
    }

    /// The parts of the description of a structure, a tuple, an optional or an array.
    private struct Parts {
        let text: String
        let name: Substring
        let isList: Bool
        private(set) var parts: [(label: Substring, text: Substring)] = []
        /// Whether the text ends before its last part does.
        private(set) var isCut = true

        init?(_ text: Substring) {
            guard let open = text.firstIndex(where: { "([".contains($0) }) else { return nil }
            self.text = String(text)
            name = text[..<open]
            isList = text[open] == "["
            guard name.allSatisfy({ $0.isLetter || $0.isNumber || "._<> ?,".contains($0) }), !isList || name.isEmpty
            else {
                return nil
            }
            var (start, place, depth) = (text.index(after: open), text.index(after: open), 0)
            var isQuoted = false
            loop: while place < text.endIndex {
                let character = text[place]
                switch character {
                case "\\" where isQuoted:
                    place = text.index(after: place)
                    if place == text.endIndex { break loop }
                case "\"": isQuoted.toggle()
                case _ where isQuoted: break
                case "(", "[", "{": depth += 1
                case ")", "]", "}":
                    if depth == 0 {
                        add(text[start..<place])
                        isCut = false
                        guard text.index(after: place) == text.endIndex else { return nil }
                        break loop
                    }
                    depth -= 1
                case "," where depth == 0:
                    add(text[start..<place])
                    start = text.index(after: place)
                default: break
                }
                place = text.index(after: place)
            }
        }

        private mutating func add(_ part: Substring) {
            let part = part.drop { $0 == " " }
            if part.isEmpty { return }
            let label = part.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if !isList, !label.isEmpty, part.dropFirst(label.count).hasPrefix(": ") {
                parts.append((label, part.dropFirst(label.count + 2)))
            } else {
                parts.append(("", part))
            }
        }
    }
}

extension TraceValue {
    /// Whether the trace proves that another value is equal.
    func isProvenEqual(to other: TraceValue) -> Bool {
        switch self {
        case .notRecorded, .withheld, .void, .described, .cutDescription, .enumCase(_, .unknown),
            .enumCase(_, .noneOfAnyEnum), .opaque, .unknown:
            false
        case .nil, .bool, .signed, .unsigned, .double, .float, .string, .cutString, .fingerprint, .hashedDescription,
            .enumCase:
            self == other
        }
    }

    /// Whether a later value may differ only in fields that its description lacks.
    func hidesChange(to other: TraceValue) -> Bool {
        switch (self, other) {
        case (.hashedDescription(let one, _, let fingerprint), .hashedDescription(let another, _, let otherFingerprint)):
            one == another && fingerprint != otherFingerprint
        case (.described(let one), .described(let another)): one == another && one.contains("…")
        default: false
        }
    }

    /// The description of a structure, perhaps cut; nil for other values.
    fileprivate var structure: String? {
        switch self {
        case .described(let text), .cutDescription(let text, _), .hashedDescription(let text, _, _): text
        default: nil
        }
    }
}
