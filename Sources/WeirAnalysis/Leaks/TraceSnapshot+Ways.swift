import WeirTrace

// Every index in a snapshot is checked: it may come from an untrusted file.
extension TraceSnapshot {
    /// The object at an index; nil if there is none.
    package func object(_ place: some BinaryInteger) -> SnapshotObject? {
        Int(exactly: place).flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }

    /// The references of a cycle, in order; empty if the snapshot lacks one of them.
    package func references(of cycle: SnapshotCycle) -> [SnapshotReference] {
        let found = cycle.references.compactMap(reference)
        return found.count == cycle.references.count ? found : []
    }

    /// The references of the shortest path from outside to an object.
    ///
    /// They are empty if the object is held from outside itself, or is garbage.
    ///
    /// - Parameter most: The most references to return; of a longer path, those nearest to the object.
    package func way(to place: Int, most: Int = .max) -> [SnapshotReference] {
        var way: [SnapshotReference] = []
        var place = place
        while way.count < min(most, objects.count), let reference = object(place)?.holder.flatMap(reference) {
            way.append(reference)
            place = Int(reference.source)
        }
        return way.reversed()
    }

    /// The value that `step` computes for each object from the value of its holder on the shortest path from outside.
    ///
    /// An object without holder gets the value `outside`. Linear in the number of objects, however long the paths are.
    func alongWays<Value>(_ outside: Value, _ step: (_ place: Int, _ holder: Value) -> Value) -> [Value] {
        var values = [Value](repeating: outside, count: objects.count)
        var isKnown = [Bool](repeating: false, count: objects.count)
        for place in objects.indices {
            var way: [Int] = []
            var next: Int? = place
            // Marked here, so that a path that leads back into itself also ends.
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

    /// The static or global variable that holds an object or the beginning of its path; nil if none is known.
    package func variable(holding place: Int) -> String? {
        let head = way(to: place).first.map { objects[Int($0.source)] } ?? object(place)
        return head?.outsideVariable
    }

    /// Whether an object or the beginning of its path is never released: a variable holds it, or it is a static object, which
    /// the compiler makes as a part of the program.
    package func isHeldPermanently(_ place: Int) -> Bool {
        let head = way(to: place).first.map { objects[Int($0.source)] } ?? object(place)
        return head?.isPermanent ?? false
    }

    /// The static or global variable that holds one of a cycle's objects; nil if none is known.
    package func variable(holding cycle: SnapshotCycle) -> String? {
        references(of: cycle).lazy.compactMap { variable(holding: Int($0.source)) }.first
    }

    private func reference(_ place: UInt32) -> SnapshotReference? {
        guard references.indices.contains(Int(place)) else { return nil }
        let reference = references[Int(place)]
        let isSound = object(reference.source) != nil && object(reference.target) != nil
        return isSound ? reference : nil
    }
}

extension SnapshotObject {
    /// Whether a known variable holds it, or it is a static object.
    var isPermanent: Bool { outsideReferences == .max || outsideVariable != nil }

    /// Whether it is an internal object of Weir without name or line, which reports fold away.
    package var isHidden: Bool { isInternal && identity == .none && label == nil && site == nil }

    /// The id of the subscription that the object represents; nil if it represents none.
    package var subscription: UInt32? {
        if case .subscription(let id) = identity { id } else { nil }
    }

    /// Whether it is an object of a library of the system, and not the storage of a collection.
    var isOfLibrary: Bool { isOfSystem && kind == .instance }

    /// Whether it is a subscription, also one that the trace does not identify.
    package var isSubscription: Bool { subscription != nil || role == .subscription }

    /// The id of the tracked object that it is; nil if it is none.
    package var trackedObject: UInt32? {
        if case .object(let id) = identity { id } else { nil }
    }
}

extension SnapshotReference {
    /// Whether it is a closure of Weir itself.
    package var isHiddenClosure: Bool { isClosure && isInternal }

    /// Whether it leads from a thunk, which the compiler made around a closure, into that closure; `former` leads to the thunk.
    package func isThunk(of former: SnapshotReference) -> Bool {
        isOwnClosure && former.isOwnClosure && label.hasPrefix("captures")
            && function == former.function && site == former.site
    }

    /// Whether it is a closure of the program.
    package var isOwnClosure: Bool { isClosure && !isHiddenClosure }
}

extension TraceSnapshot {
    /// The garbage objects that the program can still reach, each with the object that a weak reference leads to first.
    ///
    /// Whoever loads that weak reference may follow strong references from there, and cut the cycle. Linear in the references.
    func weaklyReached() -> [Int: Int] {
        var queue = objects.indices.filter { objects[$0].isGarbage && objects[$0].isWeaklyReferenced }
        guard !queue.isEmpty else { return [:] }
        var reached = Dictionary(uniqueKeysWithValues: queue.map { ($0, $0) })
        var targets: [Int: [Int]] = [:]
        for reference in references where reference.ownership == .strong {
            let target = Int(reference.target)
            guard object(target)?.isGarbage == true else { continue }
            targets[Int(reference.source), default: []].append(target)
        }
        var next = 0
        while next < queue.count {
            let source = queue[next]
            next += 1
            for target in targets[source] ?? [] where reached[target] == nil {
                reached[target] = reached[source]
                queue.append(target)
            }
        }
        return reached
    }
}

/// Edits the labels of references.
package enum ReferenceLabel {
    /// A label without its indexes and keys: ".rows[…].value".
    package static func withoutIndexes(_ label: String) -> String {
        guard label.utf8.contains(UInt8(ascii: "[")) else { return label }
        var (result, depth, isQuoted, previous) = ("", 0, false, Character(" "))
        for character in label {
            switch character {
            case "\"" where depth > 0 && previous != "\\": isQuoted.toggle()
            case "[" where !isQuoted:
                if depth == 0 { result += "[…]" }
                depth += 1
            case "]" where !isQuoted && depth > 0: depth -= 1
            default: if depth == 0 { result.append(character) }
            }
            previous = character
        }
        return result
    }
}
