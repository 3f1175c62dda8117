/// The reference graph around what was alive at one moment: circles, tracked objects, and the ways that hold them.
///
/// Objects and references name each other by their place in the arrays.
public struct TraceSnapshot: Sendable, Equatable {
    /// The objects, in the order in which they were found.
    public var objects: [SnapshotObject] = []
    /// The references along circles and ways.
    public var references: [SnapshotReference] = []
    /// Circles of strong references.
    public var circles: [SnapshotCircle] = []
    /// What could not be seen.
    public var doubts: [SnapshotDoubt] = []
    /// Objects, references and bytes that were walked, of which the snapshot tells a part.
    public var walkedObjects: UInt64 = 0, walkedReferences: UInt64 = 0, walkedBytes: UInt64 = 0
    /// What had no room in the snapshot.
    public var omittedObjects: UInt64 = 0, omittedCircles: UInt64 = 0

    /// An empty snapshot.
    public init() {}
}

/// A heap object in a snapshot.
public struct SnapshotObject: Sendable, Equatable {
    /// What kind of memory it is.
    public enum Kind: UInt8, Sendable {
        case instance = 1
        case closure = 2
        case box = 3
        case storage = 4
        case error = 5
        case task = 6
        case unknown = 7
    }

    /// What the trace knows it as.
    public enum Identity: Sendable, Equatable {
        /// The trace does not know it.
        case none
        /// The node with that id.
        case node(UInt32)
        /// The subscription with that id.
        case subscription(UInt32)
        /// The tracked object with that id.
        case object(UInt32)
    }

    /// What kind of memory it is.
    public var kind: Kind
    /// What the trace knows it as.
    public var identity = Identity.none
    /// The type, without the module; of a closure, what it captured.
    public var type: String
    /// The name that the program gives it: the label of a node, the name under which a model was adopted.
    public var label: String?
    /// The line that made it; known of nodes and subscriptions.
    public var site: TraceSite?
    /// Bytes that it takes itself.
    public var size: UInt64 = 0
    /// Bytes that would be freed with it; 0: not known.
    public var retainedSize: UInt64 = 0
    /// Strong references to it from outside of what was walked; `UInt32.max`: it never dies.
    public var outsideReferences: UInt32 = 0
    /// What holds it from outside, as far as that has a name: "global Session.shared".
    public var outsideName: String?
    /// Nothing outside leads to it: proven garbage.
    public var isGarbage = false
    /// Every way from outside to it goes through a handler.
    public var isHeldByHandlersOnly = false
    /// It may hold more than is told.
    public var isIncomplete = false
    /// An instance of a class of Weir's own: a drawing folds it, unless the trace knows it.
    public var isInternal = false
    /// A private node, or an object that one holds: the snapshot has no size of it, and no other size includes it.
    public var isPrivate = false
    /// The reference by which the shortest way from outside comes here: a place in `references`.
    public var holder: UInt32?

    /// An object; what is unknown about it is left out.
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

    /// Places in `objects`.
    public var source: UInt32, target: UInt32
    /// The way inside of the source: ".handler", "[3].value", "captures"; empty: the source as a whole.
    public var label: String
    /// Whether it keeps the target alive.
    public var ownership: Ownership
    /// Whether it is a closure's: then the target is what the closure has captured.
    public var isClosure = false
    /// The closure's name: "closure #1 in LoginModel.init()"; nil: unknown, or no closure.
    public var function: String?
    /// Where the closure stands; nil: unknown, or no closure.
    public var site: TraceSite?

    /// A reference.
    public init(source: UInt32, target: UInt32, label: String, ownership: Ownership = .strong) {
        self.source = source
        self.target = target
        self.label = label
        self.ownership = ownership
    }
}

/// A circle of strong references in a snapshot.
public struct SnapshotCircle: Sendable, Equatable {
    /// Places in `references`: the target of each is the source of the next, the last leads back to the first.
    public var references: [UInt32]
    /// Nothing outside holds any of it.
    public var isProven: Bool
    /// Objects and bytes of the strongly connected component that it lies in.
    public var componentObjects: UInt64, componentBytes: UInt64
    /// Bytes of all that only the component holds, itself included.
    public var retainedSize: UInt64 = 0

    /// A circle.
    public init(references: [UInt32], isProven: Bool, componentObjects: UInt64, componentBytes: UInt64) {
        self.references = references
        self.isProven = isProven
        self.componentObjects = componentObjects
        self.componentBytes = componentBytes
    }
}

/// What a snapshot could not see: it weakens verdicts, and never makes one.
public struct SnapshotDoubt: Sendable, Hashable {
    /// Why something could not be seen.
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
        /// A reason that this version does not know.
        case other = 255
    }

    /// Why.
    public var reason: Reason
    /// About what: a type, a signal, a limit.
    public var subject: String

    /// A doubt.
    public init(_ reason: Reason, _ subject: String) {
        self.reason = reason
        self.subject = subject
    }
}

extension SnapshotObject {
    /// What holds it from outside is a task or a closure, as far as is known, and no variable.
    public var isHolderGuessed: Bool { outsideName?.hasSuffix(", it seems") ?? false }
}
