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
    ///
    /// - Parameter most: of a longer way, the so many references that are nearest to the object.
    public func way(to place: Int, most: Int = .max) -> [SnapshotReference] {
        var way: [SnapshotReference] = []
        var place = place
        while way.count < min(most, objects.count), let reference = object(place)?.holder.flatMap(reference) {
            way.append(reference)
            place = Int(reference.source)
        }
        return way.reversed()
    }

    /// For each object what `step` makes of its place and of the value of the object that holds it, on the shortest way from
    /// outside; of the outermost `outside`. Linear in the number of objects, however long the ways are.
    func alongWays<Value>(_ outside: Value, _ step: (_ place: Int, _ holder: Value) -> Value) -> [Value] {
        var values = [Value](repeating: outside, count: objects.count)
        var isKnown = [Bool](repeating: false, count: objects.count)
        for place in objects.indices {
            var way: [Int] = []
            var next: Int? = place
            // Known from here on: so ends a way that leads back into itself, too.
            while let place = next, !isKnown[place] {
                isKnown[place] = true
                way.append(place)
                next = object(place)?.holder.flatMap(reference).map { Int($0.source) }
            }
            var value = next.map { values[$0] } ?? outside
            for place in way.reversed() {
                value = step(place, value)
                values[place] = value
            }
        }
        return values
    }

    /// The static or global variable that holds an object, or what leads to it; nil: none is known.
    public func variable(holding place: Int) -> String? {
        let head = way(to: place).first.map { objects[Int($0.source)] } ?? object(place)
        return head.flatMap { $0.isHolderGuessed ? nil : $0.outsideName }
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
