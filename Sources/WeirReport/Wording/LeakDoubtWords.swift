import WeirTrace

/// The sentences for the limitations of a heap walk.
package enum LeakDoubtWords {
    /// One sentence.
    package static func sentence(for doubt: SnapshotDoubt) -> String {
        let subject = LeakSteps.escapedAndCut(doubt.subject.isEmpty ? "something" : doubt.subject, 100)
        switch doubt.reason {
        case .unknownLayout:
            return "memory is laid out otherwise here than the walker knows (\(subject)): nothing was walked."
        case .noReflection: return "\(subject) was built without reflection metadata: what it holds is not known."
        case .unknownCapture: return "\(subject) captures something of a type that cannot be resolved."
        case .unknownMemory: return "\(subject) has memory that no metadata describes."
        case .tooManyReferences: return "more references to \(subject) were found than it counts; it is taken for held."
        case .notAnObject: return "\(subject) has a reference that leads to no object."
        case .tooManyObjects: return "the walk stopped at its limit of \(subject) objects."
        case .walkCrashed: return "the walk ended in a crash (\(subject)), which the program did not notice."
        case .walkTimedOut: return "the walk took longer than \(subject) and was given up."
        case .noWalk: return "no walk could be made: \(subject)."
        case .outOfMemory: return "the walk ran out of memory after \(subject) objects: nothing is told of them."
        case .other: return "a reason that this version does not know (\(subject))."
        }
    }
}
