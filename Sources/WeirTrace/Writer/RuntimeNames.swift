/// Queries to the Swift runtime that are safe while other threads may fork.
///
/// The runtime takes its own lock for each query. A child forked at that moment would wait for that lock forever. So Weir
/// queries inside a lock that every fork takes first. Other code of the program does not: so a name that is known is not asked for
/// again, and a child that uses only types of which its parent has asked waits for nothing.
package enum RuntimeNames {
    /// Held by every fork. Innermost: inside it, no other lock of Weir is taken and no foreign code runs.
    package static let lock = SystemLock()

    private struct Question: Hashable {
        let type: ObjectIdentifier
        let isQualified: Bool
    }

    // The lock guards it.
    private nonisolated(unsafe) static var known: [Question: String] = [:]
    /// A program may make any number of generic types.
    private static let most = 10_000

    /// The type's name, as `String(describing:)` gives it.
    package static func name(of type: Any.Type) -> String { name(of: type, isQualified: false) }

    /// The type's name with its module.
    package static func qualifiedName(of type: Any.Type) -> String { name(of: type, isQualified: true) }

    private static func name(of type: Any.Type, isQualified: Bool) -> String {
        let question = Question(type: ObjectIdentifier(type), isQualified: isQualified)
        return lock.withLock {
            if let name = known[question] { return name }
            let name = isQualified ? _typeName(type, qualified: true) : String(describing: type)
            if known.count < most { known[question] = name }
            return name
        }
    }

    /// The type's name; that of the type around it precedes a name that is only a role: `CountriesList.ViewModel`.
    ///
    /// The runtime does not distinguish a private type from one that is local to a function. Both are named alone.
    package static func distinctName(of type: Any.Type) -> String {
        let name = name(of: type)
        guard roles.contains(name) else { return name }
        let whole = withoutModules(qualifiedName(of: type))
        guard whole.hasSuffix("." + name), let outer = whole.dropLast(name.count + 1).split(separator: ".").last else {
            return name
        }
        return "\(outer).\(name)"
    }

    /// The names that apps give to a class of each screen.
    private static let roles: Set<String> = [
        "ViewModel", "Presenter", "Interactor", "Coordinator", "Controller", "Reducer", "Store", "State",
    ]

    /// Removes the module from each path in a qualified name, and what precedes a context without a name.
    static func withoutModules(_ name: String) -> String {
        var result = ""
        var path: [Substring] = []
        var part = name.startIndex
        var place = name.startIndex
        // A path that goes on after the arguments of a generic type, or after an unknown context, has no module.
        var goesOn = false
        func endPath() {
            path.append(name[part..<place])
            let names = path.dropFirst(goesOn || path.count == 1 ? 0 : 1)
            result += names.joined(separator: ".")
            path = []
        }
        while place < name.endIndex {
            let character = name[place]
            let rest = name[place...]
            let isUnknown = rest.hasPrefix("(unknown context")
            if isUnknown || rest.hasPrefix("(extension in"), let end = rest.firstIndex(of: ")") {
                (path, goesOn) = ([], isUnknown)
                // The '.' or ':' after it is skipped, too.
                place = name.index(end, offsetBy: 2, limitedBy: name.endIndex) ?? name.endIndex
                part = place
                continue
            }
            if character == "." {
                path.append(name[part..<place])
                part = name.index(after: place)
            } else if "<>,()[]&?: ".contains(character) {
                endPath()
                result.append(character)
                goesOn = character == ">"
                part = name.index(after: place)
            }
            place = name.index(after: place)
        }
        endPath()
        return result
    }

    /// The key path, as `String(describing:)` gives it.
    package static func description(of keyPath: AnyKeyPath) -> String {
        lock.withLock { String(describing: keyPath) }
    }
}
