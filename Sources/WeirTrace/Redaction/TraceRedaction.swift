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

    /// The flags of a subscription's definition.
    enum SubscriptionFlag {
        static let all: UInt8 = 0b111
    }
}

/// The content that a redacted copy of a trace must not have.
///
/// Values of nodes without a definition in the trace are removed, too, because they are of unknown kind.
package struct RedactionPlan: Sendable {
    /// The nodes that keep their values.
    package var shown: Set<UInt32>
    /// Values to remove wherever they occur, except at the nodes in `trusted`; nil: only the node decides.
    package var removed: RemovedValues?
    package var trusted: Set<UInt32> = []
    /// Whether the names of stimuli and checkpoints, and the reasons of intentions, are removed.
    package var hidesTexts: Bool
    /// The keys to remove from names.
    package var keys: HiddenKeys

    package init(
        shown: Set<UInt32> = [], removed: RemovedValues? = nil, hidesTexts: Bool = true, keys: HiddenKeys = .all
    ) {
        self.shown = shown
        self.removed = removed
        self.hidesTexts = hidesTexts
        self.keys = keys
    }

    /// Whether the values of a node are removed.
    func hides(_ node: UInt32) -> Bool { !shown.contains(node) }

    /// The name of a node, without the parts to remove.
    package func label(_ label: String, of node: UInt32) -> String {
        keys.removed(from: label, isOfHiddenNode: hides(node))
    }
}

/// The counts of what was removed from a copy of a trace.
package struct RedactionCounts: Sendable, Equatable {
    /// Values of emissions, failures and definitions.
    package var values: UInt64 = 0
    /// The number of these that belong to nodes that keep their values, but equal removed values.
    package var equalValues: UInt64 = 0
    /// Names of stimuli and checkpoints, and reasons of intentions.
    package var texts: UInt64 = 0
    /// Records of later versions of the format, which may contain anything.
    package var unknownRecords: UInt64 = 0
    /// Damaged places of the original whose content is missing in the copy.
    package var damagedPlaces: UInt64 = 0
}

extension RedactionPlan {
    /// Writes the value at the scanner's position, or that it is withheld; false if there is no well-formed value.
    ///
    /// - Parameter node: the node that the value belongs to; nil: unknown.
    func value(
        _ scanner: inout ByteScanner, of node: UInt32?, _ bytes: inout [UInt8], _ counts: inout RedactionCounts
    ) -> Bool {
        let start = scanner.position
        guard TraceValue.skip(&scanner) else { return false }
        let whole = UnsafeRawBufferPointer(start: scanner.base + start, count: scanner.position - start)
        switch TraceFormat.ValueForm(rawValue: whole[0]) {
        case .notRecorded?, .withheld?: bytes.append(whole[0])
        case let form? where isShown(whole, form, node, &counts): bytes += whole
        default:
            bytes.append(TraceFormat.ValueForm.withheld.rawValue)
            counts.values += 1
        }
        return true
    }

    /// Whether a value is understood, its node keeps its values, and it equals no removed value.
    private func isShown(
        _ value: UnsafeRawBufferPointer, _ form: TraceFormat.ValueForm, _ node: UInt32?, _ counts: inout RedactionCounts
    ) -> Bool {
        guard let node, !hides(node) else { return false }
        let removed = trusted.contains(node) ? nil : removed
        guard removed != nil || form == .enumCase else { return true }
        guard let decoded = TraceValue(body: value) else { return false }
        // The payload of an enum case may have a shape that only a later version knows.
        if case .unknown = decoded { return false }
        guard let removed, removed.contains(decoded) else { return true }
        counts.equalValues += 1
        return false
    }
}
