/// What a walk through the heap found: circles, and the objects that were asked about, with the way that holds each.
///
/// Not the whole heap: of the walked graph it keeps what a reader needs to see why something is alive. Objects and
/// references name each other by their place in the arrays.
public struct HeapReport: Sendable, Equatable {
    /// The objects that stand on a circle or on a way, and all roots.
    public var objects: [HeapObject] = []
    /// The references that circles and ways go along, and the ones that do not hold (weak, unowned) beside them.
    public var references: [HeapReference] = []
    /// Circles of strong references, proven ones first.
    public var circles: [HeapCircle] = []
    /// What could not be seen, each once.
    public var doubts: [HeapDoubt] = []
    /// Objects, references and bytes that were walked, without those that are private.
    public var walkedObjects = 0, walkedReferences = 0, walkedBytes = 0
    /// Circles beyond the limit of the walk, which are not told.
    public var omittedCircles = 0

    /// An empty report.
    public init() {}
}

/// A heap object.
public struct HeapObject: Sendable, Equatable {
    /// What kind of memory it is.
    public enum Kind: UInt8, Sendable {
        /// An instance of a class or an actor.
        case instance = 1
        /// What a closure has captured.
        case closure = 2
        /// A captured variable, an indirect enum case, or a large value in an existential.
        case box = 3
        /// The elements of an array, dictionary or set.
        case storage = 4
        /// The box of an `any Error`.
        case error = 5
        /// A task.
        case task = 6
        /// Something that the walker does not know.
        case unknown = 7
    }

    /// Where it is; of no use after the walk.
    public var address: UInt
    /// What kind of memory it is.
    public var kind: Kind
    /// The type, without the module; of a closure what it captured: "closure(Int, LoginModel)".
    public var type: String
    /// Bytes of memory that it takes itself.
    public var size = 0
    /// Bytes that would be freed with it: its own and those of all that only it holds. 0: not asked for.
    public var retainedSize = 0
    /// Strong references to it that the walk did not find: from the stack, a global, memory that it cannot read.
    ///
    /// `Int.max`: it never dies (a static object).
    public var outsideReferences = 0
    /// What holds it from outside, as far as that has a name: "global Session.shared".
    public var outsideName: String?
    /// Nothing outside of the walked objects leads to it: it can never be used nor freed.
    public var isGarbage = false
    /// Every way from outside to it goes through a handler: without subscriptions it would be gone.
    public var isHeldByHandlersOnly = false
    /// Part of it could not be read, so it may hold more than is told.
    public var isIncomplete = false
    /// An instance of a class of Weir's own modules.
    public var isInternal = false
    /// A private root, or an object that one holds: the report has neither its size nor its place, and no other size includes it.
    public var isPrivate = false
    /// The strong reference by which the shortest way from outside comes here; nil: it is held from outside itself, or
    /// garbage.
    public var holder: Int?
    /// The tag of the root that it is; nil: it is no root.
    public var root: UInt64?

    /// Whether something that the walk did not come by holds it; not of what never dies.
    var isHeldFromOutside: Bool { outsideReferences > 0 && outsideReferences < .max }

    /// An object; what is unknown about it is left out.
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

    /// Places in `HeapReport.objects`.
    public var source: Int, target: Int
    /// The way inside of the source: ".handler", "[3].value", "captures"; empty: the source as a whole.
    public var label: String
    /// Whether it keeps the target alive.
    public var ownership: Ownership
    /// It is a closure's: the target is what the closure has captured.
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
public struct HeapFunction: Sendable, Equatable {
    /// Its name in the source: "closure #1 in LoginModel.init()"; nil: the program has no symbols.
    public var name: String?
    /// Where it stands, "Login/LoginModel.swift"; nil: the program has no debug information.
    public var file: String?
    /// The line in that file, from 1.
    public var line: Int?

    /// A function; what is unknown is left out.
    public init(name: String? = nil, file: String? = nil, line: Int? = nil) {
        self.name = name
        self.file = file
        self.line = line
    }
}

/// A circle of strong references.
public struct HeapCircle: Sendable, Equatable {
    /// Places in `HeapReport.references`, in order: the target of each is the source of the next, and the last one leads
    /// back to the first. Begins at a root, if there is one, else at an instance of a class.
    public var references: [Int]
    /// Nothing outside holds any of it: garbage, proven. Else something does, and when it lets go the circle leaks.
    public var isProven: Bool
    /// Objects and bytes of the whole strongly connected component that the circle lies in.
    public var componentObjects: Int, componentBytes: Int
    /// Bytes of what would be freed if the circle were cut: the component and all that only it holds.
    public var retainedSize = 0

    /// A circle.
    public init(references: [Int], isProven: Bool, componentObjects: Int, componentBytes: Int) {
        self.references = references
        self.isProven = isProven
        self.componentObjects = componentObjects
        self.componentBytes = componentBytes
    }
}

extension HeapReport {
    /// What is told where there was no memory to prove anything: how much was walked, and that.
    init(ofUnproven graph: HeapGraph, _ doubts: [HeapDoubt]) {
        self.init()
        walkedObjects = graph.count
        walkedReferences = graph.targets.count
        walkedBytes = graph.sizes.reduce(0) { $0 + Int($1) }
        self.doubts = doubts + [HeapDoubt(.outOfMemory, String(graph.count))]
    }
}
