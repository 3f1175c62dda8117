/// A limitation of a walk: it could not see something, and may have missed references.
///
/// A limitation weakens the verdict 'proven' to 'held', never the reverse.
public struct HeapLimitation: Sendable, Hashable {
    /// Why something could not be seen. The numbers are stored in traces.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// The memory layout of this process is not the one that the walker knows; nothing was walked. Subject: the fact.
        case unknownLayout = 1
        /// The type was built without reflection metadata. Subject: the type.
        case noReflection = 2
        /// A closure captured something of a type that cannot be resolved. Subject: the closure, or the type.
        case unknownCapture = 3
        /// Memory that no metadata describes: C++ and foreign types, tails of `ManagedBuffer`, packs. Subject: the type.
        case unknownMemory = 4
        /// More references to an object were found than it counts; it is treated as held. Subject: the type.
        case tooManyReferences = 5
        /// A reference does not lead to an object: memory changed, was damaged, or was not yet set. Subject: the holder.
        case notAnObject = 6
        /// The walk stopped at its limit of objects. Subject: the limit.
        case tooManyObjects = 7
        /// The walk crashed, which did not affect the app. Subject: the signal.
        case walkCrashed = 8
        /// The walk took too long and was aborted. Subject: the time.
        case walkTimedOut = 9
        /// No walk is possible here. Subject: the reason.
        case noWalk = 10
        /// There was no memory for the proof; the walked objects are not reported. Subject: their number.
        case outOfMemory = 11
        /// Each walk waited for a lock that another thread held when the walk was forked. Subject: the time that one walk waited.
        case walkBlocked = 12
    }

    /// The reason.
    public var reason: Reason
    /// The subject, as the reason defines it.
    public var subject: String

    /// A limitation.
    public init(_ reason: Reason, _ subject: String) {
        self.reason = reason
        self.subject = subject
    }
}
