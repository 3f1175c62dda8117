/// The reference graph around all live objects at one moment: cycles, tracked objects, and the paths that hold them.
///
/// Objects and references identify each other by their index in the arrays.
public struct TraceSnapshot: Sendable, Equatable {
    /// The objects, in the order in which they were found.
    public var objects: [SnapshotObject] = []
    /// The references along cycles and paths.
    public var references: [SnapshotReference] = []
    /// The cycles of strong references.
    public var cycles: [SnapshotCycle] = []
    /// The limitations of the heap walk.
    public var limitations: [SnapshotLimitation] = []
    /// The number of objects, references and bytes walked, including those that the snapshot does not list.
    public var walkedObjects: UInt64 = 0, walkedReferences: UInt64 = 0, walkedBytes: UInt64 = 0
    /// The number of objects and cycles omitted for lack of room.
    public var omittedObjects: UInt64 = 0, omittedCycles: UInt64 = 0

    /// An empty snapshot.
    public init() {}
}

/// A heap object in a snapshot.
public struct SnapshotObject: Sendable, Equatable {
    /// The kind of memory.
    public enum Kind: UInt8, Sendable {
        case instance = 1
        case closure = 2
        case box = 3
        case storage = 4
        case error = 5
        case task = 6
        case unknown = 7
    }

    /// The identity of an object in the trace.
    public enum Identity: Sendable, Equatable {
        /// The trace does not identify the object.
        case none
        /// The node with that id.
        case node(UInt32)
        /// The subscription with that id.
        case subscription(UInt32)
        /// The tracked object with that id.
        case object(UInt32)
    }

    /// The kind of memory.
    public var kind: Kind
    /// The identity in the trace.
    public var identity = Identity.none
    /// The type, without the module; for a closure context, the captures.
    public var type: String
    /// The name given by the program: the label of a node, or the name under which a model was adopted.
    public var label: String?
    /// The line that made it; known for nodes and subscriptions.
    public var site: TraceSite?
    /// The object's own size in bytes.
    public var size: UInt64 = 0
    /// The number of bytes that would be freed with it; 0: unknown.
    public var retainedSize: UInt64 = 0
    /// The number of strong references from outside the walked objects; `UInt32.max`: it never dies.
    public var outsideReferences: UInt32 = 0
    /// The external holder, if one is known.
    public var outsideHolder: OutsideHolder?
    /// Further external holders, presumably.
    public var otherHolders: [OutsideHolder] = []
    /// Whether it is unreachable from outside: proven garbage.
    public var isGarbage = false
    /// Whether every path from outside to it goes through a handler.
    public var isHeldByHandlersOnly = false
    /// Whether it may hold more objects than the snapshot lists.
    public var isIncomplete = false
    /// Whether it belongs to one of Weir's own classes: drawings fold it, unless the trace identifies it.
    public var isInternal = false
    /// Whether it belongs to a class of the system, which the program cannot change.
    public var isOfSystem = false
    /// Whether it is garbage that a weak reference outside of all garbage leads to, directly or along strong references.
    public var isWeaklyReferenced = false
    /// Whether it is a private node, or an object that one holds; the snapshot has no size of it, and no other size includes
    /// it.
    public var isPrivate = false
    /// The last reference of the shortest path from outside to it: an index in `references`.
    public var holder: UInt32?

    /// An object; omit unknown details.
    public init(kind: Kind, type: String) {
        self.kind = kind
        self.type = type
    }
}

/// A reference in a snapshot.
public struct SnapshotReference: Sendable, Equatable {
    /// Whether a reference keeps its target alive.
    public enum Ownership: UInt8, Sendable {
        case strong = 1
        case weak = 2
        case unowned = 3
        case unmanaged = 4
    }

    /// Indices in `objects`.
    public var source: UInt32, target: UInt32
    /// The access path inside the source: ".handler", "[3].value", "captures"; empty: the source as a whole.
    public var label: String
    /// Whether it keeps the target alive.
    public var ownership: Ownership
    /// Whether it belongs to a closure; then the target is what the closure has captured.
    public var isClosure = false
    /// The closure's name: "closure #1 in LoginModel.init()"; nil: unknown, or no closure.
    public var function: String?
    /// The kind of the function with that name.
    public var functionKind = FunctionKind.unknown
    /// Whether closures inside that one may run concurrently and capture something, so that each needs a capture list of its own.
    public var hasConcurrentClosures = false
    /// Whether the closure belongs to Weir.
    public var isInternal = false
    /// Whether the closure belongs to a library of the system.
    public var isOfSystem = false
    /// The line of the closure; nil: unknown, or no closure.
    public var site: TraceSite?

