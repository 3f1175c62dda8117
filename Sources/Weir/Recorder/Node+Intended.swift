import CWeirCore
import WeirRecording

#if Recording
/// The rules whose findings may be declared as intended; from the module `WeirTrace`, which an app need not import.
public typealias RedundancyRule = WeirTrace.RedundancyRule
#endif

extension Node {
    /// Declares that findings of `rule` at this signal, or at a subscription to it, are intended, and why.
    ///
    /// ```swift
    /// let progress = download.progress.intended(.burst, because: "a progress bar shows every step")
    /// ```
    /// `weir redundant` then lists these findings separately, with the reason. The data flow does not change. Declare it where
    /// the signal is made: for an operator, earlier subscriptions that were made while nothing was recorded are not covered.
    /// Declare several rules one after the other; a node keeps 64 declarations. Any thread may declare. Cost: one or two
    /// allocations, once; nothing for each value.
    ///
    /// - Parameters:
    ///   - rule: the rule whose findings are intended.
    ///   - reason: an explanation for readers of the findings; the trace holds it unchanged.
    /// - Returns: the same signal.
    @discardableResult
    public func intended(
        _ rule: RedundancyRule, because reason: String, file: StaticString = #fileID, line: UInt = #line
    ) -> Self {
        #if Recording
        tracedNode.declare(
            IntentionDescription(
                rule: rule, reason: reason, file: file.utf8Start, line: UInt32(clamping: line)))
        #endif
        return self
    }

    #if Recording
    private func declare(_ intention: IntentionDescription) {
        guard Registry.shared.declare(intention, of: self), weir_recording() != 0 else { return }
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let known = knownCode(log)
        // The definition of a node that is not known yet includes it.
        if known == 0 { _ = code(log) } else { log.define(intention, of: known) }
    }
    #endif
}
