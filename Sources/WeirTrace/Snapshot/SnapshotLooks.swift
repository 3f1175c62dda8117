/// Ranks of the properties of a snapshot's objects; equal properties have equal ranks.
struct ObjectLooks {
    private var ranks: [UInt64]

    /// Ranks the objects at these indices; only these may be queried.
    init(_ objects: [SnapshotObject], at places: [Int]) {
        ranks = Array(repeating: 0, count: objects.count)
        for (place, rank) in zip(places, Self.ranks(places.map { Look(objects[$0]) })) { ranks[place] = UInt64(rank) }
    }

    func rank(of place: Int) -> UInt64 { ranks[place] }

    /// By look: its index among all different looks, in ascending order.
    fileprivate static func ranks<Key: Hashable & Comparable>(_ looks: [Key]) -> [Int] {
        var numbers: [Key: Int] = [:]
        for look in looks { numbers[look] = 0 }
        for (rank, look) in numbers.keys.sorted().enumerated() { numbers[look] = rank }
        return looks.map { numbers[$0] ?? 0 }
    }

    private struct Look: Hashable, Comparable {
        let kind: UInt8
        let type: String, label: String, file: String
        let line: Int
        let size: UInt64, retainedSize: UInt64
        let outsideReferences: UInt32
        let outsideHolder: String
        let flags: UInt8

        init(_ object: SnapshotObject) {
            kind = object.kind.rawValue
            type = object.type
            label = object.label ?? ""
            file = object.site?.file ?? ""
            line = object.site?.line ?? 0
            size = object.size
            retainedSize = object.retainedSize
            outsideReferences = object.outsideReferences
            outsideHolder =
                object.otherHolders.isEmpty
                ? object.outsideHolder?.description ?? ""
                : ([object.outsideHolder].compactMap(\.self) + object.otherHolders).map(\.description).joined(
                    separator: "\n")
            flags =
                (object.isGarbage ? 8 : 0) | (object.isHeldByHandlersOnly ? 4 : 0) | (object.isIncomplete ? 2 : 0)
                | (object.isInternal ? 1 : 0)
        }

        static func < (one: Look, other: Look) -> Bool {
            if one.kind != other.kind { return one.kind < other.kind }
            if one.type != other.type { return one.type < other.type }
            if one.label != other.label { return one.label < other.label }
            if one.file != other.file { return one.file < other.file }
            if one.line != other.line { return one.line < other.line }
            if one.size != other.size { return one.size < other.size }
            if one.retainedSize != other.retainedSize { return one.retainedSize < other.retainedSize }
            if one.outsideReferences != other.outsideReferences {
                return one.outsideReferences < other.outsideReferences
            }
            if one.outsideHolder != other.outsideHolder { return one.outsideHolder < other.outsideHolder }
            return one.flags < other.flags
        }
    }
}

/// Ranks of the properties of a snapshot's references, regardless of source and target; computed on demand.
final class ReferenceLooks {
    private let references: [SnapshotReference]
    private lazy var ranks = ObjectLooks.ranks(references.map(Look.init))

    init(_ references: [SnapshotReference]) { self.references = references }

    func rank(of place: Int) -> UInt64 { UInt64(ranks[place]) }

    private struct Look: Hashable, Comparable {
        let label: String
        let ownership: UInt8
        let isClosure: Bool
        let function: String, file: String
        let line: Int

        init(_ reference: SnapshotReference) {
            label = reference.label
            ownership = reference.ownership.rawValue
            isClosure = reference.isClosure
            function = reference.function ?? ""
            file = reference.site?.file ?? ""
            line = reference.site?.line ?? 0
        }

        static func < (one: Look, other: Look) -> Bool {
            if one.label != other.label { return one.label < other.label }
            if one.ownership != other.ownership { return one.ownership < other.ownership }
            if one.isClosure != other.isClosure { return !one.isClosure }
            if one.function != other.function { return one.function < other.function }
            if one.file != other.file { return one.file < other.file }
            return one.line < other.line
        }
    }
}
