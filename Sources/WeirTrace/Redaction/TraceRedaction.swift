/// The parts that were removed from a redacted copy of a trace.
public struct TraceRedaction: Sendable, Equatable {
    /// Whether the values of all nodes were removed, not only those of some.
    public var hidesAllValues: Bool
    /// Whether the names of stimuli and checkpoints, and the reasons of intentions, were removed.
    public var hidesTexts: Bool
    /// The number of damaged places in the original, whose content is missing in the copy.
    public var damagedPlaces: UInt32

    /// A redaction.
    public init(hidesAllValues: Bool, hidesTexts: Bool, damagedPlaces: UInt32 = 0) {
        self.hidesAllValues = hidesAllValues
        self.hidesTexts = hidesTexts
        self.damagedPlaces = damagedPlaces
    }
}

extension TraceRedaction {
    private static let redacted: UInt32 = 1, allValues: UInt32 = 2, texts: UInt32 = 4

    /// The redaction recorded in the header of a trace; nil: the trace is not a copy.
    init?(flags: UInt32, damagedPlaces: UInt32) {
        guard flags & Self.redacted != 0 else { return nil }
        self.init(
            hidesAllValues: flags & Self.allValues != 0, hidesTexts: flags & Self.texts != 0,
            damagedPlaces: damagedPlaces)
    }

    var flags: UInt32 { Self.redacted | (hidesAllValues ? Self.allValues : 0) | (hidesTexts ? Self.texts : 0) }
}

extension TraceFormat.HeaderField {
    /// The removed parts, and the number of damaged places in the original.
    static let redaction = 1096, redactionDamage = 1100
}

extension TraceFormat {
    /// The replacement for a key in the brackets of a name, and for a reason.
    package static let removedKey = "private"
    static let removedReason = "[private]"

    /// The flags of a node's definition.
    enum NodeFlag {
        static let isPrivate: UInt8 = 1, technique: UInt8 = 0b1_1110
    }

    /// The flags of a subscription's definition.
    enum SubscriptionFlag {
        static let all: UInt8 = 0b111
    }
}
