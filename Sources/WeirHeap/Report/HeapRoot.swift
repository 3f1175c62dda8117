/// An object at which a walk begins, and which its report describes.
public struct HeapRoot: Sendable, Equatable {
    /// The address of the object, which must stay alive during the walk.
    public var address: UInt
    /// The caller's own strong references to it, which do not count as a reason to be alive.
    public var pins: Int
    /// The caller's own weak references to it, through which the program cannot reach it.
    public var weakPins = 0
    /// The caller's identifier for it.
    public var tag: UInt64
    /// Whether it represents a handler. Objects that only handlers keep alive are reported as held by handlers only.
    public var isHandler: Bool
    /// Whether the report includes its path from outside, and its retained size.
    public var wantsHolder: Bool
    /// Whether the report includes all closures that capture it, and not only the one on its path.
    public var wantsCaptures = false
    /// Which of the objects it holds are private: the report has neither their sizes nor their number.
    public var secrecy = Secrecy.none

    /// The private part of what an object holds.
    public enum Secrecy: Sendable, Equatable {
        case none
        /// Everything.
        case everything
        /// The contents of the stored properties with these names.
        case properties(Set<String>)
        /// The contents of all stored properties except those with these names.
        case othersThan(Set<String>)
    }

    /// A root.
    public init(address: UInt, pins: Int = 0, tag: UInt64 = 0, isHandler: Bool = false, wantsHolder: Bool = true) {
        self.address = address
        self.pins = pins
        self.tag = tag
        self.isHandler = isHandler
        self.wantsHolder = wantsHolder
    }
}

extension HeapRoot.Secrecy {
    /// Whether a path inside the object leads to something private. It begins with the name of a stored property.
    func covers(_ way: String) -> Bool {
        let name = way.drop { $0 == "." }.prefix { !".[(!?".contains($0) }
        // The macro of observable classes puts '_' before the names of properties, and '_$' before its own names.
        let property = String(name.hasPrefix("_") ? name.dropFirst() : name)
        switch self {
        case .none: return false
        case .everything: return true
        case .properties(let names): return names.contains(property)
        case .othersThan(let names): return !names.contains(property) && !property.hasPrefix("$")
        }
    }
}

/// The roots of a walk by their numbers in its graph. They are its first objects.
struct NumberedRoots {
    /// For each number, the index of the first root that is this object.
    private(set) var places: [Int] = []
    /// The number of the caller's own references to each root that has any.
    private(set) var pins: [Int32: Int] = [:]
    /// The number of the caller's own weak references to each root that has any.
    private(set) var weakPins: [Int32: Int] = [:]
    /// The roots that represent handlers.
    private(set) var handlers: [Int32] = []
    /// The roots whose path is reported.
    private(set) var wanted: [Int32] = []
    /// The roots whose closures are all reported.
    private(set) var captured: [Int32] = []

    init(_ roots: [HeapRoot], in graph: HeapGraph) {
        var numbers: [UInt: Int32] = [:]
        for (place, root) in roots.enumerated() {
            let next = Int32(places.count)
            let number = numbers[root.address, default: next]
            if number == next {
                guard Int(next) < graph.count, graph.addresses[Int(next)] == root.address else { continue }
                numbers[root.address] = next
                places.append(place)
            }
            if root.pins > 0 { pins[number] = min(pins[number, default: 0] &+ root.pins, Int(Int32.max)) }
            if root.weakPins > 0 { weakPins[number] = root.weakPins }
            if root.isHandler { handlers.append(number) }
            if root.wantsHolder, wanted.last != number { wanted.append(number) }
            if root.wantsCaptures, captured.last != number { captured.append(number) }
        }
    }
}

/// A class that holds objects in memory that no metadata describes: raw pointers, C structures.
///
/// ```swift
/// extension Registry: HeapOwner {
///     func visitHeapReferences(_ visit: (String, UnsafeRawPointer) -> Void) {
///         for (place, pointer) in entries.enumerated() { visit("[\(place)]", pointer) }
///     }
/// }
/// ```
/// Each visit counts as one strong reference. Do not visit a reference that does not exist: a live object would be reported as
/// garbage. The walk finds stored properties that metadata describes by itself; do not visit them. It calls this method while it
/// runs: the method must not take locks, and its changes are lost.
public protocol HeapOwner: AnyObject {
    /// Calls `visit` with the label and the target of each strong reference that the object holds in raw memory.
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// The same as `HeapOwner`, for classes of this package, without a change to their public interface.
package protocol InternalHeapOwner: AnyObject {
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// A class of this package whose holders release it when they are released, which breaks any cycle through it.
package protocol SelfCutting: AnyObject {}
