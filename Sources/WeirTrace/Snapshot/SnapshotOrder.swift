import CWeir

/// Indices in the order of their keys; indices with equal keys keep their previous order.
///
/// It is fast in builds without optimization, too: C code sorts by a number, and only equal numbers need longer comparisons.
struct SnapshotOrder {
    private(set) var places: [Int]
    /// By index: the number of elements before all that are equal to it.
    private(set) var ranks: [UInt64]
    /// The ranges of `places` with equal elements.
    private(set) var ties: [Range<Int>] = []
    /// The indices of elements that have equals.
    var tied: [Int] { ties.flatMap { places[$0] } }

    init(_ keys: [UInt64]) {
        var pairs: [weir_pair] = []
        pairs.reserveCapacity(keys.count)
        for place in keys.indices { pairs.append(weir_pair(key: keys[place], value: UInt64(place))) }
        weir_sort_pairs(&pairs, pairs.count)
        places = pairs.map { Int($0.value) }
        ranks = Array(repeating: 0, count: keys.count)
        ties = number(places.indices) { pairs[$0].key == pairs[$1].key }
    }

    /// Orders equal elements by further keys, which are compared one after the other.
    mutating func refine(_ keys: (_ place: Int) -> [UInt64]) {
        let known = ties
        ties = []
        for tie in known {
            let members = Array(places[tie])
            let keys = members.map(keys)
            // Usually the first keys are all different.
            var order = SnapshotOrder(keys.map { $0.first ?? 0 })
            order.sortTies(by: keys)
            for (offset, member) in order.places.enumerated() { places[tie.lowerBound + offset] = members[member] }
            ties += number(tie) { keys[order.places[$0 - tie.lowerBound]] == keys[order.places[$1 - tie.lowerBound]] }
        }
    }

    private mutating func sortTies(by keys: [[UInt64]]) {
        for tie in ties {
            places[tie].sort { one, other in
                keys[one] == keys[other] ? one < other : keys[one].lexicographicallyPrecedes(keys[other])
            }
        }
    }

    /// Assigns ranks within `range`; returns the ranges of equal elements.
    private mutating func number(_ range: Range<Int>, _ areAlike: (_ index: Int, _ next: Int) -> Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var first = range.lowerBound
        for index in range {
            if index > first, !areAlike(index - 1, index) { first = index }
            ranks[places[index]] = UInt64(first)
            if index == first + 1 { found.append(first..<index + 1) }
            if index > first + 1 { found[found.count - 1] = first..<index + 1 }
        }
        return found
    }

    /// By previous index: the new index.
    var moves: [UInt32] {
        var moves = [UInt32](repeating: 0, count: places.count)
        for index in places.indices { moves[places[index]] = UInt32(index) }
        return moves
    }
}

extension TraceSnapshot {
    /// The same snapshot in an order that depends neither on memory addresses nor on the order of sets.
    ///
    /// Objects that the trace identifies come first, by number. The others are ordered by their own properties, then by their
    /// surroundings up to three references away. Only objects that are equal up to there keep their previous order.
    package var ordered: TraceSnapshot {
        var result = self
        let looks = ReferenceLooks(references)
        let objectOrder = orderOfObjects(looks)
        result.objects = objectOrder.places.map { objects[$0] }
        let objectMoves = objectOrder.moves
        var moved = references
        var keys: [UInt64] = []
        keys.reserveCapacity(moved.count)
        for place in moved.indices {
            moved[place].source = objectMoves[Int(moved[place].source)]
            moved[place].target = objectMoves[Int(moved[place].target)]
            keys.append(UInt64(moved[place].source) << 32 | UInt64(moved[place].target))
        }
        var referenceOrder = SnapshotOrder(keys)
        referenceOrder.refine { [looks.rank(of: $0)] }
        result.references = referenceOrder.places.map { moved[$0] }
        let referenceMoves = referenceOrder.moves
        for place in result.objects.indices {
            guard let holder = result.objects[place].holder else { continue }
            result.objects[place].holder = referenceMoves[Int(holder)]
        }
        for place in cycles.indices {
            let steps = cycles[place].references.map { referenceMoves[Int($0)] }
            result.cycles[place].references = result.rotated(steps)
        }
        var cycleOrder = SnapshotOrder(
            result.cycles.map { ($0.isProven ? 0 : 1 << 40) | UInt64($0.references.count) })
        cycleOrder.refine { result.cycles[$0].references.map(UInt64.init) }
        result.cycles = cycleOrder.places.map { result.cycles[$0] }
        result.limitations.sort { ($0.reason.rawValue, $0.subject) < ($1.reason.rawValue, $1.subject) }
        return result
    }

    private func orderOfObjects(_ looks: ReferenceLooks) -> SnapshotOrder {
        var order = SnapshotOrder(objects.map(\.identity.number))
        let objectLooks = ObjectLooks(objects, at: order.tied)
        order.refine { [objectLooks.rank(of: $0)] }
        if order.ties.isEmpty { return order }
        var around = [[Int]](repeating: [], count: objects.count)
        var isTied = [Bool](repeating: false, count: objects.count)
        for place in order.tied { isTied[place] = true }
        for place in references.indices {
            let (source, target) = (Int(references[place].source), Int(references[place].target))
            if isTied[source] { around[source].append(place) }
            if isTied[target], target != source { around[target].append(place) }
        }
        for _ in 0..<3 where !order.ties.isEmpty {
            let ranks = order.ranks
            order.refine { object in
                var keys: [UInt64] = []
                for place in around[object] {
                    let (source, target) = (Int(references[place].source), Int(references[place].target))
                    let look = looks.rank(of: place)
                    if source == object { keys.append(ranks[target] << 28 | look) }
                    if target == object { keys.append(1 << 60 | ranks[source] << 28 | look) }
                }
                keys.sort()
                return keys
            }
        }
        return order
    }

    /// Rotates a cycle to start at an object that the trace identifies, else at an instance that is not Weir's own.
    ///
    /// The first of several candidates is chosen; without any, the first of all objects in the cycle.
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
}

extension SnapshotObject.Identity {
    /// The objects that the trace identifies come first; all others have the same number.
    fileprivate var number: UInt64 {
        switch self {
        case .object(let id): UInt64(id)
        case .node(let id): 1 << 32 | UInt64(id)
        case .subscription(let id): 2 << 32 | UInt64(id)
        case .none: 3 << 32
        }
    }
}
