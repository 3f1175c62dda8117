import CWeir

/// Assigns ids to what a recording mentions, and writes each definition once per generation.
///
/// Everything that has an id has a *word*: the generation in which it was last defined (high half) and its code (low half).
/// The hot path compares the generation and comes here only if it differs.
final class DefinitionIDs: @unchecked Sendable {
    private let gate = UnsafeMutablePointer<weir_gate>.allocate(capacity: 1).initialized(to: weir_gate())
    @exclusivity(unchecked) private var nodes: UInt32 = 0
    @exclusivity(unchecked) private var subscriptions: UInt32 = 0
    @exclusivity(unchecked) private var objects: UInt32 = 0
    @exclusivity(unchecked) private var writeSites: UInt32 = 0

    deinit { gate.deallocate() }

    enum Kind { case node, subscription, object, writeSite }

    /// The code for `word`; calls `write` if this generation has no definition yet.
    ///
    /// `write` receives the chunk and the code. It runs inside the gate, and so must not run foreign code.
    @inline(__always)
    func code(
        _ kind: Kind, word: UnsafeMutablePointer<UInt64>, keeper: ThreadKeeper, generation: UInt32,
        firstGeneration: UInt32, again: Bool = false, write: (DefinitionChunk, UInt32) -> Void
    ) -> UInt32 {
        let biased = weir_gate_enter(gate)
        defer { weir_gate_leave(gate, biased) }
        let known = weir_load_u64(word)
        let knownGeneration = UInt32(truncatingIfNeeded: known >> 32)
        let knownCode = UInt32(truncatingIfNeeded: known)
        if knownGeneration >= generation && !again { return knownCode }
        let code = knownGeneration >= firstGeneration ? knownCode : TraceCode.encode(next(kind))
        // An id is meaningless without its definition; records that mention it are lost, too, until there is room again.
        guard let chunk = keeper.definitionChunk() else { return 0 }
        chunk._withUnsafeGuaranteedRef {
            write($0, code)
            $0.commit()
        }
        // The gate belongs to this recording: a later recording may have assigned the word in the meantime.
        var current = known
        while UInt32(truncatingIfNeeded: current >> 32) <= generation,
            !weir_compare_exchange_u64(word, current, UInt64(generation) << 32 | UInt64(code))
        {
            current = weir_load_u64(word)
        }
        return code
    }

    private func next(_ kind: Kind) -> UInt32 {
        switch kind {
        case .node:
            nodes &+= 1
            return nodes
        case .subscription:
            subscriptions &+= 1
            return subscriptions
        case .object:
            objects &+= 1
            return objects
        case .writeSite:
            writeSites &+= 1
            return writeSites
        }
    }
}
