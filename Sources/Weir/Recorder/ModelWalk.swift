/// The models that can be reached from one, nearest first, and their nodes; what `Trace.adopt` names.
struct ModelWalk {
    /// Bounds of the walk.
    static let mostLevels = 8, mostModels = 10_000, mostElements = 1000

    struct Found {
        let model: AnyObject
        let path: String
        let level: Int
        var nodes: [(node: Node, label: String)] = []
    }

    private(set) var models: [Found]
    private var visited: Set<ObjectIdentifier>

    init(from model: AnyObject, name: String) {
        models = [Found(model: model, path: name, level: 0)]
        visited = [ObjectIdentifier(model)]
        // Breadth first: what is reached on two ways gets its shorter name.
        var next = 0
        while next < models.count {
            reflect(next)
            next += 1
        }
    }

    private mutating func reflect(_ index: Int) {
        let model = models[index].model
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            for child in current.children {
                guard let property = child.label else { continue }
                look(at: child.value, "\(models[index].path).\(Self.propertyName(property))", of: index)
            }
            mirror = current.superclassMirror
        }
    }

    /// Notes what a property holds: nodes, a model, or a collection of models.
    private mutating func look(at value: Any, _ path: String, of index: Int, isElement: Bool = false) {
        let node = value as? Node
        if let node { models[index].nodes.append((node.tracedNode, path)) }
        if let composite = value as? any Composite {
            for (name, node) in composite.parts { models[index].nodes.append((node.tracedNode, "\(path).\(name)")) }
            return
        }
        if node != nil { return }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            if let wrapped = mirror.children.first { look(at: wrapped.value, path, of: index, isElement: isElement) }
        case .class: enter(value as AnyObject, path, from: index)
        case .collection where !isElement, .set where !isElement:
            for (place, element) in mirror.children.prefix(Self.mostElements).enumerated() {
                look(at: element.value, "\(path)[\(place)]", of: index, isElement: true)
            }
        case .dictionary where !isElement:
            for pair in mirror.children.prefix(Self.mostElements) {
                let parts = Array(Mirror(reflecting: pair.value).children)
                guard parts.count == 2 else { continue }
                look(at: parts[1].value, "\(path)[\(Self.key(parts[0].value))]", of: index, isElement: true)
            }
        default: break
        }
    }

    private mutating func enter(_ model: AnyObject, _ path: String, from index: Int) {
        let level = models[index].level + 1
        guard level < Self.mostLevels, models.count < Self.mostModels, Self.isOfProgram(type(of: model)) else { return }
        guard visited.insert(ObjectIdentifier(model)).inserted else { return }
        models.append(Found(model: model, path: path, level: level))
    }

    /// Whether the class may be a model: those of the system have no nodes, and may change on threads of their own.
    private static func isOfProgram(_ type: AnyClass) -> Bool {
        let module = _typeName(type, qualified: true).prefix { $0 != "." }
        return !systemModules.contains(String(module))
    }

    private static let systemModules: Set<String> = [
        "Swift", "_Concurrency", "Foundation", "FoundationEssentials", "Dispatch", "Observation", "Combine", "SwiftUI",
        "SwiftUICore", "UIKit", "UIKitCore", "AppKit", "CoreData", "__C", "__ObjC", "Weir",
    ]

    /// A key as one writes it; of other types than strings and numbers, only the type: keys may be private.
    private static func key(_ key: Any) -> String {
        switch key {
        case let text as String: "\"\(text.prefix(40))\""
        case let number as any BinaryInteger: "\(number)"
        default: "\(type(of: key))"
        }
    }

    /// The name as it stands in the source: lazy properties and property wrappers store under another one.
    private static func propertyName(_ stored: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if stored.hasPrefix(lazy) { return String(stored.dropFirst(lazy.count)) }
        if stored.hasPrefix("_") { return String(stored.dropFirst()) }
        return stored
    }
}
