import WeirTrace

/// A checkpoint of a trace.
package struct LeakCheckpoint: Sendable, Equatable {
    /// The name that the program gave it.
    package let name: String
    /// The checkpoint's event.
    package let event: EventID
    /// The number of the snapshot that was taken at it; nil if none was.
    package internal(set) var snapshot: UInt32?
}

/// A heap walk that did not reach its end, so that its snapshot may lack objects and references.
package struct AbortedWalk: Sendable, Equatable {
    /// The index of the checkpoint at which it was started; nil: the end of the recording.
    package let checkpoint: Int?
    /// The number of its snapshot.
    package let snapshot: UInt32
    /// The limitation that says why it ended.
    package let limitation: SnapshotLimitation
}

/// The checkpoints of a trace and its snapshots, in order.
package struct LeakCheckpoints: Sendable {
    /// All checkpoints.
    package private(set) var all: [LeakCheckpoint] = []
    /// The number of the last snapshot, including one taken at the end; nil if there is none.
    package private(set) var lastSnapshot: UInt32?
    /// The index of each checkpoint, keyed by the event that would be its snapshot.
    private var awaiting: [EventID: Int] = [:]

    init() {}

    /// Reads the checkpoints and snapshots of a whole trace.
    package init(_ reader: TraceReader) {
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            repeat {
                if cursor.kind == .checkpoint || cursor.kind == .snapshotTaken {
                    guard take(cursor, thread: run.thread) else {
                        run.stop(at: cursor)
                        return true
                    }
                }
            } while run.advance(&cursor)
            return true
        }
    }

    /// Takes a record of one of the two kinds; false if it is malformed.
    mutating func take(_ cursor: RecordCursor, thread: UInt32) -> Bool {
        let event = EventID(thread, cursor.sequence)
        if cursor.kind == .checkpoint {
            guard let text = cursor.text else { return false }
            add(checkpoint: String(text), event)
        } else {
            add(snapshot: cursor.subject, event)
        }
        return true
    }

    mutating func add(checkpoint name: String, _ event: EventID) {
        awaiting[EventID(event.thread, event.sequence &+ 1)] = all.count
        all.append(LeakCheckpoint(name: name, event: event))
    }

    mutating func add(snapshot number: UInt32, _ event: EventID) {
        lastSnapshot = number
        guard let place = awaiting.removeValue(forKey: event) else { return }
        all[place].snapshot = number
    }

    /// The name by which `place(named:)` finds the checkpoint at an index: "closed", or "closed#2" if later ones have that
    /// name.
    package func name(at place: Int) -> String {
        let name = all[place].name
        return self.place(named: name) == place ? name : "\(name)#\(all[...place].count { $0.name == name })"
    }

    /// The index of the checkpoint with this name; nil if there is none.
    ///
    /// Without a number it is the last one with that name; a suffix '#2' selects the second.
    package func place(named name: String) -> Int? {
        if let place = all.lastIndex(where: { $0.name == name }) { return place }
        guard let hash = name.lastIndex(of: "#"), let number = Int(name[name.index(after: hash)...]), number > 0
        else { return nil }
        let places = all.indices.filter { all[$0].name == name[..<hash] }
        return number <= places.count ? places[number - 1] : nil
    }
}
