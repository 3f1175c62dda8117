#if Recording
import WeirRecording

/// The models that can be reached from one model, nearest first, and their nodes; `Trace.adopt` names them.
struct ModelWalk {
    /// The limits of the walk.
    static let mostLevels = 8, mostModels = 10_000, mostElements = 10_000

    struct Found {
        let model: AnyObject
        let path: String
        let level: Int
        /// The index of the model in which it was found.
        var holder: Int?
        var nodes: [(node: Node, label: String)] = []
    }

    private(set) var models: [Found]
    /// The number of omitted models and collection elements, and the path of the first one.
    private(set) var leftOut = 0, firstLeftOut: String?
    /// Whether the found nodes may get another name later.
    private let isProvisional: Bool
    /// Whether an earlier walk of an observable model has already found the models in it.
    private let skipsKnown: Bool
    private var visited: Set<ObjectIdentifier>
    private var types: ModelTypes

    init(from model: AnyObject, name: String, isProvisional: Bool = false) {
        self.init(root: model, name: name, isProvisional: isProvisional, skipsKnown: false)
        go(from: 0)
    }

    /// The models that can be reached from the value of a property of `model`, except those found before.
    ///
    /// - Parameter isPrivate: whether keys and indices of the value stay out of names.
    init(in value: Any, of model: AnyObject, name: String, isProvisional: Bool, isPrivate: Bool) {
        self.init(root: model, name: name, isProvisional: isProvisional, skipsKnown: true)
        look(at: value, name, of: 0, isPrivate: isPrivate)
        go(from: 1)
    }

    private init(root: AnyObject, name: String, isProvisional: Bool, skipsKnown: Bool) {
        models = [Found(model: root, path: name, level: 0)]
        visited = [ObjectIdentifier(root)]
        types = ModelTypes(root: type(of: root))
        (self.isProvisional, self.skipsKnown) = (isProvisional, skipsKnown)
    }

    /// Breadth first: a model that is reached on two paths gets its shorter name.
    private mutating func go(from first: Int) {
        var next = first
        while next < models.count {
            reflect(next)
            next += 1
        }
    }

    private mutating func leaveOut(_ count: Int = 1, at path: String) {
        leftOut += count
        if firstLeftOut == nil { firstLeftOut = path }
    }

