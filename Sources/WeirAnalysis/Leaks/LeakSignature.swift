import WeirTrace

/// The common part of findings that are merged: the suspect references, without indexes and keys.
struct LeakSignature: Hashable {
    /// A reference, a closure or a subscription.
    struct Word: Hashable, Comparable {
        var text: String
        var site: TraceSite?

        static func < (left: Word, right: Word) -> Bool {
            (left.text, left.site?.file ?? "", left.site?.line ?? 0)
                < (right.text, right.site?.file ?? "", right.site?.line ?? 0)
        }
    }

    private(set) var words: [Word]
    /// Whether the words go round a cycle, which begins anywhere.
    private var isCycle = false

    /// On a longer path, only this many references count, those nearest to the object.
    static let mostReferences = 64

    init(_ words: [Word]) { self.words = words }

    /// The signature of the words round a cycle.
    init(cycle words: [Word]) {
        self.words = Self.leastRotation(of: words)
        isCycle = true
    }

    /// The signature of a cycle, independent of where it begins and of its path through Weir's internals.
    init(cycle references: [SnapshotReference], in snapshot: TraceSnapshot) {
        // If a closure of the program identifies the cycle, the subscription to it does not matter.
        let hasClosure = references.contains(where: \.isOwnClosure)
        let hasLine = references.contains { $0.isOwnClosure && $0.site != nil }
        let reported = references.flatMap { reference in
            let source = snapshot.objects[Int(reference.source)]
            // Then the ways through objects of the system do not matter either.
            if hasLine, source.isOfLibrary, reference.site == nil { return [Word]() }
            let isOwn = !source.isInternal && source.kind != .closure
            return Self.words(reference, in: snapshot, includesSource: isOwn, includesSubscription: !hasClosure)
        }
        let words = reported.isEmpty ? references.flatMap { Self.words($0, in: snapshot) } : reported
        self.init(cycle: words)
    }

    /// The signature of the path that holds an object; `variable` is the static or global variable at its beginning, if known.
    init(wayTo place: Int, from variable: String?, in snapshot: TraceSnapshot) {
        let way = snapshot.way(to: place, most: Self.mostReferences)
        let object = snapshot.objects[place]
        let isSubscription = { (place: UInt32) in snapshot.objects[Int(place)].subscription != nil }
        if let last = way.lastIndex(where: { isSubscription($0.source) }) {
            words = [Word(text: "subscription", site: snapshot.objects[Int(way[last].source)].site)]
            words += way[last...].flatMap { Self.words($0, in: snapshot) }
        } else {
            words = way.suffix(6).flatMap { Self.words($0, in: snapshot) }
            let holder = variable ?? object.outsideHolder?.wordsWithoutLines ?? "outside"
            if way.isEmpty || variable != nil { words.append(Word(text: holder)) }
        }
        words.append(Word(text: object.type))
    }

    private static func words(
        _ reference: SnapshotReference, in snapshot: TraceSnapshot, includesSource: Bool = true,
        includesSubscription: Bool = true
    ) -> [Word] {
        var words: [Word] = []
        let (source, target) = (snapshot.objects[Int(reference.source)], snapshot.objects[Int(reference.target)])
        if includesSource, source.kind != .storage && !source.isHidden {
            words.append(Word(text: source.type + " " + ReferenceLabel.withoutIndexes(reference.label)))
        }
        if reference.isOwnClosure {
            words.append(Word(text: reference.function ?? "closure", site: reference.site))
        }
        if includesSubscription, target.subscription != nil {
            words.append(Word(text: "subscription", site: target.site))
        }
        return words
    }

    /// Rotates the words so that their order is the least; linear in their number.
    static func leastRotation<Element: Comparable>(of words: [Element]) -> [Element] {
        let count = words.count
        var (best, other, length) = (0, 1, 0)
        while best < count, other < count, length < count {
            let (left, right) = (words[(best + length) % count], words[(other + length) % count])
            if left == right {
                length += 1
                continue
            }
            if left < right { other += length + 1 } else { best += length + 1 }
            if best == other { other += 1 }
            length = 0
        }
        let start = min(best, other)
        return Array(words[start...] + words[..<start])
    }
}

extension LeakSignature: Comparable {
    static func < (left: LeakSignature, right: LeakSignature) -> Bool {
        left.words.lexicographicallyPrecedes(right.words)
    }

    /// A hash of the rule and of the parts that stay the same when lines and modules change: texts and names of files.
    func hash(rule: LeakRule, withFiles: Bool = true) -> StableHash {
        var hash = StableHash()
        hash.add(rule.rawValue)
        let parts = words.map {
            Part(text: Self.withoutNumbers($0.text), file: withFiles ? $0.site?.fileName ?? "" : "")
        }
        // The least rotation of the words depends on lines, modules and numbers, too.
        for part in isCycle ? Self.leastRotation(of: parts) : parts {
            hash.add(part.text)
            hash.add(part.file)
        }
        return hash
    }

    /// The part of a word that a hash contains.
    private struct Part: Comparable {
        let text: String
        let file: String

        static func < (left: Part, right: Part) -> Bool { (left.text, left.file) < (right.text, right.file) }
    }

    /// "closure in Model.init()" for "closure #2 in Model.init()": the number changes with the closures above it.
    private static func withoutNumbers(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return text }
        return text.split(separator: " ").filter { $0.first != "#" || !$0.dropFirst().allSatisfy(\.isNumber) }
            .joined(separator: " ")
    }
}
