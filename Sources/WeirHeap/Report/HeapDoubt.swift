/// What a walk could not see, and so may have missed: it weakens the verdict 'proven' to 'held', and never the reverse.
public struct HeapDoubt: Sendable, Hashable {
    /// Why something could not be seen. The numbers stand in traces.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// This process lays memory out otherwise than the walker knows; nothing was walked. Subject: the fact.
        case unknownLayout = 1
        /// The type was built without reflection metadata. Subject: the type.
        case noReflection = 2
        /// A closure captured something of a type that cannot be resolved. Subject: the closure, or the type.
        case unknownCapture = 3
        /// Memory that no metadata describes: C++ and foreign types, tails of `ManagedBuffer`, packs. Subject: the type.
        case unknownMemory = 4
        /// More references were found to it than it counts; it is taken for held. Subject: the type.
        case tooManyReferences = 5
        /// A reference that does not lead to an object: memory changed, was damaged or not yet set. Subject: who has it.
        case notAnObject = 6
        /// The walk stopped at its limit of objects. Subject: the limit.
        case tooManyObjects = 7
        /// The walk ended in a crash, which the app did not notice. Subject: the signal.
        case walkCrashed = 8
        /// The walk took too long and was given up. Subject: the time.
        case walkTimedOut = 9
        /// No walk could be made here. Subject: why.
        case noWalk = 10
        /// There was no memory for the proof: nothing is told of what was walked. Subject: how many objects that were.
        case outOfMemory = 11
    }

    /// Why.
    public var reason: Reason
    /// About what, as the reason says.
    public var subject: String

    /// A doubt.
    public init(_ reason: Reason, _ subject: String) {
        self.reason = reason
        self.subject = subject
    }
}