    private mutating func reflect(_ index: Int) {
        defer { nameProbesAfterTheirHolders(index) }
        let (model, path) = (models[index].model, models[index].path)
        let isCustom = model is any CustomReflectable
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            lookAtProperties(current, path, of: index, isCustom: isCustom) { Self.mayHide($0, of: type(of: model)) }
            mirror = isCustom ? nil : current.superclassMirror
        }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
            models[index].nodes += ModelRecords.nodes(of: model, as: models[index].path, isProvisional: isProvisional)
        }
    }

    /// Gives a probe the name of the property whose value holds it: 'Model.items' instead of 'Model.items.probe', which names a
    /// part of an adapter. A value that holds several probes distinguishes them by their own properties.
    private mutating func nameProbesAfterTheirHolders(_ index: Int) {
        let root = models[0].path
        var holders: [String: [Int]] = [:]
        for (place, found) in models[index].nodes.enumerated() where found.node is TraceProbe {
            guard let dot = found.label.lastIndex(of: "."), found.label[..<dot] != root else { continue }
            holders[String(found.label[..<dot]), default: []].append(place)
        }
        for (holder, places) in holders where places.count == 1 { models[index].nodes[places[0]].label = holder }
    }

    /// Visits the properties that the mirrored class or structure declares itself, except weak references.
    private mutating func lookAtProperties(
        _ mirror: Mirror, _ path: String, of index: Int, isCustom: Bool, isPrivate: (String) -> Bool
    ) {
        let children = mirror.children
        let isStrong = isCustom ? nil : types.facts(of: mirror.subjectType).isStrong
        // A child is read when it is accessed, so unreadable children are not accessed.
        guard isCustom || isStrong?.count == children.count else { return }
        for (place, position) in children.indices.enumerated() where isStrong?[place] != false {
            let child = children[position]
            guard let property = child.label else { continue }
            let name = Self.propertyName(property)
            look(at: child.value, "\(path).\(name)", of: index, isPrivate: isPrivate(name))
        }
    }

    /// The kind of place at which a value was found.
    private enum Place { case property, element, node }

    /// Registers the contents of a property: nodes, a model, or a collection of models.
    private mutating func look(
        at value: Any, _ path: String, of index: Int, in place: Place = .property, isPrivate: Bool
    ) {
        if type(of: value) is any OptionalModel.Type {
            for wrapped in Mirror(reflecting: value).children {
                look(at: wrapped.value, path, of: index, in: place, isPrivate: isPrivate)
            }
            return
        }
        // Checked first: asking whether an array is an object of some class may bridge the whole array.
        if type(of: value) is AnyClass, let node = value as? Node {
            // The name belongs to the node in which it was found.
            if place == .node { return }
            models[index].nodes.append((node.tracedNode, path))
            noteParts(of: value, path, of: index)
            if let held = node.heldModels { look(at: held, path, of: index, in: .node, isPrivate: false) }
            return
        }
        if noteParts(of: value, path, of: index) { return }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .class: enter(value as AnyObject, path, from: index)
        case .struct where place != .element:
            let isCustom = value is any CustomReflectable
            if !isCustom, types.facts(of: mirror.subjectType).isOfProgram {
                lookAtProperties(mirror, path, of: index, isCustom: false) { _ in isPrivate }
            }
        case .collection where place != .element, .set where place != .element, .dictionary where place != .element:
            look(atElements: mirror, of: value, path, of: index, isPrivate: isPrivate)
        default: break
        }
    }

    private mutating func look(
        atElements mirror: Mirror, of collection: Any, _ path: String, of index: Int, isPrivate: Bool
    ) {
        let children = mirror.children
        if children.count > Self.mostElements { leaveOut(children.count - Self.mostElements, at: path) }
        // The elements of a dictionary or set are found only from the one before.
        var (place, reached) = (children.startIndex, 0)
        for number in offsets(in: collection, count: children.count) {
            (place, reached) = (children.index(place, offsetBy: number - reached), number)
            let element = children[place].value
            guard mirror.displayStyle == .dictionary else {
                look(
                    at: element, "\(path)[\(isPrivate ? "private" : "\(number)")]", of: index, in: .element,
                    isPrivate: isPrivate)
                continue
            }
            let parts = Array(Mirror(reflecting: element).children)
            guard parts.count == 2 else { continue }
            let key = isPrivate ? "private" : Self.key(parts[0].value)
            look(at: parts[1].value, "\(path)[\(key)]", of: index, in: .element, isPrivate: isPrivate)
        }
    }

    /// The elements to visit.
    private func offsets(in collection: Any, count: Int) -> [Int] {
        let all = Array(0..<min(count, Self.mostElements))
        guard skipsKnown, #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *),
            let objects = (collection as? any ModelCollection)?.objects
        else { return all }
        return ModelRecords.notFound(among: Array(objects.prefix(all.count)))
    }

    private func isKnown(_ model: AnyObject) -> Bool {
        guard skipsKnown, #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return false }
        return ModelRecords.notFound(among: [ObjectIdentifier(model)]).isEmpty
    }

    /// Registers the nodes of a composite property of Weir; false: it is not composite.
    @discardableResult
    private mutating func noteParts(of value: Any, _ path: String, of index: Int) -> Bool {
        guard let composite = value as? any Composite else { return false }
        for (name, node) in composite.parts { models[index].nodes.append((node.tracedNode, "\(path).\(name)")) }
        return true
    }

    private mutating func enter(_ model: AnyObject, _ path: String, from index: Int) {
        guard !visited.contains(ObjectIdentifier(model)), types.facts(of: type(of: model)).isOfProgram else { return }
        // An actor's properties may change on another thread at any time.
        if model is any TraceBoundary || model is any Actor { return }
        visited.insert(ObjectIdentifier(model))
        if isKnown(model) { return }
        let level = models[index].level + 1
        guard level < Self.mostLevels, models.count < Self.mostModels else { return leaveOut(at: path) }
        models.append(Found(model: model, path: path, level: level, holder: index))
    }

    /// Whether a property of an observable class may have been declared private.
    private static func mayHide(_ property: String, of type: Any.Type) -> Bool {
        guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) else { return false }
        return ObservedClasses.shared.mayHide(property, of: type)
    }

    /// The text of a key that is a number or a plain case of an enum; of any other key only the type, because keys may be private.
    private static func key(_ key: Any) -> String {
        let key = (key as? AnyHashable)?.base ?? key
        if let number = key as? any BinaryInteger { return "\(number)" }
        let mirror = Mirror(reflecting: key)
        if mirror.displayStyle == .enum, mirror.children.isEmpty { return "\(key)" }
        return RuntimeNames.name(of: type(of: key))
    }

    /// The name in the source: lazy properties and property wrappers store their value under another name.
    private static func propertyName(_ stored: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if stored.hasPrefix(lazy) { return String(stored.dropFirst(lazy.count)) }
        if stored.hasPrefix("_") { return String(stored.dropFirst()) }
        return stored
    }
}
#endif
