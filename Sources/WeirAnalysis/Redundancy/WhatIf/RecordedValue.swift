import WeirTrace

/// A value of a recording, with what the trace can say of its equality.
///
/// Two of these that are `==` are the same value for certain; `isEqual` tells what is known of others.
struct RecordedValue: Hashable {
    private let key: ValueKey
    /// What is not known for certain, is the same value only where it comes from the same event, by its order in the trace.
    private let origin: UInt64

    /// A value of which nothing is known, and that is not the same as any of an event.
    static let unknown = RecordedValue(.notRecorded, origin: 0)

    init(_ key: ValueKey, origin: UInt64) {
        self.key = key
        self.origin = key.certainty == .whole ? 0 : origin
    }

    /// The value with which a node was made.
    init(_ value: TraceValue, ofNode id: UInt32) { self.init(ValueKey(value), origin: .max - UInt64(id)) }

    /// A value of which nothing is known but where it came from.
    static func hidden(origin: UInt64) -> RecordedValue { RecordedValue(.notRecorded, origin: origin) }

    /// Form and content say it all.
    var isKnown: Bool { key.certainty == .whole }
    var isVoid: Bool { key.isVoid }

    @inline(__always)
    static func == (left: RecordedValue, right: RecordedValue) -> Bool {
        left.key.isSame(as: right.key) && left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key.mixed ^ origin) }

    /// A number for it and what came before; a few of them stand for all values of some inputs.
    func mixed(into seed: UInt64) -> UInt64 {
        var mix = (seed ^ key.mixed) &* 0x9E37_79B9_7F4A_7C15
        mix = (mix ^ mix >> 32 ^ origin) &* 0xD6E8_FEB8_6659_FD93
        return mix ^ mix >> 29
    }

    /// Whether the two are equal; nil: not known.
    func isEqual(to other: RecordedValue) -> Bool? {
        if self == other { return true }
        switch (key.certainty, other.key.certainty) {
        case (.nothing, _), (_, .nothing): return nil
        case (.description, .description): return key.isSame(as: other.key) ? nil : false
        default: return false
        }
    }
}
