import WeirHeap

/// Tracked objects by their identity.
///
/// They lie in one piece, so that to look which of them are gone touches nothing else of a million, and writes nothing.
struct TrackedTable {
    private struct Entry {
        let identity: ObjectIdentifier
        let reference: WeakReference
        let object: TrackedObject
    }

    private var entries: [Entry] = []
    private var places: [ObjectIdentifier: Int] = [:]

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    subscript(identity: ObjectIdentifier) -> TrackedObject? { places[identity].map { entries[$0].object } }

    /// Enters `object`; returns what had its identity before.
    mutating func update(_ object: TrackedObject, _ identity: ObjectIdentifier) -> TrackedObject? {
        let entry = Entry(identity: identity, reference: object.reference, object: object)
        guard let place = places[identity] else {
            places[identity] = entries.count
            entries.append(entry)
            return nil
        }
        defer { entries[place] = entry }
        return entries[place].object
    }

    /// Takes `object` out, if it is there.
    mutating func remove(_ object: TrackedObject, _ identity: ObjectIdentifier) {
        guard let place = places[identity], entries[place].object === object else { return }
        places[identity] = nil
        entries.swapAt(place, entries.count - 1)
        entries.removeLast()
        if place < entries.count { places[entries[place].identity] = place }
    }

    /// Those that are gone. Asking may hold, and then release, the last reference, and with it run anything: no lock is held.
    var gone: [(identity: ObjectIdentifier, object: TrackedObject)] {
        entries.withUnsafeBufferPointer { entries in
            entries.indices.filter { entries[$0].reference.isGone }.map { (entries[$0].identity, entries[$0].object) }
        }
    }

    func filter(_ isWanted: (TrackedObject) -> Bool) -> [TrackedObject] {
        entries.compactMap { isWanted($0.object) ? $0.object : nil }
    }

    func forEach(_ body: (TrackedObject) -> Void) { for entry in entries { body(entry.object) } }
}
