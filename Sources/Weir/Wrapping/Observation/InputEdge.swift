#if Recording
import CWeirCore
import WeirRecording

/// A node that is computed from properties of observable models.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
protocol InputDependent: Node {
    /// Called before an input changes, on the writing thread, usually before the value is stored.
    func inputWillChange()
    /// Called when an input's change is delivered to it, at `place`.
    func inputChanged(at place: ThreadLog.Place?)
    /// Notes the cause of its next evaluation; the first one counts.
    func note(cause: ThreadLog.Place?)
}

/// A subscription by which a property feeds a dependent node. Holds neither.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class InputEdge: Sink<Void> {
    private(set) weak var source: PropertyNode?
    private(set) weak var dependent: (any InputDependent)?
    /// The record of a model of which only reads are known: nothing else holds it.
    private let record: ModelRecord?

    init(from source: PropertyNode, to dependent: any InputDependent, file: StaticString, line: UInt) {
        self.source = source
        self.dependent = dependent
        record = source.record.flatMap { $0.model == nil ? $0 : nil }
        super.init({ _ in }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }

    override var target: Node? { dependent }

    private func begin() {
        guard let source else { return }
        source.begin()
        source.add(self)
        if weir_recording() != 0 { recordStarted(source: source) }
    }

    /// Ends the subscription because the dependent is no longer computed from its source.
    func cut() {
        guard weir_exchange_bool(&isActive, false), let source else { return }
        source.remove(self)
        if weir_recording() != 0, isKnown(ThreadLog()) { recordEnded(source: source, .disposed) }
    }

    /// Called when its source is being released.
    func end(of source: PropertyNode) {
        guard weir_exchange_bool(&isActive, false) else { return }
        if weir_recording() != 0, isKnown(ThreadLog()) { recordEnded(source: source, .sourceReleased) }
    }

    /// The nodes of the read properties, sorted by name, and the records that hold those of unknown models until edges do.
    ///
    /// Call this where the properties may be read.
    static func properties(
        of accesses: [AccessList.Access], file: StaticString, line: UInt
    ) -> (nodes: [PropertyNode], records: [ModelRecord]) {
        let accesses = accesses.filter { !TrackedValue.isRead(by: $0) }
        var records: [ObjectIdentifier: ModelRecord] = [:]
        for access in accesses where records[access.registrar] == nil {
            records[access.registrar] = ModelRecords.shared.record(ofRegistrar: access.registrar)
        }
        if accesses.contains(where: { records[$0.registrar]?.isOfUnknownModel != false }) {
            // An unknown model was usually reached through a property of a known one.
            for access in accesses where records[access.registrar]?.isOfUnknownModel == false {
                records[access.registrar]?.propertyRead(access.keyPath, file: file, line: line)?.lookForModels()
            }
        }
        var found: [(label: String, node: PropertyNode)] = []
        for access in accesses {
            let record =
                records[access.registrar] ?? ModelRecords.shared.record(ofRegistrar: access.registrar)
                ?? ModelRecords.shared.unknownRecord(of: access)
            records[access.registrar] = record
            guard let node = record.propertyRead(access.keyPath, file: file, line: line) else { continue }
            found.append((record.label(of: node), node))
        }
        return (found.sorted { $0.label < $1.label }.map(\.node), Array(records.values))
    }

    /// The edges from `sources` to `dependent`: those of `former` that still apply, and new ones; the others are cut.
    static func connect(
        _ former: [InputEdge], to sources: [PropertyNode], for dependent: any InputDependent, file: StaticString,
        line: UInt
    ) -> [InputEdge] {
        var left: [ObjectIdentifier: InputEdge] = [:]
        var gone: [InputEdge] = []
        for edge in former {
            guard let source = edge.source else { continue }
            if let double = left.updateValue(edge, forKey: ObjectIdentifier(source)) { gone.append(double) }
        }
        let current = sources.map { source in
            if let known = left.removeValue(forKey: ObjectIdentifier(source)) { return known }
            let new = InputEdge(from: source, to: dependent, file: file, line: line)
            new.begin()
            return new
        }
        for edge in former where edge.source.map({ left[ObjectIdentifier($0)] === edge }) ?? false { edge.cut() }
        for edge in gone { edge.cut() }
        return current
    }
}

extension Node {
    /// Runs `body` with `cause`: in a hop, unless that is the current delivery.
    final func caused(by cause: ThreadLog.Place?, _ body: () -> Void) {
        let log = ThreadLog()
        // A node that the recording leaves out passes a known cause on; nothing else is recorded of it.
        let isLeftOut = isLeftOut
        guard !isLeftOut || cause != nil && cause?.session == log.session, log.isReady(weir_recording()),
            log.openPlace != cause
        else { return body() }
        let session = log.session
        let node = isLeftOut ? 0 : code(log)
        guard node != 0 || isLeftOut, log.session == session else { return body() }
        let hop = log.hopBegan(node, cause: cause)
        body()
        hop.close()
    }
}
#endif
