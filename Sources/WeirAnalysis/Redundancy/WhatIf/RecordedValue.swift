import WeirTrace

/// A value of a recording, with the evidence of its equality.
///
/// Two values that are `==` are certainly the same; `isEqual` compares other values with the available evidence.
struct RecordedValue: Hashable {
    private let key: ValueKey
    /// The position in the trace of the event with the value. Uncertain values are the same only if they have the same origin.
    private let origin: UInt64

    /// An unknown value that differs from that of any event.
    static let unknown = RecordedValue(.notRecorded, origin: 0)

    init(_ key: ValueKey, origin: UInt64) {
        self.key = key
        self.origin = key.certainty == .whole ? 0 : origin
    }

    /// The initial value of a node.
    init(_ value: TraceValue, ofNode id: UInt32) { self.init(ValueKey(value), origin: .max - UInt64(id)) }

    /// An unknown value with a known origin.
    static func hidden(origin: UInt64) -> RecordedValue { RecordedValue(.notRecorded, origin: origin) }

    /// Whether form and content identify the value.
    var isKnown: Bool { key.certainty == .whole }
    var isVoid: Bool { key.isVoid }

    @inline(__always)
    static func == (left: RecordedValue, right: RecordedValue) -> Bool {
        left.key.isSame(as: right.key) && left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key.mixed ^ origin) }

    /// A hash of the value and the seed; a few of these represent all values of some inputs.
    func mixed(into seed: UInt64) -> UInt64 {
        var mix = (seed ^ key.mixed) &* 0x9E37_79B9_7F4A_7C15
        mix = (mix ^ mix >> 32 ^ origin) &* 0xD6E8_FEB8_6659_FD93
        return mix ^ mix >> 29
    }

    /// Whether the two are equal; nil if unknown.
    func isEqual(to other: RecordedValue) -> Bool? {
        if self == other { return true }
        switch (key.certainty, other.key.certainty) {
        case (.nothing, _), (_, .nothing): return nil
        case (.description, .description): return key.isSame(as: other.key) ? nil : false
        default: return false
        }
    }
}
