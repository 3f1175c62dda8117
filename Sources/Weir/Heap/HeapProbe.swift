import CWeir
import WeirHeap
import WeirTrace

/// Takes a snapshot: finds the roots, has the heap walked from them, and says what was found as a trace does.
///
/// On Linux in a forked child, for other threads go on changing what is walked; see `ForkedWalk`.
package struct HeapProbe {
    /// The recording whose nodes, subscriptions and objects are the roots; 0: of none.
    let session: UInt32
    /// Most bytes of the snapshot, encoded.
    let room: Int
    /// Look through the whole heap for what holds the roots; costs about a second for each GB.
    let searchesHolders: Bool
    /// Roots that are pinned already, as `pins` says.
    private let roots: [HeapRoot]

    init(session: UInt32, room: Int, searchesHolders: Bool = false) {
        self.session = session
        self.room = room
        self.searchesHolders = searchesHolders
        roots = []
    }

    init(room: Int, roots: [HeapRoot], searchesHolders: Bool = false) {
        session = 0
        self.room = room
        self.searchesHolders = searchesHolders
        self.roots = roots
    }

    /// A snapshot of what is around `roots`, which the caller keeps alive, as `pins` says.
    ///
    /// What a root is known as is told by its tag, which `tag` makes. Takes at most ten seconds, twice.
    ///
    /// - Parameter searchesHolders: look through the whole heap for what holds the roots.
    package static func snapshot(from roots: [HeapRoot], searchesHolders: Bool = false) -> TraceSnapshot {
        decoded(HeapProbe(room: SnapshotLimits.bytes, roots: roots, searchesHolders: searchesHolders).walk())
            ?? TraceSnapshot()
    }

    private static func decoded(_ bytes: [UInt8]) -> TraceSnapshot? {
        bytes.withUnsafeBytes { TraceSnapshot(decoding: $0) }
    }

    /// Whether there is anything to walk from.
    var hasRoots: Bool { !roots.isEmpty || PinnedRoots.areThere(session: session) }

    /// The snapshot, encoded; where no walk was possible or it failed, an empty one that says so.
    func walk() -> [UInt8] {
        guard hasRoots else { return TraceSnapshot().encoded }
        #if os(Linux)
            return ForkedWalk(self).snapshot()
        #else
            let pinned = PinnedRoots(session: session)
            defer { pinned.unpin() }
            return snapshot(of: report(from: pinned), pinned)
        #endif
    }

    /// Walks, here and now.
    func report(from pinned: PinnedRoots) -> HeapReport {
        var options = HeapWalker.Options()
        options.searchesHolders = searchesHolders
        return HeapWalker().report(from: pinned.roots + roots, options: options)
    }

    /// Walks, here and now, for the addresses of garbage alone.
    func garbage(from pinned: PinnedRoots) -> [UInt] { HeapWalker().garbage(from: pinned.roots + roots) }

    /// What a walk found, encoded. Every object of the report must be there still.
    func snapshot(of report: HeapReport, _ pinned: PinnedRoots) -> [UInt8] {
        TraceSnapshot(report, pinned).bounded(bytes: .max).ordered.encoded(bytes: room)
    }

    /// An encoded snapshot, and with it one more reason why something could not be seen.
    func snapshot(_ encoded: [UInt8], adding doubt: SnapshotDoubt) -> [UInt8] {
        guard var snapshot = Self.decoded(encoded) else { return encoded }
        snapshot.doubts.append(doubt)
        return snapshot.encoded(bytes: room)
    }

    // MARK: Tags

    /// The tag of a root that the trace knows as `identity`.
    package static func tag(_ identity: SnapshotObject.Identity) -> UInt64 {
        switch identity {
        case .none: 0
        case .object(let id): 1 << 32 | UInt64(id)
        case .node(let id): 2 << 32 | UInt64(id)
        case .subscription(let id): 3 << 32 | UInt64(id)
        }
    }

    static func identity(ofTag tag: UInt64) -> SnapshotObject.Identity {
        let id = UInt32(truncatingIfNeeded: tag)
        switch tag >> 32 {
        case 1: return .object(id)
        case 2: return .node(id)
        case 3: return .subscription(id)
        default: return .none
        }
    }
}

extension HeapReport {
    /// Takes back what is told as garbage and is not among `addresses`.
    mutating func confirm(_ addresses: Set<UInt>) {
        for place in objects.indices where !addresses.contains(objects[place].address) {
            objects[place].isGarbage = false
        }
        for place in circles.indices {
            circles[place].isProven =
                circles[place].isProven
                && circles[place].references.allSatisfy { objects[references[$0].source].isGarbage }
        }
    }
}
