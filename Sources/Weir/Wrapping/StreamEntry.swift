import CWeirCore
import WeirRecording

/// The entry of a traced stream of any kind: adds causes to elements, and records dropped or late ones.
struct StreamEntry: Sendable {
    let probe: TraceProbe
    /// Whether a full buffer drops the new element, not the one that has waited longest.
    let keepsOldest: Bool

    /// `element` with the current delivery as its cause.
    func carried<Element>(_ element: sending Element) -> sending Carried<Element> {
        Carried(element: element, cause: TaskCause.here)
    }

    /// - Parameter cause: That of the dropped element.
    func reportDropped(causedBy cause: ThreadLog.Place?) {
        if weir_recording() == 0 { return }
        if keepsOldest { return probe.recordSuppressed(.filtered) }
        // The element that has waited longest: the newer one is not its cause.
        Hop(cause: cause).run(of: probe) { probe.recordSuppressed(.superseded) }
    }

    func reportTooLate() {
        if weir_recording() != 0 { probe.recordSuppressed(.afterCompletion) }
    }
}
