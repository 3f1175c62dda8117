import WeirTrace

/// A task that holds objects, as the name of the holder describes it.
///
/// "a task that runs Store.save(), made at Shop.swift:12, which waits for a continuation, it seems". 'at' without 'made' follows
/// the closure with which the task was made. A task that waits for another one is followed by that one.
struct KnownTask {
    /// The reason why the last task waits.
    enum Wait {
        /// A library, such as the iterator of a sequence; or nothing is known.
        case library
        case continuation
        /// The compiler may have inlined it.
        case unknown
    }

    /// The function of the program that the last task runs.
    let function: String
    /// The line of that function, if it is the closure of the task.
    let functionSite: TraceSite?
    /// The line at which the first task was made, and the last one that is awaited.
    let site: TraceSite?, awaitedSite: TraceSite?
    /// Whether the task waits for another.
    let awaitsTask: Bool
    let wait: Wait

    /// Nil if the object is not held by a task whose work is known.
    init?(holding object: SnapshotObject) {
        guard object.isHolderGuessed, var name = object.outsideName, name.hasPrefix(Self.beginning) else { return nil }
        name.removeLast(", it seems".count)
        let endings: [(String, Wait)] = [
            (", which waits for a continuation", .continuation), (", which waits", .unknown),
        ]
        let ending = endings.first { name.hasSuffix($0.0) }
        name.removeLast(ending?.0.count ?? 0)
        wait = ending?.1 ?? .library
        let tasks = Self.separated(name, by: ", which waits for " + Self.beginning).map {
            Self.located($0.hasPrefix(Self.beginning) ? String($0.dropFirst(Self.beginning.count)) : $0)
        }
        guard let first = tasks.first, let last = tasks.last else { return nil }
        function = last.function
        functionSite = last.isClosure ? last.site : nil
        site = first.site
        awaitsTask = tasks.count > 1
        awaitedSite = awaitsTask ? last.site : nil
    }

    private static let beginning = "a task that runs "

    /// The name of a holder without the lines at which tasks were made: they move when the program is edited.
    static func withoutLines(_ name: String) -> String {
        guard name.hasPrefix(beginning) else { return name }
        return separated(name, by: ", ").compactMap { part in
            if part.hasPrefix("made at ") { return nil }
            let work = located(part)
            return work.isClosure ? work.function : part
        }.joined(separator: ", ")
    }

    /// "closure #1 in Feed.listen() at Feed.swift:30" and "Store.save(), made at Shop.swift:12", taken apart.
    private static func located(_ text: String) -> (function: String, site: TraceSite?, isClosure: Bool) {
        for (word, isClosure) in [(", made at ", false), (" at ", true)] {
            let parts = separated(text, by: word)
            guard parts.count > 1, let site = parts.last.flatMap({ TraceSite(described: $0) }) else { continue }
            return (parts.dropLast().joined(separator: word), site, isClosure)
        }
        return (text, nil, false)
    }

    private static func separated(_ text: String, by word: String) -> [String] {
        var (parts, rest) = ([String](), Substring(text))
        while let start = rest.indices.first(where: { rest[$0...].hasPrefix(word) }) {
            parts.append(String(rest[..<start]))
            rest = rest[start...].dropFirst(word.count)
        }
        return parts + [String(rest)]
    }
}
