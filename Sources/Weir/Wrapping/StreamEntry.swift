import CWeir

/// Where elements come into a traced stream, of whatever kind: with their causes, or not at all.
struct StreamEntry: Sendable {
    let probe: TraceProbe
    /// Whether a full buffer drops the element that comes, and not the one that has waited longest.
    let keepsOldest: Bool

    /// `element`, with what is being delivered here.
    func carried<Element>(_ element: sending Element) -> sending Carried<Element> {
        Carried(element: element, cause: TaskCause.here)
    }

    func tellDropped() {
        if weir_recording() != 0 { probe.recordSuppressed(keepsOldest ? .filtered : .superseded) }
    }

    func tellTooLate() {
        if weir_recording() != 0 { probe.recordSuppressed(.afterCompletion) }
    }
}