    /// A reference.
    public init(source: UInt32, target: UInt32, label: String, ownership: Ownership = .strong) {
        self.source = source
        self.target = target
        self.label = label
        self.ownership = ownership
    }
}

/// A cycle of strong references in a snapshot.
public struct SnapshotCycle: Sendable, Equatable {
    /// Indices in `references`: the target of each is the source of the next; the last leads back to the first.
    public var references: [UInt32]
    /// Whether nothing outside holds any of it.
    public var isProven: Bool
    /// The number of objects and bytes in its strongly connected component.
    public var componentObjects: UInt64, componentBytes: UInt64
    /// The number of bytes held only by the component, including the component itself.
    public var retainedSize: UInt64 = 0

    /// A cycle.
    public init(references: [UInt32], isProven: Bool, componentObjects: UInt64, componentBytes: UInt64) {
        self.references = references
        self.isProven = isProven
        self.componentObjects = componentObjects
        self.componentBytes = componentBytes
    }
}

/// A limitation of a snapshot: it weakens verdicts, but never causes one.
public struct SnapshotLimitation: Sendable, Hashable {
    /// The reason for the limitation.
    public enum Reason: UInt8, Sendable, CaseIterable {
        case unknownLayout = 1
        case noReflection = 2
        case unknownCapture = 3
        case unknownMemory = 4
        case tooManyReferences = 5
        case notAnObject = 6
        case tooManyObjects = 7
        case walkCrashed = 8
        case walkTimedOut = 9
        case noWalk = 10
        case outOfMemory = 11
        case walkBlocked = 12
        /// A reason that this version does not know.
        case other = 255

        /// Whether the walk did not reach its end, or there was none: any number of cycles may be missing.
        public var isAborted: Bool {
            switch self {
            case .unknownLayout, .tooManyObjects, .walkCrashed, .walkTimedOut, .noWalk, .outOfMemory, .walkBlocked: true
            case .noReflection, .unknownCapture, .unknownMemory, .tooManyReferences, .notAnObject, .other: false
            }
        }
    }

    /// The reason.
    public var reason: Reason
    /// The subject: a type, a signal, a limit.
    public var subject: String

    /// A limitation.
    public init(_ reason: Reason, _ subject: String) {
        self.reason = reason
        self.subject = subject
    }
}

extension SnapshotObject {
    /// Whether the external holder is presumably a task or a closure, and not a variable.
    public var isHolderGuessed: Bool { outsideHolder?.isGuess ?? false }
    /// Whether it is a task, or is presumably held by one.
    package var isHeldByTask: Bool {
        if kind == .task { return true }
        if case .task = outsideHolder { return true }
        return false
    }
    /// The static or global variable that holds it; nil if none is known.
    package var outsideVariable: String? { if case .variable(let name) = outsideHolder { name } else { nil } }
}

extension TraceSnapshot {
    /// The snapshot as bytes, in the format of 'The trace file, byte for byte'.
    ///
    /// A `bounded` snapshot for which `makesSense` is true can be decoded again; texts longer than 1,024 bytes are cut.
    package var encoded: [UInt8] {
        var encoder = SnapshotEncoder()
        encoder.encode(self)
        return encoder.bytes
    }

    /// The snapshot encoded in `bytes`, which may be hostile; nil: they do not contain a snapshot.
    ///
    /// The result makes sense: every index is within its array, cycles are closed, and all chains of `holder` end.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= SnapshotLimits.bytes, let base = bytes.baseAddress else { return nil }
        var decoder = SnapshotDecoder(ByteScanner(base, from: 0, to: bytes.count))
        guard let snapshot = decoder.decode(), snapshot.makesSense else { return nil }
        self = snapshot
    }
}

/// The limits of a snapshot in a trace.
package enum SnapshotLimits {
    /// The most objects; the rest are only counted.
    package static let objects = 65_536
    /// The most bytes, encoded.
    package static let bytes = 8 << 20
    package static let references = 262_144
    package static let cycles = 65_536
    /// The most references in all cycles together.
    package static let stepsOfCycles = 1_048_576
    package static let limitations = 4096
    /// The most tasks of a chain of tasks that wait for each other.
    package static let tasks = 64
    /// The most presumed holders of one object besides the first.
    package static let holders = 16
    package static let strings = 1 << 20
    /// The most bytes of a text; only the beginning of longer texts is kept.
    package static let textBytes = 1024
    /// The most bytes of a part; with the rest of its record, it is shorter than the longest definition.
    package static let partBytes = 8192
}
