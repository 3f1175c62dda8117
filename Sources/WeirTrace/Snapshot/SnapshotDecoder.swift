/// Reads a snapshot from possibly hostile bytes; allocates no more memory than these can justify.
///
/// It checks that the bytes are well formed; `TraceSnapshot.makesSense` checks their meaning.
struct SnapshotDecoder {
    private var scanner: ByteScanner
    private var strings: [String] = []
    private var steps = 0

    init(_ scanner: ByteScanner) { self.scanner = scanner }

    mutating func decode() -> TraceSnapshot? {
        guard scanner.varint() == SnapshotEncoder.form, decodeStrings() else { return nil }
        var snapshot = TraceSnapshot()
        guard let walkedObjects = scanner.varint(), let walkedReferences = scanner.varint(),
            let walkedBytes = scanner.varint(), let omittedObjects = scanner.varint(),
            let omittedCycles = scanner.varint()
        else { return nil }
        snapshot.walkedObjects = walkedObjects
        snapshot.walkedReferences = walkedReferences
        snapshot.walkedBytes = walkedBytes
        snapshot.omittedObjects = omittedObjects
        snapshot.omittedCycles = omittedCycles
        guard let objects = section(SnapshotLimits.objects, { $0.object(&$1) }),
            let references = section(SnapshotLimits.references, { $0.reference(&$1) }),
            let cycles = section(SnapshotLimits.cycles, { $0.cycle(&$1) }),
            let limitations = section(SnapshotLimits.limitations, { $0.limitation(&$1) })
        else { return nil }
        snapshot.objects = objects
        snapshot.references = references
        snapshot.cycles = cycles
        snapshot.limitations = limitations
        return snapshot
    }

