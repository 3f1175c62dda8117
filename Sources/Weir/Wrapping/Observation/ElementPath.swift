#if Recording
import WeirRecording

/// A key path to a value that may be missing: `\.items[0].quantity`, `\.selected!.name`.
///
/// A key path does not reveal its indices and keys. They are found by building an equal one from the properties that a first read
/// of it reads.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct ElementPath {
    /// The maximum number of candidate paths, and of their steps.
    fileprivate static let (mostTries, mostSteps) = (10_000, 12)
    /// The maximum number of elements of a collection that are tried.
    fileprivate static let mostElements = 1000

    let name: String?
    /// Whether the value currently exists in a model; if it does not, reading it would end the program.
    let isThere: (AnyObject) -> Bool
    /// Whether that is unknown, so that only the program reads it.
    private(set) var isUnreadable = false

    /// Returns nil if the value always exists, according to the key path.
    init?<Model, Value>(_ keyPath: KeyPath<Model, Value>, in model: AnyObject) {
        let steps = KeyPathName.steps(of: keyPath)
        guard !steps.uncertain.isEmpty, let object = model as? Model else { return nil }
        // Empty if the reads are unknown.
        let reads = AccessList.accesses { _ = object[keyPath: keyPath] }?.map(\.keyPath) ?? []
        if let found = Candidate.search(by: reads, in: object, where: { $0.isEqual(to: keyPath) }) {
            guard !found.conditions.isEmpty else { return nil }
            name = steps.name.map { Self.name($0, with: found.indices) }
            isThere = { ($0 as? Model).map(found.isThere) ?? false }
        } else if let isLeft = Self.whetherAllAreLeft(steps, of: model, reads) {
            name = steps.name
            isThere = isLeft
        } else {
            name = steps.name
            isThere = { _ in false }
            isUnreadable = true
        }
    }

    private static func name(_ name: String, with indices: [String]) -> String {
        let parts = name.split(separator: KeyPathName.unknownIndex, omittingEmptySubsequences: false)
        guard parts.count == indices.count + 1 else { return name }
        return zip(parts, indices + [""]).map { $0 + $1 }.joined()
    }

    /// For a path whose end cannot be built (part of a structure, a computed value) with a single collection or optional in it:
    /// the value exists while that collection or optional still holds everything that it holds now.
    private static func whetherAllAreLeft(
        _ steps: KeyPathName.Steps, of model: AnyObject, _ reads: [AnyKeyPath]
    ) -> ((AnyObject) -> Bool)? {
        guard steps.uncertain.count == 1, steps.isStandard, let name = steps.name else { return nil }
        let holder = name.prefix { $0 != "[" && $0 != "!" }
        let count = holder.split(separator: ".").count
        func rooted<Root>(_: Root.Type) -> ((AnyObject) -> Bool)? {
            func typed<Value: PartlyThere>(_: Value.Type) -> ((AnyObject) -> Bool)? {
                guard let path = found?.path as? KeyPath<Root, Value>, let root = model as? Root,
                    let isLeft = Value.whetherAllAreLeft(of: path, in: root)
                else { return nil }
                return { ($0 as? Root).map(isLeft) ?? false }
            }
            let found = Candidate<Root>.search(by: reads) {
                $0.steps.count == count && KeyPathName.of($0.whole) == String(holder)
            }
            return (found.map { type(of: $0.path).valueType } as? any PartlyThere.Type).flatMap { typed($0) }
        }
        let classes = ObservedClasses.chain(type(of: model))
        let roots = reads.map { type(of: $0).rootType }.filter { classes.contains(ObjectIdentifier($0)) }
        return roots.lazy.compactMap { _openExistential($0, do: rooted) }.first
    }
}

