@testable import WeirTrace

extension TraceSnapshot {
    /// `ordered`, computed from whole keys, regardless of the cost.
    ///
    /// Objects that the trace knows come first, by number. The others follow by their own properties, then by those of
    /// their surroundings, up to three references away. Only objects that are still alike keep their previous order.
    var naivelyOrdered: TraceSnapshot {
        var result = self
        let ranks = SnapshotRanks(self)
        let objectOrder = Self.order(by: ranks.objects)
        result.objects = objectOrder.places.map { objects[$0] }
        var moved = references
        for place in moved.indices {
            moved[place].source = UInt32(objectOrder.newPlaces[Int(moved[place].source)])
            moved[place].target = UInt32(objectOrder.newPlaces[Int(moved[place].target)])
        }
        let referenceOrder = Self.order(
            by: moved.indices.map { [Int(moved[$0].source), Int(moved[$0].target)] + ranks.ofReference(moved[$0]) })
        result.references = referenceOrder.places.map { moved[$0] }
        for place in result.objects.indices {
            result.objects[place].holder = result.objects[place].holder.map {
                UInt32(referenceOrder.newPlaces[Int($0)])
            }
        }
        for place in cycles.indices {
            let steps = cycles[place].references.map { UInt32(referenceOrder.newPlaces[Int($0)]) }
            result.cycles[place].references = result.rotated(steps)
        }
        let cycleOrder = Self.order(
            by: result.cycles.map { [$0.isProven ? 0 : 1, $0.references.count] + $0.references.map(Int.init) })
        result.cycles = cycleOrder.places.map { result.cycles[$0] }
        result.limitations.sort { ($0.reason.rawValue, $0.subject) < ($1.reason.rawValue, $1.subject) }
        return result
    }

    /// The cycle, rotated to a canonical start: an object that the trace knows, otherwise an instance that is not Weir's
    /// own, otherwise any object. It takes the first of several candidates.
    private func rotated(_ steps: [UInt32]) -> [UInt32] {
        func rank(_ step: UInt32) -> (Int, UInt32, UInt32) {
            let source = references[Int(step)].source
            let object = objects[Int(source)]
            if object.identity != .none { return (0, source, step) }
            return (object.kind != .instance ? 2 : object.isInternal ? 1 : 0, source, step)
        }
        guard let first = steps.indices.min(by: { rank(steps[$0]) < rank(steps[$1]) }) else { return steps }
        return Array(steps[first...] + steps[..<first])
    }

    private static func order(by keys: [[Int]]) -> (places: [Int], newPlaces: [Int]) {
        let places = keys.indices.sorted {
            keys[$0] == keys[$1] ? $0 < $1 : keys[$0].lexicographicallyPrecedes(keys[$1])
        }
        var newPlaces = [Int](repeating: 0, count: places.count)
        for (new, place) in places.enumerated() { newPlaces[place] = new }
        return (places, newPlaces)
    }
}

/// The properties of objects as numbers that can be compared.
private struct SnapshotRanks {
    private(set) var objects: [[Int]] = []
    private var texts: [String: Int] = [:]

    private static func holders(_ object: SnapshotObject) -> String {
        ([object.outsideHolder].compactMap(\.self) + object.otherHolders).map(\.description).joined(separator: "\n")
    }

    init(_ snapshot: TraceSnapshot) {
        var all = Set(
            snapshot.objects.flatMap {
                [$0.type, $0.label ?? "", $0.site?.file ?? "", Self.holders($0)]
            })
        for reference in snapshot.references {
            all.formUnion([reference.label, reference.function ?? "", reference.site?.file ?? ""])
        }
        for (rank, text) in all.sorted().enumerated() { texts[text] = rank }
        objects = Self.ranks(snapshot.objects.map(ofObject))
        for _ in 0..<3 { refine(snapshot) }
    }

    /// Distinguishes objects that are alike so far by their surroundings.
    private mutating func refine(_ snapshot: TraceSnapshot) {
        var around = [[[Int]]](repeating: [], count: objects.count)
        for reference in snapshot.references {
            let (source, target) = (Int(reference.source), Int(reference.target))
            let own = ofReference(reference)
            around[source].append([0] + objects[target] + own)
            around[target].append([1] + objects[source] + own)
        }
        objects = Self.ranks(
            objects.indices.map { place in
                objects[place] + around[place].sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
            })
    }

    /// Each key as one number, in the same order.
    private static func ranks(_ keys: [[Int]]) -> [[Int]] {
        let places = keys.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
        var ranks = [[Int]](repeating: [0], count: keys.count)
        var rank = 0
        for (number, place) in places.enumerated() {
            if number > 0, keys[places[number - 1]] != keys[place] { rank += 1 }
            ranks[place] = [rank]
        }
        return ranks
    }

    private func ofObject(_ object: SnapshotObject) -> [Int] {
        let identity: [Int] =
            switch object.identity {
            case .object(let id): [0, Int(id)]
            case .node(let id): [1, Int(id)]
            case .subscription(let id): [2, Int(id)]
            case .none: [3, 0]
            }
        let flags = [object.isGarbage, object.isHeldByHandlersOnly, object.isIncomplete, object.isInternal]
        return identity + [
            Int(object.kind.rawValue), text(object.type), text(object.label), text(object.site?.file),
            object.site?.line ?? 0, Int(clamping: object.size), Int(clamping: object.retainedSize),
            Int(object.outsideReferences), text(Self.holders(object)),
        ] + flags.map { $0 ? 1 : 0 }
    }

    func ofReference(_ reference: SnapshotReference) -> [Int] {
        [
            text(reference.label), Int(reference.ownership.rawValue), reference.isClosure ? 1 : 0,
            text(reference.function), text(reference.site?.file), reference.site?.line ?? 0,
        ]
    }

    private func text(_ text: String?) -> Int { texts[text ?? ""] ?? 0 }
}
