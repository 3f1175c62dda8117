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

    /// The snapshot, encoded; where no walk was possible or it failed, an empty one that says so.
    func walk() -> [UInt8] {
        if roots.isEmpty && !PinnedRoots.areThere(session: session) { return TraceSnapshot().encoded }
        #if os(Linux)
            // Garbage stays garbage. So what one walk takes for it and the next one does not was something that
            // another thread was about to change, caught in the middle.
            let first = ForkedWalk.run(self, confirming: nil)
            if first.hasFailed || first.garbage.isEmpty && !searchesHolders { return first.snapshot }
            let second = ForkedWalk.run(self, confirming: Set(first.garbage))
            return second.hasFailed ? unconfirmed(first, second) : second.snapshot
        #else
            let pinned = PinnedRoots(session: session)
            defer { pinned.unpin() }
            let first = snapshot(from: pinned, confirming: nil)
            if !searchesHolders { return first.0.encoded }
            return snapshot(from: pinned, confirming: Set(first.garbage)).0.encoded
        #endif
    }

    /// What the first walk found, but for its proofs, where the second one failed.
    private func unconfirmed(_ first: ForkedWalk.Answer, _ second: ForkedWalk.Answer) -> [UInt8] {
        guard var snapshot = Self.decoded(first.snapshot), let failed = Self.decoded(second.snapshot) else {
            return second.snapshot
        }
        for place in snapshot.objects.indices { snapshot.objects[place].isGarbage = false }
        for place in snapshot.circles.indices { snapshot.circles[place].isProven = false }
        snapshot.doubts += failed.doubts
        return snapshot.bounded(bytes: room).encoded
    }

    /// Walks, here and now. Gives also the addresses of what is garbage.
    ///
    /// - Parameter confirming: what may be told as garbage; nil: all of it.
    func snapshot(from pinned: PinnedRoots, confirming: Set<UInt>?) -> (TraceSnapshot, garbage: [UInt]) {
        var options = HeapWalker.Options()
        // Only once: it takes long, and a walk that is made again is made for its garbage.
        options.searchesHolders = searchesHolders && confirming != nil
        var report = HeapWalker().report(from: pinned.roots + roots, options: options)
        if let confirming { report.confirm(confirming) }
        let snapshot = TraceSnapshot(report, pinned).bounded(bytes: .max).ordered.bounded(bytes: room)
        return (snapshot, report.objects.filter(\.isGarbage).map(\.address))
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
    fileprivate mutating func confirm(_ addresses: Set<UInt>) {
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
