#if Recording
import Observation
import WeirRecording

/// The facts about types that a walk through models needs; computed once for each type.
struct ModelTypes {
    /// The facts that decide how to follow an object or value of a type.
    struct Facts {
        /// Whether it may contain models and nodes.
        let isOfProgram: Bool
        /// Whether each stored property that the type declares itself may be read; nil: none may.
        let isStrong: [Bool]?
    }

    private var known: [ObjectIdentifier: Facts] = [:]
    private let rootModule: Substring

    init(root: Any.Type) { rootModule = Self.module(of: root) }

    /// The facts of `type`: a class, apart from its superclasses, or a structure.
    mutating func facts(of type: Any.Type) -> Facts {
        let identity = ObjectIdentifier(type)
        if let found = known[identity] { return found }
        let properties = StoredProperty.all(of: type)
        let isOfProgram = isOfProgram(type, properties ?? [])
        let facts = Facts(isOfProgram: isOfProgram, isStrong: isOfProgram ? properties?.map(\.isStrong) : nil)
        known[identity] = facts
        return facts
    }

    /// Whether the program defines the type for its models: in the module of the adopted model, as observable, or with nodes of
    /// Weir in it. Other threads may change objects of other libraries while they are read.
    private func isOfProgram(_ type: Any.Type, _ properties: [StoredProperty]) -> Bool {
        let module = Self.module(of: type)
        if module == rootModule { return true }
        if Self.systemModules.contains(module) { return false }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *), type is any Observation.Observable.Type { return true }
        return properties.contains { $0.isStrong && $0.type.map(Self.isNode) ?? false }
    }

    private static func isNode(_ type: Any.Type) -> Bool { type is Node.Type || type is any Composite.Type }

    private static func module(of type: Any.Type) -> Substring {
        RuntimeNames.qualifiedName(of: type).prefix { $0 != "." }
    }

    private static let systemModules: Set<Substring> = [
        "Swift", "_Concurrency", "Foundation", "FoundationEssentials", "Dispatch", "Observation", "Combine", "SwiftUI",
        "SwiftUICore", "UIKit", "UIKitCore", "AppKit", "CoreData", "__C", "__ObjC", "Weir",
    ]
}
#endif