    /// The first limitation that ended the walk of the snapshot in `bytes`; nil: there is none, or they contain no snapshot.
    ///
    /// It decodes nothing else, and allocates nothing but the subject.
    static func abortion(in bytes: UnsafeRawBufferPointer) -> SnapshotLimitation? {
        guard let base = bytes.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: bytes.count)
        guard scanner.varint() == SnapshotEncoder.form else { return nil }
        var table = scanner
        guard skipList(&scanner) else { return nil }
        for _ in 0..<5 where scanner.varint() == nil { return nil }
        for _ in 0..<3 where !skipList(&scanner) { return nil }
        guard let count = scanner.varint() else { return nil }
        for _ in 0..<count {
            guard let length = scanner.varint(), var record = scanner.part(length), let number = record.byte()
            else { return nil }
            guard let reason = SnapshotLimitation.Reason(rawValue: number), reason.isAborted else { continue }
            guard let id = record.varint(), let texts = table.varint(), id <= texts else { return nil }
            if id == 0 { return SnapshotLimitation(reason, "") }
            for _ in 1..<id where !table.skipText() { return nil }
            return table.text().map { SnapshotLimitation(reason, $0) }
        }
        return nil
    }

    /// Skips a list of texts or records, each with its length.
    private static func skipList(_ scanner: inout ByteScanner) -> Bool {
        guard let count = scanner.varint() else { return false }
        for _ in 0..<count where !scanner.skipText() { return false }
        return true
    }

    private mutating func decodeStrings() -> Bool {
        guard let count = scanner.varint(), count <= SnapshotLimits.strings else { return false }
        for _ in 0..<count {
            guard let text = scanner.text() else { return false }
            strings.append(text)
        }
        return true
    }

    /// Reads records with their lengths; skips bytes after the known fields of a record.
    private mutating func section<Element>(
        _ limit: Int, _ read: (inout SnapshotDecoder, inout ByteScanner) -> Element?
    ) -> [Element]? {
        guard let count = scanner.varint(), count <= limit else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let length = scanner.varint() else { return nil }
            let start = scanner.position
            guard scanner.skip(length) else { return nil }
            var record = ByteScanner(scanner.base, from: start, to: scanner.position)
            guard let element = read(&self, &record) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// A text of the table; `.some(nil)`: no text.
    private func text(_ record: inout ByteScanner) -> String?? {
        guard let id = record.varint(), id <= strings.count else { return nil }
        return .some(id == 0 ? nil : strings[Int(id) - 1])
    }

    private func site(_ record: inout ByteScanner) -> TraceSite?? {
        guard let file = text(&record), let line = record.varint() else { return nil }
        return .some(file.map { TraceSite(file: $0, line: Int(clamping: line)) })
    }

    private func object(_ record: inout ByteScanner) -> SnapshotObject? {
        guard let kind = record.byte(), let flags = record.byte(), let identity = record.byte(), let id = record.id(),
            let type = text(&record), let label = text(&record), let site = site(&record),
            let size = record.varint(), let retainedSize = record.varint(), let outside = record.id(),
            let outsideName = text(&record), let holder = record.varint(), holder <= UInt32.max
        else { return nil }
        var object = SnapshotObject(kind: SnapshotObject.Kind(rawValue: kind) ?? .unknown, type: type ?? "")
        object.isGarbage = flags & 1 != 0
        object.isHeldByHandlersOnly = flags & 2 != 0
        object.isIncomplete = flags & 4 != 0
        object.isInternal = flags & 8 != 0
        object.isPrivate = flags & 16 != 0
        object.isOfSystem = flags & 32 != 0
        object.isWeaklyReferenced = flags & 64 != 0
        switch identity {
        case 1: object.identity = .node(id)
        case 2: object.identity = .subscription(id)
        case 3: object.identity = .object(id)
        default: break
        }
        object.label = label
        object.site = site
        object.size = size
        object.retainedSize = retainedSize
        object.outsideReferences = outside
        object.holder = holder == 0 ? nil : UInt32(holder - 1)
        guard let outsideHolder = outsideHolder(&record) else { return nil }
        object.outsideHolder = outsideHolder ?? outsideName.map(OutsideHolder.init(described:))
        while outsideHolder != nil, object.otherHolders.count < SnapshotLimits.holders {
            guard let other = self.outsideHolder(&record) else { return nil }
            // After a kind that this version does not know, nothing can be read.
            guard let other else { break }
            object.otherHolders.append(other)
        }
        return object
    }

    /// The presumed holder at the end of an object; `.some(nil)`: none, or one of a kind that this version does not know.
    private func outsideHolder(_ record: inout ByteScanner) -> OutsideHolder?? {
        guard let kind = record.byte() else { return .some(nil) }
        switch kind {
        case 1:
            guard let count = record.varint(), count <= SnapshotLimits.tasks else { return nil }
            var tasks: [TaskWork] = []
            for _ in 0..<count {
                guard let function = text(&record), let kind = record.byte(), let ownSite = site(&record),
                    let madeAt = site(&record), let wait = record.byte()
                else { return nil }
                tasks.append(
                    TaskWork(
                        function: function ?? "", kind: FunctionKind(rawValue: kind) ?? .unknown, site: ownSite,
                        madeAt: madeAt, wait: TaskWork.Wait(rawValue: wait) ?? .library))
            }
            return .some(.task(tasks))
        case 2: return .some(.taskResult)
        case 3: return site(&record).map { $0.map(OutsideHolder.closure) }
        default: return .some(nil)
        }
    }

    private func reference(_ record: inout ByteScanner) -> SnapshotReference? {
        guard let source = record.id(), let target = record.id(), let label = text(&record),
            let ownership = record.byte(), let flags = record.byte(), let function = text(&record),
            let site = site(&record)
        else { return nil }
        // An unknown ownership counts as not owning.
        var reference = SnapshotReference(
            source: source, target: target, label: label ?? "",
            ownership: SnapshotReference.Ownership(rawValue: ownership) ?? .unmanaged)
        reference.isClosure = flags & 1 != 0
        reference.function = function
        if let function {
            reference.functionKind = FunctionKind(rawValue: flags >> 1 & 3) ?? .unknown
            if reference.functionKind == .unknown { reference.functionKind = FunctionKind(ofFunction: function) }
        }
        reference.hasConcurrentClosures = flags & 8 != 0
        // Writers before this flag tell it by the closure's file.
        reference.isInternal = flags & 16 != 0 || site?.file.hasPrefix("Weir/") == true
        reference.isOfSystem = flags & 32 != 0
        reference.site = site
        return reference
    }

    private mutating func cycle(_ record: inout ByteScanner) -> SnapshotCycle? {
        guard let flags = record.byte(), let objects = record.varint(), let bytes = record.varint(),
            let retainedSize = record.varint(), let count = record.varint(),
            count <= SnapshotLimits.stepsOfCycles - steps
        else { return nil }
        steps += Int(count)
        var references: [UInt32] = []
        for _ in 0..<count {
            guard let reference = record.id() else { return nil }
            references.append(reference)
        }
        var cycle = SnapshotCycle(
            references: references, isProven: flags & 1 != 0, componentObjects: objects, componentBytes: bytes)
        cycle.retainedSize = retainedSize
        return cycle
    }

    private func limitation(_ record: inout ByteScanner) -> SnapshotLimitation? {
        guard let reason = record.byte(), let subject = text(&record) else { return nil }
        return SnapshotLimitation(SnapshotLimitation.Reason(rawValue: reason) ?? .other, subject ?? "")
    }
}
