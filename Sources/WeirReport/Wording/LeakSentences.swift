import WeirAnalysis
import WeirTrace

/// The sentences around leak findings.
enum LeakSentences {
    /// The number of overdue objects, nodes and subscriptions, compared with all that were alive.
    static func overdue(_ findings: LeakFindings, alive: Int, when moment: String) -> String {
        // The snapshot may report more objects as alive than the remaining events do.
        let all = max(alive, findings.overdueCount)
        if all == 0 { return "No tracked object, node or subscription was alive \(moment)." }
        let whole =
            "Of \(Figures.count(all, "tracked object, node or subscription", "tracked objects, nodes and subscriptions")) that \(all == 1 ? "was" : "were") alive \(moment), "
        guard findings.overdueCount > 0 else { return whole + "none is known to be overdue." }
        let garbage = findings.garbageCount
        let which =
            garbage == 0
            ? ""
            : garbage == findings.overdueCount
                ? ": proven garbage" : ": \(Figures.count(garbage)) of them proven garbage"
        return whole + "\(Figures.count(findings.overdueCount)) should be gone\(which)."
    }

    /// The heading above the findings.
    static func heading(_ findings: Int) -> String {
        Figures.count(findings, "finding") + (findings == 1 ? ":" : ", worst first:")
    }

    /// The sentence that nothing was found, with the rules that were applied; `scope` limits it.
    static func nothing(rules: Set<LeakRule>, hasSnapshot: Bool, scope: String = "") -> String {
        let names = LeakRule.allCases.filter(rules.contains).map(\.rawValue)
        let asked =
            if names.count == LeakRule.allCases.count {
                "any rule"
            } else if let last = names.last, names.count > 1 {
                "\(names.dropLast().joined(separator: ", ")) and \(last)"
            } else {
                names.first ?? "no rule"
            }
        let found =
            "Nothing was found by \(asked)\(scope)\(hasSnapshot ? "" : ", without a snapshot (partial analysis)")."
        guard names.count == LeakRule.allCases.count else { return found }
        return found + " Weir analyses adopted and tracked objects and everything they reference."
    }

    /// The extent of the heap walk behind the snapshot.
    static func walked(_ snapshot: TraceSnapshot, when moment: String) -> String {
        // A redacted trace has only the objects that the snapshot lists.
        if snapshot.walkedObjects == 0, !snapshot.objects.isEmpty {
            return "The snapshot \(moment) lists \(Figures.count(snapshot.objects.count, "object")) with "
                + "\(Figures.count(snapshot.references.count, "reference")); how much was walked was removed."
        }
        return "The snapshot \(moment) walked \(Figures.count(snapshot.walkedObjects, "object")) with "
            + "\(Figures.count(snapshot.walkedReferences, "reference")), \(Figures.bytes(snapshot.walkedBytes))."
    }

    /// The objects and cycles that the snapshot omits for lack of room.
    static func omitted(_ snapshot: TraceSnapshot) -> String {
        "It had no room for \(Figures.count(snapshot.omittedObjects, "object")) and "
            + "\(Figures.count(snapshot.omittedCycles, "cycle")): counts are lower bounds."
    }

    /// The sentence that there is no snapshot to find cycles in, with the remedy.
    static func noSnapshot(when moment: String) -> String {
        "The trace has no snapshot of references \(moment), so cycles and holders are unknown: "
            + "record with snapshots (not "
            + "WEIR_SNAPSHOTS=none), and call Trace.checkpoint(…) or let the program end by itself."
    }

    /// The sentence that the snapshot is unreadable, with the last earlier checkpoint whose snapshot is complete.
    static func lostSnapshot(earlier: String?, when moment: String) -> String {
        let remedy =
            earlier.map { "use --at '\(LeakSteps.escapedAndCut($0, 100))' for the last complete snapshot" }
            ?? "record the program again"
        return "The snapshot \(moment) is lost or damaged, so cycles and holders are unknown: "
            + remedy + "."
    }

    /// The number of checkpoints not watched for growth because there were too many names.
    static func unwatched(_ count: Int) -> String {
        "\(Figures.count(count, "checkpoint")) of further names were not watched for growth."
    }
}

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
