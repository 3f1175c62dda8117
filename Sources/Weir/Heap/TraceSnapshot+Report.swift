#if Recording
import CWeirCore
import WeirRecording

extension TraceSnapshot {
    /// The result of a walk in the form of a trace: without addresses, with the names that the program gave.
    ///
    /// Every object of the report must still exist.
    init(_ report: HeapReport, _ pinned: PinnedRoots) {
        self.init()
        objects = report.objects.map { SnapshotObject($0, pinned) }
        references = report.references.map(SnapshotReference.init)
        cycles = report.cycles.map(SnapshotCycle.init)
        limitations = report.limitations.map {
            SnapshotLimitation(SnapshotLimitation.Reason(rawValue: $0.reason.rawValue) ?? .other, $0.subject)
        }
        walkedObjects = UInt64(clamping: report.walkedObjects)
        walkedReferences = UInt64(clamping: report.walkedReferences)
        walkedBytes = UInt64(clamping: report.walkedBytes)
        omittedCycles = UInt64(clamping: report.omittedCycles)
    }
}

extension SnapshotObject {
    fileprivate init(_ object: HeapObject, _ pinned: PinnedRoots) {
        self.init(kind: Kind(rawValue: object.kind.rawValue) ?? .unknown, type: object.type)
        identity = object.root.map(HeapProbe.identity(ofTag:)) ?? .none
        size = UInt64(clamping: object.size)
        retainedSize = UInt64(clamping: object.retainedSize)
        outsideReferences =
            object.outsideReferences == .max
            ? .max : UInt32(clamping: min(object.outsideReferences, Int(UInt32.max) - 1))
        outsideHolder = object.outsideHolder.flatMap(OutsideHolder.init)
        otherHolders = object.otherHolders.compactMap(OutsideHolder.init)
        isGarbage = object.isGarbage
        isHeldByHandlersOnly = object.isHeldByHandlersOnly
        isIncomplete = object.isIncomplete
        isInternal = object.isInternal
        isOfSystem = object.isOfSystem
        isWeaklyReferenced = object.isWeaklyReferenced
        isPrivate = object.isPrivate
        holder = object.holder.map { UInt32(clamping: $0) }
        if case .object(let id) = identity { label = pinned.tracked[id]?.label }
        if object.kind == .instance, object.isInternal || identity != .none { addNames(at: object.address) }
    }

    /// Adds the label and the call site of a node or subscription.
    private mutating func addNames(at address: UInt) {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
        let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        if let node = object as? Node {
            let traced = node.nodeIfTraced ?? node
            label = label ?? Registry.shared.adoption(of: traced)?.label
            site = TraceSite(traced.file, traced.line)
        } else if let sink = object as? any Sited {
            site = TraceSite(sink.file, sink.line)
        }
    }
}

/// An object with a call site in the program.
private protocol Sited: AnyObject {
    var file: UnsafePointer<UInt8> { get }
    var line: UInt32 { get }
}

extension Sink: Sited {}

extension TraceSite {
    fileprivate init(_ file: UnsafePointer<UInt8>, _ line: UInt32) {
        self.init(file: String(cString: file), line: Int(line))
    }

    fileprivate init?(_ function: HeapFunction) {
        guard let file = function.file else { return nil }
        self.init(file: file, line: function.line ?? 0)
    }
}

extension SnapshotReference {
    fileprivate init(_ reference: HeapReference) {
        self.init(
            source: UInt32(clamping: reference.source), target: UInt32(clamping: reference.target),
            label: reference.label, ownership: Ownership(rawValue: reference.ownership.rawValue) ?? .unmanaged)
        guard let function = reference.function else { return }
        isClosure = true
        self.function = function.name
        functionKind = FunctionKind(function.kind)
        hasConcurrentClosures = function.hasConcurrentClosures
        isInternal = function.isInternal
        isOfSystem = function.isOfSystem
        site = TraceSite(function)
    }
}

extension OutsideHolder {
    fileprivate init?(_ holder: HeapHolder) {
        switch holder {
        case .variable(let name): self = .variable(name)
        case .task(let tasks): self = .task(tasks.map(TaskWork.init))
        case .taskResult: self = .taskResult
        case .closure(let function):
            guard let site = TraceSite(function) else { return nil }
            self = .closure(site)
        }
    }
}

extension TaskWork {
    fileprivate init(_ task: HeapTask) {
        self.init(
            function: task.function.name ?? "", kind: FunctionKind(task.function.kind),
            site: TraceSite(task.function), madeAt: task.maker.flatMap { TraceSite($0) },
            wait: Wait(rawValue: task.wait.rawValue) ?? .library)
    }
}

extension FunctionKind {
    fileprivate init(_ kind: HeapFunction.Kind) { self = FunctionKind(rawValue: kind.rawValue) ?? .unknown }
}

extension SnapshotCycle {
    fileprivate init(_ cycle: HeapCycle) {
        self.init(
            references: cycle.references.map { UInt32(clamping: $0) }, isProven: cycle.isProven,
            componentObjects: UInt64(clamping: cycle.componentObjects),
            componentBytes: UInt64(clamping: cycle.componentBytes))
        retainedSize = UInt64(clamping: cycle.retainedSize)
    }
}
#endif
