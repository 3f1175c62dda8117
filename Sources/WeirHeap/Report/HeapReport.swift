/// The result of a walk through the heap: cycles, and the requested objects with the path that holds each.
///
/// It does not contain the whole heap, only the part of the walked graph that shows why an object is alive. Objects and
/// references refer to each other by their index in the arrays.
public struct HeapReport: Sendable, Equatable {
    /// The objects on cycles and paths, and all roots.
    public var objects: [HeapObject] = []
    /// The references along cycles and paths, and the weak and unowned references beside them.
    public var references: [HeapReference] = []
    /// Cycles of strong references, proven ones first.
    public var cycles: [HeapCycle] = []
    /// The limitations of the walk, each once.
    public var limitations: [HeapLimitation] = []
    /// The number of walked objects, references and bytes, without private ones.
    public var walkedObjects = 0, walkedReferences = 0, walkedBytes = 0
    /// The number of cycles that are not reported because of the limit of the walk.
    public var omittedCycles = 0
    /// The addresses of the objects that were found by searching the heap for holders; the walk began at them, too.
    public var foundHolders: [UInt] = []

    /// An empty report.
    public init() {}
}

/// A heap object.
public struct HeapObject: Sendable, Equatable {
    /// The kinds of memory that an object can be.
    public enum Kind: UInt8, Sendable {
        /// An instance of a class or an actor.
        case instance = 1
        /// The captures of a closure.
        case closure = 2
        /// A captured variable, an indirect enum case, or a large value in an existential.
        case box = 3
        /// The elements of an array, dictionary or set.
        case storage = 4
        /// The box of an `any Error`.
        case error = 5
        /// A task.
        case task = 6
        /// A kind that the walker does not know.
        case unknown = 7
    }

    /// The address; meaningless after the walk.
    public var address: UInt
    /// The kind of memory.
    public var kind: Kind
    /// The type, without the module. For a closure, its captures: "closure(Int, LoginModel)".
    public var type: String
    /// The number of bytes of memory that the object itself takes.
    public var size = 0
    /// Bytes that would be freed with it: its own, and those of all objects that only it holds. 0: not requested.
    public var retainedSize = 0
    /// Strong references to it that the walk did not find: from the stack, a global, or memory that it cannot read.
    ///
    /// `Int.max` if the object is immortal (a static object).
    public var outsideReferences = 0
    /// Its outside holder, if one is known.
    public var outsideHolder: HeapHolder?
    /// Further outside holders, all of them guesses.
    public var otherHolders: [HeapHolder] = []
    /// Whether nothing outside the walked objects leads to it. It can then never be used or freed.
    public var isGarbage = false
    /// Whether it is garbage that a weak reference outside of all garbage leads to, directly or along strong references: the
    /// program may still use it, and cut the cycle that keeps it.
    public var isWeaklyReferenced = false
    /// Whether every path from outside to it passes through a handler. Without subscriptions it would be gone.
    public var isHeldByHandlersOnly = false
    /// Whether part of it could not be read, so that it may hold more than the report says.
    public var isIncomplete = false
    /// Whether it is an instance of a class of Weir's own modules.
    public var isInternal = false
    /// Whether it is an instance of a class of the system, such as Foundation's.
    public var isOfSystem = false
    /// Whether it is a private root or held by one. The report has neither its size nor its path; no other size includes it.
    public var isPrivate = false
    /// The index of the strong reference that reaches it on the shortest path from outside.
    ///
    /// Nil if it is held from outside itself, or is garbage.
    public var holder: Int?
    /// The tag of the root that it is; nil if it is not a root.
    public var root: UInt64?

    /// Whether something that the walk did not visit holds it; false for immortal objects.
    var isHeldFromOutside: Bool { outsideReferences > 0 && outsideReferences < .max }

    /// An object. Facts that are not known keep their defaults.
    public init(address: UInt, kind: Kind, type: String) {
        self.address = address
        self.kind = kind
        self.type = type
    }
}

/// A reference from one heap object to another.
public struct HeapReference: Sendable, Equatable {
    /// Whether a reference keeps its target alive.
    public enum Ownership: UInt8, Sendable {
        case strong = 1
        case weak = 2
        case unowned = 3
        case unmanaged = 4
    }

