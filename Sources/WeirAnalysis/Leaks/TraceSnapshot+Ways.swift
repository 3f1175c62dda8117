import WeirTrace

// Every place in a snapshot is checked: it may have come from anywhere.
extension TraceSnapshot {
    /// The object at a place; nil: there is none.
    public func object(_ place: some BinaryInteger) -> SnapshotObject? {
        Int(exactly: place).flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }

    /// The references of a circle, in order; empty where the snapshot lacks one of them.
    public func references(of circle: SnapshotCircle) -> [SnapshotReference] {
        let found = circle.references.compactMap(reference)
        return found.count == circle.references.count ? found : []
    }

    /// The references of the shortest way from outside to an object; empty: it is held from outside itself, or garbage.
    public func way(to place: Int) -> [SnapshotReference] {
        var way: [SnapshotReference] = []
        var place = place
        while way.count < objects.count, let reference = object(place)?.holder.flatMap(reference) {
            way.append(reference)
            place = Int(reference.source)
        }
        return way.reversed()
    }

    /// The object that holds the one at a place, on the shortest way from outside; nil: none does.
    func source(holding place: Int) -> Int? {
        object(place)?.holder.flatMap(reference).map { Int($0.source) }
    }

    /// The static or global variable that holds an object, or what leads to it; nil: none is known.
    public func variable(holding place: Int) -> String? {
        let head = way(to: place).first.map { objects[Int($0.source)] } ?? object(place)
        return head?.outsideName
    }

    /// The static or global variable that holds one of a circle's objects; nil: none is known.
    public func variable(holding circle: SnapshotCircle) -> String? {
        references(of: circle).lazy.compactMap { variable(holding: Int($0.source)) }.first
    }

    private func reference(_ place: UInt32) -> SnapshotReference? {
        guard references.indices.contains(Int(place)) else { return nil }
        let reference = references[Int(place)]
        let isSound = object(reference.source) != nil && object(reference.target) != nil
        return isSound ? reference : nil
    }
}

extension SnapshotObject {
    /// Weir's own, and nothing that the trace or the program has a name or line for: it is folded away.
    public var isHidden: Bool { isInternal && identity == .none && label == nil && site == nil }

    /// The id of the subscription that it is; nil: it is none.
    public var subscription: UInt32? {
        if case .subscription(let id) = identity { id } else { nil }
    }

    /// The id of the tracked object that it is; nil: it is none.
    public var trackedObject: UInt32? {
        if case .object(let id) = identity { id } else { nil }
    }
}

extension SnapshotReference {
    /// A closure of Weir's own.
    public var isHiddenClosure: Bool { isClosure && site?.file.hasPrefix("Weir/") == true }

    /// A closure of the program.
    public var isOwnClosure: Bool { isClosure && !isHiddenClosure }
}
