import CWeir
import WeirTrace

/// What may be declared as meant so; of the module `WeirTrace`, which an app need not import.
public typealias RedundancyRule = WeirTrace.RedundancyRule

extension Node {
    /// Declares that what `rule` finds at this signal, or at a subscription to it, is meant so, and why.
    ///
    /// ```swift
    /// let progress = download.progress.intended(.burst, because: "a progress bar shows every step")
    /// ```
    /// `weir redundant` then lists these findings apart, with the reason. Nothing flows differently. To be declared where the
    /// signal is made: of an operator, subscriptions that were made before, while nothing was recorded, are not covered.
    /// Several rules are declared one after the other; a node keeps 64 declarations. Any thread may declare. Cost: an
    /// allocation or two, once; nothing for each value.
    ///
    /// - Parameters:
    ///   - rule: the rule whose findings are meant so.
    ///   - reason: what a reader of the findings should know; it is in the trace as it stands here.
    /// - Returns: the same signal.
    @discardableResult
    public func intended(
        _ rule: RedundancyRule, because reason: String, file: StaticString = #fileID, line: UInt = #line
    ) -> Self {
        tracedNode.declare(
            IntentionDescription(
                rule: rule, reason: reason, file: file.utf8Start, line: UInt32(clamping: line)))
        return self
    }

    private func declare(_ intention: IntentionDescription) {
        guard Registry.shared.declare(intention, of: self), weir_recording() != 0 else { return }
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let known = knownCode(log)
        // The definition of a node that is not known yet says it, too.
        if known == 0 { _ = code(log) } else { log.define(intention, of: known) }
    }
}
