import WeirAnalysis
import WeirTrace

// The names of facts in JSON, exports and tables. Programs of others depend on them: renaming a case changes none.

extension Finding.Severity {
    /// "warning", which reports also show.
    var word: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

extension NodeTechnique {
    var jsonName: String {
        switch self {
        case .weir: "weir"
        case .traced: "traced"
        case .observation: "observation"
        case .render: "render"
        case .combine: "combine"
        case .published: "published"
        case .asyncSequence: "asyncSequence"
        case .callback: "callback"
        case .foreign: "foreign"
        }
    }
}

extension NodeStrategy {
    var jsonName: String {
        switch self {
        case .first: "first"
        case .all: "all"
        case .every: "every"
        case .settled: "settled"
        }
    }
}

extension CauseStep.Input.Role {
    var jsonName: String {
        switch self {
        case .triggered: "triggered"
        case .changed: "changed"
        case .written: "written"
        case .heldBack: "heldBack"
        case .tookPart: "tookPart"
        case .paired: "paired"
        case .waiting: "waiting"
        case .missing: "missing"
        case .opened: "opened"
        case .unknown: "unknown"
        }
    }
}

extension Judgement.Unknown.Reason {
    var jsonName: String {
        switch self {
        case .noValueYet: "noValueYet"
        case .notRecorded: "notRecorded"
        case .isPrivate: "isPrivate"
        case .notRecordable: "notRecordable"
        case .isCut: "isCut"
        case .notATruth: "notATruth"
        case .notComparable: "notComparable"
        }
    }
}

// MARK: - Snapshots

extension SnapshotObject.Kind {
    var jsonName: String {
        switch self {
        case .instance: "instance"
        case .closure: "closure"
        case .box: "box"
        case .storage: "storage"
        case .error: "error"
        case .task: "task"
        case .unknown: "unknown"
        }
    }
}

extension SnapshotLimitation.Reason {
    var jsonName: String {
        switch self {
        case .unknownLayout: "unknownLayout"
        case .noReflection: "noReflection"
        case .unknownCapture: "unknownCapture"
        case .unknownMemory: "unknownMemory"
        case .tooManyReferences: "tooManyReferences"
        case .notAnObject: "notAnObject"
        case .tooManyObjects: "tooManyObjects"
        case .walkCrashed: "walkCrashed"
        case .walkTimedOut: "walkTimedOut"
        case .noWalk: "noWalk"
        case .outOfMemory: "outOfMemory"
        case .walkBlocked: "walkBlocked"
        case .other: "other"
        }
    }
}

extension FunctionKind {
    var jsonName: String {
        switch self {
        case .unknown: "unknown"
        case .function: "function"
        case .closure: "closure"
        case .autoclosure: "autoclosure"
        }
    }
}

extension TaskWork.Wait {
    var jsonName: String {
        switch self {
        case .library: "library"
        case .continuation: "continuation"
        case .unknown: "unknown"
        case .task: "task"
        case .element: "element"
        case .group: "group"
        case .asyncLet: "asyncLet"
        }
    }
}