    /// Indexes in `HeapReport.objects`.
    public var source: Int, target: Int
    /// The path inside the source: ".handler", "[3].value", "captures"; empty for the source as a whole.
    public var label: String
    /// Whether it keeps the target alive.
    public var ownership: Ownership
    /// The closure's function, if the reference belongs to a closure. The target is then what the closure has captured.
    public var function: HeapFunction?

    /// A reference.
    public init(source: Int, target: Int, label: String, ownership: Ownership = .strong, function: HeapFunction? = nil)
    {
        self.source = source
        self.target = target
        self.label = label
        self.ownership = ownership
        self.function = function
    }
}

/// The code of a closure.
public struct HeapFunction: Sendable, Hashable {
    /// The kinds of functions.
    public enum Kind: UInt8, Sendable {
        /// The name is unknown.
        case unknown = 0
        /// A function, an accessor, or the reference to a method.
        case function = 1
        case closure = 2
        /// The closure that the compiler makes of an argument; it has no capture list.
        case autoclosure = 3
    }

    /// Its name in the source: "closure #1 in LoginModel.init()"; nil if the program has no symbols.
    public var name: String?
    /// The module of its source; nil if the program has no symbols.
    public var module: String?
    /// Its source file, "Login/LoginModel.swift"; nil if the program has no debug information.
    public var file: String?
    /// The line in that file, from 1.
    public var line: Int?
    /// Its kind.
    public var kind: Kind
    /// Whether closures inside it may run concurrently and capture something, so that each needs a capture list of its own.
    public var hasConcurrentClosures = false

    /// Whether it is a function of Weir.
    package var isInternal: Bool { module == "Weir" }
    /// Whether it is a function of a library of the system.
    package var isOfSystem: Bool { module.map(Plans.systemModules.contains) ?? false }

    /// A function. Facts that are not known are nil.
    public init(
        name: String? = nil, module: String? = nil, file: String? = nil, line: Int? = nil, kind: Kind = .unknown
    ) {
        self.name = name
        self.module = module
        self.file = file
        self.line = line
        self.kind = kind
    }
}

/// A cycle of strong references.
public struct HeapCycle: Sendable, Equatable {
    /// Indexes in `HeapReport.references`, in order.
    ///
    /// The target of each reference is the source of the next, and the last one leads back to the first. The cycle begins at a
    /// root, if there is one, else at an instance of a class.
    public var references: [Int]
    /// Whether nothing outside holds any of it: it is garbage. Otherwise it leaks once its external owner releases it.
    public var isProven: Bool
    /// Objects and bytes of the whole strongly connected component of the cycle.
    public var componentObjects: Int, componentBytes: Int
    /// Bytes that would be freed if the cycle were broken: the component, and all objects that only it holds.
    public var retainedSize = 0

    /// A cycle.
    public init(references: [Int], isProven: Bool, componentObjects: Int, componentBytes: Int) {
        self.references = references
        self.isProven = isProven
        self.componentObjects = componentObjects
        self.componentBytes = componentBytes
    }
}

extension HeapReport {
    /// The objects from which the paths to the cycles begin that are not garbage, by index; each once.
    var headsOfHeldCycles: [Int] {
        var seen: Set<Int> = []
        var heads: [Int] = []
        for cycle in cycles where !cycle.isProven {
            for reference in cycle.references {
                var place = references[reference].source
                while seen.insert(place).inserted {
                    guard let holder = objects[place].holder else {
                        heads.append(place)
                        break
                    }
                    place = references[holder].source
                }
            }
        }
        return heads
    }

    /// The report of a walk without memory for a proof: how much was walked, and that limitation.
    init(ofUnproven graph: HeapGraph, _ limitations: [HeapLimitation]) {
        self.init()
        walkedObjects = graph.count
        walkedReferences = graph.targets.count
        walkedBytes = graph.sizes.reduce(0) { $0 + Int($1) }
        self.limitations = limitations + [HeapLimitation(.outOfMemory, String(graph.count))]
    }
}
