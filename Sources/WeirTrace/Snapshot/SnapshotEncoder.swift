/// Writes a snapshot as bytes: a table of texts, then records that each carry their length.
struct SnapshotEncoder {
    private(set) var bytes: [UInt8] = []
    private var strings: [String: UInt64] = [:]
    private var texts: [UInt8] = []
    private var record: [UInt8] = []
    private var body: [UInt8] = []

    static let form: UInt64 = 1

    mutating func encode(_ snapshot: TraceSnapshot) {
        let totals = [
            snapshot.walkedObjects, snapshot.walkedReferences, snapshot.walkedBytes, snapshot.omittedObjects,
            snapshot.omittedCycles,
        ]
        for total in totals { Varint.append(total, to: &body) }
        section(snapshot.objects) { $0.write($1) }
        section(snapshot.references) { $0.write($1) }
        section(snapshot.cycles) { $0.write($1) }
        section(snapshot.limitations) { $0.write($1) }
        bytes.reserveCapacity(texts.count + body.count + 16)
        Varint.append(Self.form, to: &bytes)
        Varint.append(UInt64(strings.count), to: &bytes)
        bytes += texts
        bytes += body
    }

    private mutating func section<Element>(
        _ elements: [Element], _ write: (inout SnapshotEncoder, Element) -> Void
    ) {
        Varint.append(UInt64(elements.count), to: &body)
        for element in elements {
            record.removeAll(keepingCapacity: true)
            write(&self, element)
            Varint.append(UInt64(record.count), to: &body)
            body += record
        }
    }

    private mutating func number(_ number: some BinaryInteger) { Varint.append(UInt64(clamping: number), to: &record) }

    /// Writes the number of the text in the table, from 1; 0: none.
    private mutating func text(_ text: String?) {
        guard let text else { return number(0) }
        if let known = strings[text] { return number(known) }
        let id = UInt64(strings.count) + 1
        strings[text] = id
        var copy = text
        copy.withUTF8 { utf8 in
            var kept = min(utf8.count, SnapshotLimits.textBytes)
            // Never cut within a character.
            while kept < utf8.count, kept > 0, utf8[kept] & 0xC0 == 0x80 { kept -= 1 }
            Varint.append(UInt64(kept), to: &texts)
            texts += utf8[..<kept]
        }
        number(id)
    }

    private mutating func site(_ site: TraceSite?) {
        text(site?.file)
        number(site?.line ?? 0)
    }

    private mutating func flags(_ flags: Bool...) {
        record.append(flags.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
    }

    private mutating func write(_ object: SnapshotObject) {
        record.append(object.kind.rawValue)
        flags(
            object.isGarbage, object.isHeldByHandlersOnly, object.isIncomplete, object.isInternal, object.isPrivate,
            object.isOfSystem, object.isWeaklyReferenced)
        let (identity, id): (UInt8, UInt32) =
            switch object.identity {
            case .none: (0, 0)
            case .node(let id): (1, id)
            case .subscription(let id): (2, id)
            case .object(let id): (3, id)
            }
        record.append(identity)
        number(id)
        text(object.type)
        text(object.label)
        site(object.site)
        number(object.size)
        number(object.retainedSize)
        number(object.outsideReferences)
        text(object.outsideVariable)
        number(object.holder.map { UInt64($0) + 1 } ?? 0)
        guard let holder = object.outsideHolder, holder.isGuess else { return }
        for holder in [holder] + object.otherHolders.prefix(SnapshotLimits.holders) { write(holder) }
    }

    private mutating func write(_ holder: OutsideHolder) {
        switch holder {
        case .variable: break
        case .task(let tasks):
            record.append(1)
            number(min(tasks.count, SnapshotLimits.tasks))
            for task in tasks.prefix(SnapshotLimits.tasks) {
                text(task.function)
                record.append(task.kind.rawValue)
                site(task.site)
                site(task.madeAt)
                record.append(task.wait.rawValue)
            }
        case .taskResult: record.append(2)
        case .closure(let place):
            record.append(3)
            site(place)
        }
    }

    private mutating func write(_ reference: SnapshotReference) {
        number(reference.source)
        number(reference.target)
        text(reference.label)
        record.append(reference.ownership.rawValue)
        let kind = reference.functionKind.rawValue
        flags(
            reference.isClosure, kind & 1 != 0, kind & 2 != 0, reference.hasConcurrentClosures, reference.isInternal,
            reference.isOfSystem)
        text(reference.function)
        site(reference.site)
    }

    private mutating func write(_ cycle: SnapshotCycle) {
        flags(cycle.isProven)
        number(cycle.componentObjects)
        number(cycle.componentBytes)
        number(cycle.retainedSize)
        number(cycle.references.count)
        for reference in cycle.references { number(reference) }
    }

    private mutating func write(_ limitation: SnapshotLimitation) {
        record.append(limitation.reason.rawValue)
        text(limitation.subject)
    }
}
