/// The input updates that a combiner evaluates, as the program chose them.
public enum NodeStrategy: UInt8, CaseIterable, Sendable {
    /// Only the first update of any input.
    case first = 1
    /// Every update, once each input has updated at least once.
    case all = 2
    /// Every update of any input.
    case every = 3
    /// Once per turn, after all inputs that change in the turn have changed.
    case settled = 4
}

extension TraceFormat {
    /// The flags of a node's definition: bit 0 private, bits 1–4 its technique, bits 5–7 its strategy.
    struct NodeFlags {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ isPrivate: Bool, _ technique: NodeTechnique, _ strategy: NodeStrategy?) {
            rawValue = (isPrivate ? 1 : 0) | technique.rawValue << 1 | (strategy?.rawValue ?? 0) << 5
        }

        var isPrivate: Bool { rawValue & 1 != 0 }
        /// Later versions may have added techniques and strategies.
        var technique: NodeTechnique { NodeTechnique(rawValue: rawValue >> 1 & 15) ?? .weir }
        var strategy: NodeStrategy? { NodeStrategy(rawValue: rawValue >> 5) }
    }
}