/// The beginning of a path from a model that currently exists.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private struct Candidate<Model> {
    let path: PartialKeyPath<Model>
    private(set) var steps: [AnyKeyPath]
    /// The conditions, in order, under which it exists.
    private(set) var conditions: [(Model) -> Bool] = []
    /// Its indices as the source writes them.
    private(set) var indices: [String] = []

    func isThere(_ model: Model) -> Bool { conditions.allSatisfy { $0(model) } }

    /// The shortest candidate that satisfies `isFound`; it enters collections and optionals if the model is given.
    static func search(by reads: [AnyKeyPath], in model: Model? = nil, where isFound: (Self) -> Bool) -> Self? {
        var candidates = reads.compactMap { step in
            (step as? PartialKeyPath<Model>).map { Self(path: $0, steps: [step]) }
        }
        var next = 0
        // Reads of models that reference each other can be combined without end.
        while next < candidates.count {
            let candidate = candidates[next]
            if isFound(candidate) { return candidate }
            next += 1
            guard candidate.steps.count < ElementPath.mostSteps, candidates.count < ElementPath.mostTries else {
                continue
            }
            candidates += reads.compactMap { candidate.followed(by: $0) }
            if let model { candidates += candidate.parts(in: model).compactMap { candidate.followed(by: $0) } }
        }
        return nil
    }

    func isEqual(to goal: AnyKeyPath) -> Bool { type(of: path).valueType == type(of: goal).valueType && whole == goal }

    /// Built from its end: a path through two classes that is built from its beginning does not equal that of the source (Swift
    /// 6.3).
    var whole: AnyKeyPath {
        steps.dropLast().reversed().reduce(steps[steps.count - 1]) { end, step in step.appending(path: end) ?? end }
    }

    private func followed(by step: AnyKeyPath) -> Self? {
        path.appending(path: step)
            .map { Self(path: $0, steps: steps + [step], conditions: conditions, indices: indices) }
    }

    private func followed(by part: Part<Model>) -> Self? {
        var further = followed(by: part.step)
        further?.conditions.append(part.isThere)
        if let index = part.index { further?.indices.append(index) }
        return further
    }

    /// The parts of the value at its end.
    private func parts(in model: Model) -> [Part<Model>] {
        func typed<Value: PartlyThere>(_: Value.Type) -> [Part<Model>] {
            (path as? KeyPath<Model, Value>).map { Value.parts(of: $0, in: model) } ?? []
        }
        return (type(of: path).valueType as? any PartlyThere.Type).map { typed($0) } ?? []
    }
}

/// A part of the value at the end of a path.
private struct Part<Model> {
    let step: AnyKeyPath
    /// The index as the source writes it, except for keys, which are values of the program; nil: it is not an index.
    var index: String?
    let isThere: (Model) -> Bool
}

/// A type whose values may lack a part that a key path can lead to.
private protocol PartlyThere {
    /// The parts that currently exist.
    static func parts<Model>(of path: KeyPath<Model, Self>, in model: Model) -> [Part<Model>]
    /// Returns a check whether a model still has all the current parts; nil: there are too many to check, or they must not be kept.
    static func whetherAllAreLeft<Model>(of path: KeyPath<Model, Self>, in model: Model) -> ((Model) -> Bool)?
}

extension Array: PartlyThere {
    fileprivate static func parts<Model>(of path: KeyPath<Model, Self>, in model: Model) -> [Part<Model>] {
        model[keyPath: path].indices.prefix(ElementPath.mostElements)
            .map { index in
                Part(step: \Self.[index], index: "[\(index)]") { index < $0[keyPath: path].count }
            }
    }

    fileprivate static func whetherAllAreLeft<Model>(
        of path: KeyPath<Model, Self>, in model: Model
    ) -> ((Model) -> Bool)? {
        let count = model[keyPath: path].count
        return { $0[keyPath: path].count >= count }
    }
}

extension Optional: PartlyThere {
    fileprivate static func parts<Model>(of path: KeyPath<Model, Self>, in model: Model) -> [Part<Model>] {
        guard model[keyPath: path] != nil else { return [] }
        return [Part(step: \Self.!) { $0[keyPath: path] != nil }]
    }

    fileprivate static func whetherAllAreLeft<Model>(
        of path: KeyPath<Model, Self>, in model: Model
    ) -> ((Model) -> Bool)? {
        { $0[keyPath: path] != nil }
    }
}

extension Dictionary: PartlyThere {
    fileprivate static func parts<Model>(of path: KeyPath<Model, Self>, in model: Model) -> [Part<Model>] {
        model[keyPath: path].keys.prefix(ElementPath.mostElements)
            .map { key in Part(step: \Self.[key], index: KeyPathName.unknownIndex) { _ in true } }
    }

    fileprivate static func whetherAllAreLeft<Model>(
        of path: KeyPath<Model, Self>, in model: Model
    ) -> ((Model) -> Bool)? {
        let keys = Array(model[keyPath: path].keys)
        guard keys.count <= ElementPath.mostElements, PlainType.contains(Key.self) else { return nil }
        return { model in keys.allSatisfy { model[keyPath: path].index(forKey: $0) != nil } }
    }
}
#endif
