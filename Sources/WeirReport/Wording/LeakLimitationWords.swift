import WeirTrace

/// The sentences for the limitations of a heap walk.
package enum LeakLimitationWords {
    /// One sentence; `moment` is that of an aborted walk: "at checkpoint “closed”".
    package static func sentence(for limitation: SnapshotLimitation, when moment: String? = nil) -> String {
        let walk = "Heap walk" + (moment.map { " " + $0 } ?? "") + " aborted"
        let subject = LeakSteps.escapedAndCut(limitation.subject.isEmpty ? "something" : limitation.subject, 100)
        switch limitation.reason {
        case .unknownLayout:
            return "\(walk): this version does not know the memory layout of this platform (\(subject))."
        case .noReflection: return "\(subject) was built without reflection metadata: what it holds is not known."
        case .unknownCapture: return "\(subject) captures something of a type that cannot be resolved."
        case .unknownMemory: return "\(subject) has memory that no metadata describes."
        case .tooManyReferences: return "more references to \(subject) were found than it counts; it is taken for held."
        case .notAnObject: return "\(subject) has a reference that leads to no object."
        case .tooManyObjects: return "\(walk) at its limit of \(subject) objects."
        case .walkCrashed: return "\(walk): it crashed (\(subject)). The program was not affected."
        case .walkTimedOut: return "\(walk): it took longer than \(subject)."
        case .walkBlocked: return "\(walk): a lock was held for \(subject)."
        case .noWalk: return "\(walk): \(subject)."
        case .outOfMemory: return "\(walk): no memory was left after \(subject) objects."
        case .other: return "a reason that this version does not know (\(subject))."
        }
    }
}
