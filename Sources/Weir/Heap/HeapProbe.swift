#if Recording
import CWeirCore
import WeirRecording

/// Takes a snapshot: finds the roots, walks the heap from them, and encodes the result in the form of a trace.
///
/// On Linux this runs in a forked child, because other threads continue to change the heap; see `ForkedWalk`.
package struct HeapProbe {
    /// The recording whose nodes, subscriptions and objects are the roots; 0: no recording.
    let session: UInt32
    /// The maximum size of the encoded snapshot in bytes.
    let room: Int
    /// Whether to search the whole heap for holders of all roots, and not only of cycles; costs about a second per GB.
    let searchesHolders: Bool
    /// Roots that are pinned already, as `pins` states.
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

    /// A snapshot of the objects around `roots`, which the caller keeps alive, as `pins` states.
    ///
    /// Weir's own weak references to tracked objects do not count; `weakPins` states only those of the caller.
    /// A root's tag, which `tag` makes, states its identity. Takes at most ten seconds, twice.
    ///
    /// - Parameter searchesHolders: whether to search the whole heap for holders of the roots.
    package static func snapshot(from roots: [HeapRoot], searchesHolders: Bool = false) -> TraceSnapshot {
        var roots = roots
        for place in roots.indices { roots[place].weakPins += Registry.shared.weakReferences(to: roots[place].address) }
        return decoded(HeapProbe(room: SnapshotLimits.bytes, roots: roots, searchesHolders: searchesHolders).walk())
            ?? TraceSnapshot()
    }

    private static func decoded(_ bytes: [UInt8]) -> TraceSnapshot? {
        bytes.withUnsafeBytes { TraceSnapshot(decoding: $0) }
    }

    /// Whether there are roots for a walk.
    var hasRoots: Bool { !roots.isEmpty || PinnedRoots.areThere(session: session) }

    /// The encoded snapshot; if no walk was possible or it failed, an empty one that gives the reason.
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

    /// Walks immediately in this process.
    func report(from pinned: PinnedRoots) -> HeapReport {
        var options = HeapWalker.Options()
        options.holderSearch = searchesHolders ? .everything : .heldCycles
        return HeapWalker().report(from: pinned.roots + roots, options: options)
    }

    /// Walks immediately in this process, for the addresses of garbage only.
    ///
    /// - Parameter found: further objects to walk from.
    func garbage(from pinned: PinnedRoots, beside found: [UInt]) -> [UInt] {
        HeapWalker().garbage(from: pinned.roots + roots + found.map { HeapRoot(address: $0, wantsHolder: false) })
    }

    /// The encoded result of a walk. Every object of the report must still exist.
    func snapshot(of report: HeapReport, _ pinned: PinnedRoots) -> [UInt8] {
        TraceSnapshot(report, pinned).bounded(bytes: .max).ordered.encoded(bytes: room)
    }

    /// An encoded snapshot with one more limitation.
    func snapshot(_ encoded: [UInt8], adding limitation: SnapshotLimitation) -> [UInt8] {
        guard var snapshot = Self.decoded(encoded) else { return encoded }
        snapshot.limitations.append(limitation)
        return snapshot.encoded(bytes: room)
    }

    // MARK: Tags

    /// The tag of a root that has this `identity` in the trace.
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
    /// Withdraws the garbage mark of every object that is not among `addresses`.
    mutating func confirm(_ addresses: Set<UInt>) {
        for place in objects.indices where !addresses.contains(objects[place].address) {
            objects[place].isGarbage = false
        }
        for place in cycles.indices {
            cycles[place].isProven =
                cycles[place].isProven
                && cycles[place].references.allSatisfy { objects[references[$0].source].isGarbage }
        }
    }
}
#endif
