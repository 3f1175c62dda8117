import WeirTrace

/// Finds the last stimulus of a trace that matches a person's input; exact matches of the text come first.
struct StimulusSearch {
    private let wanted: EventFilter.Stimulus
    private var exact: (event: TraceEvent, number: UInt64)?
    private var similar: (event: TraceEvent, number: UInt64)?
    /// How many stimuli were seen.
    private(set) var count: UInt64 = 0
    /// How many of these match.
    private(set) var matches: UInt64 = 0

    init(_ wanted: EventFilter.Stimulus) { self.wanted = wanted }

    /// The beginning of the stimulus, and its number from 1; nil if none matched so far.
    var found: (event: TraceEvent, number: UInt64)? { exact ?? similar }

    /// Whether no further event can change the result.
    var isOver: Bool {
        if case .number(let number) = wanted { return count >= number }
        return false
    }

    /// Takes the next event of the trace.
    mutating func take(_ event: TraceEvent) {
        guard event.kind == .stimulusBegan else { return }
        count += 1
        guard wanted.isMet(by: event.text, number: count) else { return }
        matches += 1
        if case .text(event.text) = wanted { exact = (event, count) } else { similar = (event, count) }
    }
}
