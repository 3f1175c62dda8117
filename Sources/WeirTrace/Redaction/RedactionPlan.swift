/// What a copy of a trace is to be without.
///
/// Values of nodes that the trace does not define are removed, too: what they are is not known.
package struct RedactionPlan: Sendable {
    /// The nodes whose values stay.
    package var shown: Set<UInt32>
    /// Values that are removed wherever they stand, but for the nodes of `trusted`; nil: nodes alone decide.
    package var removed: RemovedValues?
    package var trusted: Set<UInt32> = []
    /// Whether the names of stimuli and checkpoints, and the reasons of intentions, are removed.
    package var hidesTexts: Bool
    /// The keys to be removed from names.
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

    /// The name of a node, without what is to be removed from it.
    package func label(_ label: String, of node: UInt32) -> String {
        keys.removed(from: label, isOfHiddenNode: hides(node))
    }
}

/// What was removed from a copy of a trace.
package struct RedactionCounts: Sendable, Equatable {
    /// Values of emissions and failures, and those that definitions hold.
    package var values: UInt64 = 0
    /// Of these, values of nodes that stay, which equal removed ones.
    package var equalValues: UInt64 = 0
    /// Names of stimuli and checkpoints, and reasons of intentions.
    package var texts: UInt64 = 0
    /// Records of later versions of the format: they may hold anything.
    package var unknownRecords: UInt64 = 0
    /// Places of the original of which the copy lacks something, because they are damaged.
    package var damagedPlaces: UInt64 = 0
}
