#if Recording
import WeirRecording

/// A table of tracked objects by their identity.
///
/// The entries are contiguous, so that checking a million objects for release touches nothing else, and writes nothing.
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

    /// Adds `object`; returns the former object with this identity.
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

    /// Removes `object`, if the table contains it.
    mutating func remove(_ object: TrackedObject, _ identity: ObjectIdentifier) {
        guard let place = places[identity], entries[place].object === object else { return }
        places[identity] = nil
        entries.swapAt(place, entries.count - 1)
        entries.removeLast()
        if place < entries.count { places[entries[place].identity] = place }
    }

    /// The released objects. Checking may hold and then release the last reference, and so run any code: hold no lock.
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
#endif
